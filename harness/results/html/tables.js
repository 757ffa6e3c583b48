// Sections that are tables.

const numberCell = (label, ...children) =>
    h('td', {'class': 'number', 'data-label': label}, children);
const arrow = (before, after) => h('span', {}, before, ' → ', bold(after));

const CLAUSE_OUTCOMES = {
  'passed': 'passed',
  'failed': 'failed',
  'incomplete': 'partly',
  'not covered': 'absent',
};
const clauseRow = ({id, question, decision, cases, failed, outcome}) => h(
    'tr', {'data-clause': id}, h('td', {class: 'name'}, bold(id)),
    h('td', {}, bold(question), h('br', {}), soft(decision)),
    numberCell(
        'cases', failed > 0 && number(failed) + ' failed of ', number(cases)),
    h('td', {}, tag(CLAUSE_OUTCOMES[outcome], outcome)));
const clauses = () => {
  const selected = data.clauses.filter(
      ({operator, id, question, decision, outcome}) => isSelected({
        operator,
        outcome: CLAUSE_OUTCOMES[outcome],
        texts: [id, question, decision],
      }));
  const covered = data.clauses.filter((clause) => clause.cases).length;
  const card = (operator) => h(
      'div', {class: 'card long'}, h('h3', {}, operator),
      table(
          ['clause', 'decision', {number: 'cases'}, 'outcome'],
          selected.filter((clause) => clause.operator === operator).map(clauseRow),
          {class: 'stack'}));
  return h(
      'section', {id: 'clauses'}, h('h2', {}, 'Clauses'),
      softParagraph(
          number(covered), ' of ', number(data.clauses.length), ' have cases. ',
          'A clause is what a document says, or what was decided where it is silent.'),
      unique(selected.map((clause) => clause.operator)).map(card));
};

// A tag for each status, with the targets that have it unless all have.
const stageOutcome = ({executed, targets}) => {
  if (!executed) return tag('absent');
  const statuses = unique(targets.map(({status}) => status));
  return statuses.map((status) => {
    const own = targets.filter((target) => target.status === status);
    const where = statuses.length > 1 && ' on ' + own.map(({target}) => target).join(', ');
    const reasons = unique(own.map(({reason}) => reason)).filter((reason) => reason);
    return h('div', {}, statusTag(status), where, reasons.length > 0 && list(reasons, 'soft'));
  });
};
const stageRow = (stage) => h(
    'tr', {}, h('td', {}, breakable(stage.operator)),
    h('td', {}, stage.name, stage.failures.length > 0 && list(stage.failures, 'soft')),
    numberCell('comparisons', number(stage.executed)),
    numberCell('seconds', stage.seconds.toFixed(1)), h('td', {}, stageOutcome(stage)));
const ratchetRow = (row) => h(
    'tr', {}, h('td', {}, breakable(row.operator)), h('td', {}, arrows(row.types)),
    h('td', {}, row.target || 'all'), h('td', {}, row.permitted),
    numberCell(
        'recorded', number(row.recorded), row.difference_unit === 'ULP' && ' ULP'),
    numberCell('observed', number(row.observed)),
    h('td', {}, tag(row.outcome === 'worse' ? 'failed' : 'passed', row.outcome)));
// Most stages pass, and are folded; so are differences that are as recorded.
const stageTable = (stages) => table(
    ['operator', 'stage', {number: 'comparisons'}, {number: 'seconds'}, 'outcome'],
    stages.map(stageRow), {class: 'stack'});
const ratchetTable = (rows) => table(
    ['operator', 'types', 'target', 'permitted', {number: 'recorded'}, {number: 'observed'},
     'outcome'],
    rows.map(ratchetRow), {class: 'stack'});
const gateCard = (title, rows, isQuiet, quiet, makeTable) => {
  const loud = rows.filter((row) => !isQuiet(row));
  const others = rows.filter(isQuiet);
  return rows.length > 0 &&
      h('div', {class: 'card long'}, h('h3', {}, title), loud.length > 0 && makeTable(loud),
        others.length > 0 &&
            fold({}, number(others.length) + ' ' + quiet, () => makeTable(others)));
};
const gate = () => {
  const {stages, ratchet} = data.gate;
  if (!stages.length && !ratchet.length) return null;
  const isOfFilter = ({operator, target}) =>
      isSelected({operator, target: target || undefined});
  const hasPassed = ({executed, targets}) =>
      executed > 0 && targets.every(({status}) => status === 'passed');
  return h(
      'section', {id: 'gate'}, h('h2', {}, 'Gate'),
      gateCard(
          'Sweeps and properties', stages.filter(isOfFilter), hasPassed, 'passed on every target',
          stageTable),
      gateCard(
          'Ratchet: largest differences may only shrink', ratchet.filter(isOfFilter),
          ({outcome}) => outcome === 'equal', 'as recorded', ratchetTable));
};

