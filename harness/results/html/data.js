// The data beside the scripts, what it amounts to, and which part of it is selected.

const data = JSON.parse(document.getElementById('data').textContent);
const operators = unique(data.groups.map((group) => group.operator));
const targets =
    unique([...data.targets.expected, ...data.groups.map((group) => group.target)]);
const targetClass = (target) => 't' + Math.max(0, targets.indexOf(target)) % 6;

// Every status is one of four outcomes, each with a sign beside its colour.
const OUTCOMES = {
  passed: {sign: '✓', tone: 'good', label: 'passed'},
  failed: {sign: '✗', tone: 'bad', label: 'failed'},
  partly: {sign: '△', tone: 'warn', label: 'incomplete'},
  absent: {sign: '–', tone: 'none', label: 'not run'},
};
const tag = (outcome, text) =>
    h('span', {class: 'tag ' + OUTCOMES[outcome].tone}, OUTCOMES[outcome].sign, ' ',
      text || OUTCOMES[outcome].label);
const OUTCOME_OF_STATUS = {
  'passed': 'passed',
  'absent': 'absent',
  'unsupported': 'absent',
  'expected-failure': 'partly',
};
const outcomeOfStatus = (status) => OUTCOME_OF_STATUS[status] || 'failed';
const statusTag = (status) => tag(outcomeOfStatus(status), status);

const tally = (groups) => {
  const counts = {passed: 0, unsupported: 0, expected: 0, bad: 0};
  const kinds = {
    'passed': 'passed',
    'unsupported': 'unsupported',
    'expected-failure': 'expected',
  };
  for (const group of groups) {
    for (const [status, count] of Object.entries(group.cases)) {
      counts[kinds[status] || 'bad'] += count;
    }
  }
  const ofElements = (name) => sum(groups, (group) => group.elements[name]);
  counts.all = counts.passed + counts.unsupported + counts.expected + counts.bad;
  counts.wrong = ofElements('wrong');
  counts.explained = ofElements('explained');
  counts.elements =
      ofElements('exact') + counts.explained + counts.wrong + ofElements('preserved');
  return counts;
};
const outcomeOf = (counts) => {
  if (counts.bad) return 'failed';
  if (!counts.all || counts.unsupported === counts.all) return 'absent';
  return counts.passed === counts.all ? 'passed' : 'partly';
};

// Filters live in the address, so that a view can be sent to somebody.
const filter = {operator: '', target: '', outcome: '', text: ''};
const readFilter = () => {
  const parameters = new URLSearchParams(location.hash.slice(1));
  for (const name of Object.keys(filter)) filter[name] = parameters.get(name) || '';
};
const hashFor = (changes) => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({...filter, ...changes})) {
    if (value) parameters.set(name, value);
  }
  return '#' + parameters;
};
// An entry is judged by those filters that it knows.
const isSelected = ({operator, target, outcome, texts}) => {
  const fits = (name, value) =>
      !filter[name] || value === undefined || value === filter[name];
  const wanted = filter.text.toLowerCase();
  return fits('operator', operator) && fits('target', target) && fits('outcome', outcome) &&
      (!texts || texts.some((text) => String(text).toLowerCase().includes(wanted)));
};
const selectedGroups = () => data.groups.filter(
    ({operator, target, ...group}) =>
        isSelected({operator, target, outcome: filter.outcome && outcomeOf(tally([group]))}));

// Targets on which a stage of a gate is not as it must be.
const badTargets = ({targets}) =>
    targets.filter(({status}) => outcomeOfStatus(status) === 'failed').map(({target}) => target);
