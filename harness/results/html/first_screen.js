// What is seen first: verdict, filters, matrix, and what was not run.

const culprits = () => {
  const failed = data.groups.filter((group) => tally([group]).bad);
  return unique(failed.map((group) => group.operator)).map((operator) => {
    const own = failed.filter((group) => group.operator === operator);
    return h(
        'p', {class: 'bad'}, 'Fails: ', bold(breakable(operator)), ' on ',
        bold(unique(own.map((group) => group.target)).join(', ')), '.');
  });
};
// What a gate found beside the cases; the first few lead to the rest.
const gateCulprits = () => {
  const stages = data.gate.stages.filter((stage) => badTargets(stage).length);
  const worse = data.gate.ratchet.filter(({outcome}) => outcome === 'worse');
  return [
    ...stages.slice(0, 4).map((stage) => h(
        'p', {class: 'bad'}, 'Fails: ', bold(breakable(stage.operator)), ' on ',
        bold(badTargets(stage).join(', ')), ': ', stage.name, '.')),
    ...worse.slice(0, 4).map((row) => h(
        'p', {class: 'bad'}, 'Larger differences: ', bold(breakable(row.operator)), ' on ',
        bold(row.target || 'all targets'), ', ', arrows(row.types), ': ', number(row.observed),
        ' instead of ', number(row.recorded), row.difference_unit === 'ULP' && ' ULP', '.')),
  ];
};
const verdict = () => {
  const {name, exit_code: code, stopped} = data.verdict;
  const tone = code === 0 ? 'good' : code === 4 ? 'warn' : 'bad';
  const sign = {good: '✓ ', warn: '△ ', bad: '✗ '}[tone];
  const counts = tally(data.groups);
  const reasons = [...data.broken, ...data.distrust];
  const {candidate, level, commit, dirty} = data.setup;
  return h(
      'section', {id: 'verdict', class: 'card verdict ' + tone},
      h('h1', {}, sign, name, stopped && ' (partial)'),
      h('div', {class: 'facts'},
        paragraph(
            bold(candidate), ' at level ', bold(level), ', commit ',
            h('code', {}, commit.slice(0, 12)),
            dirty === 'true' && h('b', {class: 'warn'}, ' (dirty)')),
        softParagraph(
            number(counts.passed), ' of ', plural(counts.all, 'case'),
            ' passed (each once per target), ', plural(counts.elements, 'element'), ': ',
            number(counts.wrong), ' wrong, ', number(counts.explained), ' explained'),
        culprits(),
        counts.expected > 0 &&
            h('p', {class: 'warn'}, plural(counts.expected, 'known failure'), '.'),
        gateCulprits(),
        reasons.length > 0 &&
            list([...reasons.slice(0, 8).map(breakable),
                  reasons.length > 8 && `and ${reasons.length - 8} more`],
                 data.broken.length ? 'bad' : 'warn')));
};