const changedCases = (cases) => table(
    ['case', 'operator', 'target', 'before', 'after'],
    cases.map(({operator, id, target, before, after}) => h(
        'tr', {}, h('td', {}, bold(id)), h('td', {}, operator), h('td', {}, target),
        h('td', {'data-label': 'before'}, statusTag(before)),
        h('td', {'data-label': 'after'}, statusTag(after)))),
    {class: 'stack'});
const changedGroup = (group) => h(
    'tr', {}, h('td', {}, group.operator), h('td', {}, arrows(group.types)),
    h('td', {}, group.target), ['exact', 'explained', 'wrong'].map((name) => {
      const before = number(group.before[name]);
      const after = number(group.after[name]);
      return numberCell(name, before === after ? after : arrow(before, after));
    }),
    numberCell(
        'largest difference', arrow(number(group.largest_before), number(group.largest_after))));
const changedTexts = (title, changes) => changes.length > 0 && [
  h('h3', {}, title),
  list(changes.map(
      ([name, before, after]) => [name, ': ', arrow(before || 'none', after || 'none')])),
];
const CHANGES_AT_ONCE = 10;
const comparison = () => {
  const change = data.comparison;
  if (!change) return null;
  const cases = change.cases.filter(
      ({operator, target, id}) => isSelected({operator, target, texts: [id]}));
  const groups = change.groups.filter(isSelected);
  const rest = cases.slice(CHANGES_AT_ONCE);
  return h(
      'section', {id: 'comparison'}, h('h2', {}, 'Compared with the older results'),
      h('div', {class: 'card long'},
        paragraph(
            'Verdict: ', arrow(change.before, change.after),
            change.empty && '. Nothing changed.'),
        change.transitions.length > 0 &&
            [
              h('h3', {}, 'Cases'),
              list(change.transitions.map(
                  ([before, after, count]) =>
                      [plural(count, 'case'), ': ', statusTag(before), ' → ', statusTag(after)])),
            ],
        cases.length > 0 && changedCases(cases.slice(0, CHANGES_AT_ONCE)),
        rest.length > 0 &&
            fold({}, plural(rest.length, 'more case'), () => changedCases(rest)),
        groups.length > 0 &&
            [
              h('h3', {}, 'Elements'),
              table(
                  ['operator', 'types', 'target', {number: 'exact'}, {number: 'explained'},
                   {number: 'wrong'}, {number: 'largest difference'}],
                  groups.map(changedGroup), {class: 'stack'}),
            ],
        changedTexts('Clauses', change.clauses), changedTexts('Set-up', change.setup)));
};

// Files of other programs are shown as they are if they are not what is known.
const raw = (id, title, value) => h(
    'section', {id}, h('h2', {}, title),
    h('div', {class: 'card'}, h('pre', {}, JSON.stringify(value, null, 1).slice(0, 20000))));

const mutantCards = (all) => {
  const sources = unique(all.flatMap((mutant) => Object.keys(mutant.kills)));
  const isKilled = ({kills}) => sources.some((source) => kills[source]);
  const counts = (some) =>
      sources
          .map((source) => source + ' ' + number(sum(some, ({kills}) => kills[source] ? 1 : 0)))
          .join(', ');
  const killed = (some) =>
      number(some.filter(isKilled).length) + ' of ' + number(some.length);
  const row = (mutant) => h(
      'tr', {'data-mutant': mutant.name},
      h('td', {}, bold(mutant.name), h('br', {}), soft(mutant.description)),
      sources.map((source) => {
        const by = mutant.kills[source];
        const mark = by ? ['✓ ', h('small', {}, by)] : '– not found';
        return h(
            'td', {'data-label': source},
            h('span', {class: 'cell ' + (by ? 'good' : 'none')}, mark));
      }),
      h('td', {},
        isKilled(mutant) ? tag('passed', 'killed') : tag('failed', 'survived')));
  const selected = all.filter((mutant) => isSelected({
                                operator: mutant.operator,
                                outcome: isKilled(mutant) ? 'passed' : 'failed',
                                texts: [mutant.name, mutant.description],
                              }));
  const card = (operator) => {
    const own = selected.filter((mutant) => mutant.operator === operator);
    const survives = !own.every(isKilled);
    return fold(
        {open: survives},
        [tag(survives ? 'failed' : 'passed', killed(own)), ' ', operator, ' ', soft(counts(own))],
        () => table(['fault', ...sources, 'outcome'], own.map(row), {class: 'stack kills'}));
  };
  return [
    softParagraph(killed(all), ' faulty implementations are found. ', counts(all), '.'),
    unique(selected.map((mutant) => mutant.operator)).map(card),
  ];
};
const mutants = () => {
  if (!data.mutants) return null;
  const all = data.mutants.mutants;
  const isKnown = Array.isArray(all) &&
      all.every((mutant) => mutant && mutant.kills && typeof mutant.kills === 'object');
  if (!isKnown) return raw('mutants', 'Mutants', data.mutants);
  return h('section', {id: 'mutants'}, h('h2', {}, 'Mutants'), mutantCards(all));
};

