// Operators and failures in detail.

const shares = (groups) => {
  const fact = (name) => sum(groups, (group) => group.facts[name]);
  const known = fact('elements');
  const box = (value, ...text) => h('div', {class: 'share'}, bold(value), text);
  const share = (text, name) =>
      box(percent(fact(name), known), text, ' (', number(fact(name)), ')');
  return h(
      'div', {class: 'shares'},
      box(number(known), 'elements whose exact evaluation is known'),
      share('at a tie of round()', 'ties'),
      fact('output_ties') > 0 && share('at a tie of the output type', 'output_ties'),
      share('clamped low', 'clamped_low'), share('clamped high', 'clamped_high'),
      faultsOf(groups).map(([count, text]) => box(number(count), text)));
};

// The evidence of a case, best of the very target.
const evidenceOf = (operator, id, target) => {
  const all = data.evidence.filter(
      (evidence) => evidence.operator === operator && evidence.id === id);
  return all.find((evidence) => evidence.target === target) || all[0];
};
const evidenceBody = (evidence, repeat) => {
  if (!evidence) return copyable('Repeat', repeat, true);
  const {element, explanation, vector} = evidence;
  return [
    copyable('Repeat', evidence.repeat, true),
    vector !== null && copyable('Counterexample, a file of test vectors', data.vectors[vector]),
    explanation && copyable('Explanation of element ' + Math.max(element, 0), explanation),
  ];
};
const place = ({output, index}) => output + (index.startsWith('[') ? '' : ' ') + index;
const failureLine = (failure) => [
  h('code', {}, place(failure)), ': expected ', bold(failure.expected), ', got ',
  bold(failure.found), failure.difference_text && ', ' + failure.difference_text,
  failure.reason && soft(' ', failure.reason),
];

const worstCase = ({group, id, file, failure, tie_distance: distance}) => {
  const near = failure.difference !== null &&
      (distance === 0 ? 'exactly at a tie' : distance && distance.toPrecision(3) + ' from a tie');
  const summary = [
    h('b', {class: 'bad'}, failure.difference_text || 'no distance'), ' at ',
    h('code', {}, place(failure)), ' of ', bold(id), ' on ', group.target,
    near && soft(', ', near),
  ];
  return fold({}, summary, () => [
    list([failureLine(failure)]),
    evidenceBody(
        evidenceOf(group.operator, id, group.target),
        'qconform run ' + file + ' --filter=' + group.operator + '/' + id),
  ]);
};
const worst = (groups) => {
  const size = ({failure}) =>
      failure.difference === null ? Infinity : Math.abs(failure.difference);
  const evident = ({group, id}) => Boolean(evidenceOf(group.operator, id));
  const entries = groups.flatMap((group) => group.worst.map((entry) => ({...entry, group})))
                      .filter(({id, file}) => isSelected({texts: [id, file]}))
                      .sort((a, b) => size(b) - size(a) || evident(b) - evident(a));
  const seen = new Set();
  const few = entries.filter(({id}) => !seen.has(id) && seen.add(id)).slice(0, 5);
  return few.length > 0 &&
      h('div', {class: 'worst'}, h('h4', {}, 'Worst cases'), few.map(worstCase));
};
const operatorCards = () => {
  const groups = selectedGroups();
  const card = (operator) => {
    const own = groups.filter((group) => group.operator === operator);
    if (!own.length) return null;
    const counts = tally(own);
    const title = data.titles[operator];
    return h(
        'article', {class: 'card operator-card', 'data-operator': operator},
        h('h3', {}, breakable(operator), ' ', tag(outcomeOf(counts))),
        softParagraph(
            title && [breakable(title), ' · '], unique(own.map((group) => group.target)).join(', ')),
        paragraph(
            number(counts.passed), ' of ', plural(counts.all, 'case'), ' passed, ',
            plural(counts.wrong, 'wrong element'), ', ', number(counts.explained), ' explained.'),
        h('div', {class: 'charts'}, histogram(own), scatter(own)), shares(own), worst(own));
  };
  return h(
      'section', {id: 'operators'}, h('h2', {}, 'Operators'), operators.map(card),
      !groups.length && paragraph('Nothing is selected.'));
};

const failedCase = (entry) => {
  const attributes = {
    'class': 'failure',
    'data-target': entry.target,
    'data-operator': entry.operator,
  };
  const summary = [
    statusTag(entry.status), ' ', bold(entry.id), ' on ', entry.target, ' ',
    soft(entry.title, ' · ', entry.operator, ' ', arrows(entry.types)),
  ];
  const more = entry.failure_count - entry.failures.length;
  return fold(attributes, summary, () => [
    entry.reason && paragraph(entry.reason),
    entry.variation && paragraph('Executed with ', entry.variation, '.'),
    list([...entry.failures.map(failureLine), more > 0 && 'and ' + plural(more, 'more element')]),
    entry.file && softParagraph(entry.file),
    evidenceBody(
        data.evidence.find(
            ({operator, id, target}) =>
                operator === entry.operator && id === entry.id && target === entry.target),
        entry.repeat),
  ]);
};
const failures = () => {
  const selected = data.failures.filter(
      ({operator, target, status, id, title, file, reason}) => isSelected({
        operator,
        target,
        outcome: outcomeOfStatus(status),
        texts: [operator, id, title, file, reason],
      }));
  const unlisted = data.failures_unlisted;
  const total = data.failures.length + unlisted;
  return h(
      'section', {id: 'failures'},
      h('h2', {}, 'Cases that did not pass', soft(' ' + number(total))),
      total ? softParagraph(
                  number(selected.length), ' shown',
                  unlisted > 0 && '; ' + number(unlisted) + ' more are in the JSON results',
                  '.') :
              paragraph('None.'),
      selected.map(failedCase));
};