const cell = (groups, operator, target) => {
  const counts = tally(groups);
  const outcome = outcomeOf(counts);
  const text = {
    passed: () => number(counts.passed),
    failed: () => number(counts.bad) + ' of ' + number(counts.all),
    partly: () => number(counts.passed) + ' of ' + number(counts.all),
    absent: () => counts.unsupported ? 'unsupported' : 'not run',
  }[outcome]();
  const detail = [
    number(counts.passed) + ' of ' + number(counts.all) + ' cases passed',
    number(counts.bad) + ' failed',
    number(counts.unsupported) + ' unsupported',
    number(counts.expected) + ' known failures',
    number(counts.wrong) + ' wrong elements',
  ];
  const attributes = {
    'class': 'cell ' + OUTCOMES[outcome].tone,
    'data-outcome': outcome,
    'data-target': target,
    'title': operator + ' on ' + target + ': ' + (counts.all ? detail.join(', ') : 'not run'),
    'href': hashFor({operator, target}),
  };
  return h('td', {}, h('a', attributes, OUTCOMES[outcome].sign + ' ' + text));
};
const matrixRows = (operator, groups, columns) => {
  const row = (name, kind, some) => {
    const own = columns.map((target) => some.filter((group) => group.target === target));
    const allPassed = own.every((cells) => outcomeOf(tally(cells)) === 'passed');
    return h(
        'tr', {class: kind + (allPassed ? ' all-passed' : '')}, h('th', {scope: 'row'}, breakable(name)),
        own.map((cells, i) => cell(cells, operator, columns[i])));
  };
  // Calls of illegal types are there to be rejected and have no elements: one row for all of
  // them, unless one is not.
  const byType = unique(groups.map((group) => group.types))
                     .map((types) => groups.filter((group) => group.types === types));
  const isRejected = (some) => some[0].types.includes('->') && tally(some).elements === 0 &&
      outcomeOf(tally(some)) === 'passed';
  const rejected = byType.filter(isRejected);
  return [
    row(operator, 'operator', groups),
    byType.filter((some) => !isRejected(some))
        .map((some) => row(arrows(some[0].types), 'types', some)),
    rejected.length > 0 &&
        row(plural(rejected.length, 'combination') + ' of types to be rejected', 'types',
            rejected.flat()),
  ];
};
const matrix = () => {
  const groups = selectedGroups();
  const columns = targets.filter((target) => !filter.target || target === filter.target);
  const rows = operators.map((operator) => {
    const own = groups.filter((group) => group.operator === operator);
    return own.length > 0 && matrixRows(operator, own, columns);
  });
  const head = h(
      'thead', {},
      h('tr', {}, h('th', {}), columns.map((target) => h('th', {scope: 'col'}, target))));
  return h(
      'section', {id: 'matrix', class: 'card'}, h('h3', {}, 'Operators, types and targets'),
      softParagraph(
          '✓ all passed, ✗ failed, △ incomplete, – not run. ',
          h('span', {class: 'wide'}, 'A click on a field shows only its operator and target.'),
          h('span', {class: 'narrow'}, 'Types that passed everywhere are left out here.')),
      groups.length ? h('div', {class: 'scroll'},
                        h('table', {class: 'matrix'}, head, h('tbody', {}, rows))) :
                      paragraph('Nothing is selected.'));
};

const NOT_RUN_AT_ONCE = 8;
const notRun = () => {
  const lines = data.not_run;
  const rest = lines.slice(NOT_RUN_AT_ONCE);
  return h(
      'section', {id: 'not-run', class: 'card ' + (lines.length ? 'warn-edge' : '')},
      h('h3', {}, 'What was not run'),
      lines.length ?
          list(lines.slice(0, NOT_RUN_AT_ONCE).map(breakable)) :
          paragraph(
              'Nothing: every expected target, every operator, every clause and every quota ',
              'was reached.'),
      rest.length > 0 && fold({}, 'and ' + number(rest.length) + ' more', () => list(rest.map(breakable))));
};

// Filters, and the way to the sections below.
const filters = (sections) => {
  const choose = (name, value) => { location.hash = hashFor({[name]: value}); };
  const labelled = (label, control) =>
      h('label', {}, h('span', {class: 'hidden-label'}, label), control);
  const select = (name, label, options) => labelled(
      label,
      h('select', {name, onchange: (event) => choose(name, event.target.value)},
        h('option', {value: ''}, label),
        options.map(
            ([value, text]) => h('option', {value, selected: filter[name] === value}, text))));
  const search = h('input', {
    type: 'search',
    name: 'text',
    placeholder: 'case, clause, text',
    value: filter.text,
    onchange: (event) => choose('text', event.target.value),
  });
  // Fragments are filters, so these are no links.
  const jumps = sections.filter((section) => section.querySelector('h2'))
                    .map((section) => h(
                             'button',
                             {type: 'button', onclick: () => section.scrollIntoView()},
                             section.querySelector('h2').firstChild.textContent));
  return h(
      'form', {class: 'filters', id: 'filters', onsubmit: (event) => event.preventDefault()},
      select('operator', 'all operators', operators.map((operator) => [operator, operator])),
      select('target', 'all targets', targets.map((target) => [target, target])),
      select('outcome', 'all outcomes',
             Object.entries(OUTCOMES).map(([value, {label}]) => [value, label])),
      labelled('text', search),
      h('button', {type: 'button', id: 'show-all', onclick: () => { location.hash = '#'; }},
        'show all'),
      h('nav', {}, jumps));
};