const ratio = (value) => value > 0 ? value.toFixed(2) + ' ×' : '–';
const speedCard = (unit, problems) => {
  const all = problems.flatMap((problem) => problem.implementations);
  const names = unique(all.map((one) => one.implementation));
  const fastest = Math.max(1e-9, ...all.map((one) => one.speed));
  const measured = (one) => {
    if (!one) return '–';
    const own = String(one.implementation).startsWith('qconform') ? ' own' : '';
    const share = Math.max(0, Math.min(100, 100 * one.speed / fastest)).toFixed(1);
    return [
      Number(one.speed).toPrecision(3),
      one.wrong > 0 &&
          h('div', {class: 'bad'}, number(one.wrong), ' of ', number(one.outputs), ' wrong'),
      h('div', {class: 'meter' + own}, h('i', {style: `width:${share}%`})),
    ];
  };
  const row = (problem) => h(
      'tr', {}, h('td', {}, bold(problem.problem)),
      names.map((name) => numberCell(
          name, measured(problem.implementations.find((one) => one.implementation === name)))),
      numberCell('to best peer', ratio(problem.ratio_to_best_peer)),
      numberCell('to best right peer', ratio(problem.ratio_to_best_peer_without_wrong_output)));
  return h(
      'div', {class: 'card long'}, h('h3', {}, unit || 'speed'),
      table(
          ['problem', ...names.map((name) => ({number: name})), {number: 'to best peer'},
           {number: 'to best peer without a wrong output'}],
          problems.map(row), {class: 'stack speed'}));
};
const speed = () => {
  if (!data.speed) return null;
  const problems = data.speed.results;
  const isKnown = Array.isArray(problems) &&
      problems.every((problem) => problem && Array.isArray(problem.implementations));
  if (!isKnown) return raw('speed', 'Speed', data.speed);
  const selected = problems.filter(({problem}) => isSelected({texts: [problem]}));
  return h(
      'section', {id: 'speed'}, h('h2', {}, 'Speed'),
      softParagraph(
          'More is faster. A ratio above 1 says that this library is faster than the peer; ',
          'an implementation named limit is what memory alone permits, not a peer.'),
      unique(selected.map((problem) => problem.unit))
          .map((unit) => speedCard(unit, selected.filter((problem) => problem.unit === unit))));
};

const quality = () => {
  const selected = data.quotas.filter(
      ([operator, counter]) => isSelected({operator, texts: [counter]}));
  const row = ([, counter, count, minimum]) => h(
      'tr', {}, h('td', {}, counter), numberCell('count', number(count)),
      numberCell('minimum', minimum > 0 && number(minimum)),
      h('td', {},
        minimum > 0 && (count >= minimum ? tag('passed', 'met') : tag('failed', 'not met'))));
  const card = (operator) => {
    const rows = selected.filter(([other]) => other === operator);
    const unmet = rows.filter(([, , count, minimum]) => count < minimum).length;
    const state = unmet ? tag('failed', number(unmet) + ' not met') :
                          soft(plural(rows.length, 'counter'));
    return fold({}, [operator, ' ', state], () => table(
        ['counter', {number: 'count'}, {number: 'minimum'}, ''], rows.map(row)));
  };
  return h(
      'section', {id: 'quality'}, h('h2', {}, 'How hard the inputs were'),
      unique(selected.map(([operator]) => operator)).map(card),
      !data.quotas.length && paragraph('Nothing was counted.'));
};
const setup = () => h(
    'section', {id: 'setup'}, h('h2', {}, 'What these results are bound to'),
    h('div', {class: 'card'},
      h('dl', {class: 'setup'},
        Object.entries(data.setup)
            .map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]))));
