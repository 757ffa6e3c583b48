'use strict';
// Draws the page from the data beside it. Text enters the document only as text nodes and attributes, never as markup.
(() => {
  const started = performance.now();
  const root = document.documentElement;
  const fail = (message) => {
    root.dataset.error = message;
    document.body.prepend(h('p', {class: 'error'}, 'This page is broken: ' + message));
  };
  addEventListener('error', (event) => fail(event.message));

  // h('td', {class: 'number'}, 'text', node, [nodes]); svg likewise.
  const build = (node, attributes, children) => {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? '' : value);
    }
    for (const child of children.flat(3)) {
      if (child !== null && child !== undefined && child !== false) node.append(child);
    }
    return node;
  };
  const h = (tag, attributes, ...children) => build(document.createElement(tag), attributes, children);
  const svg = (tag, attributes, ...children) => build(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

  const data = JSON.parse(document.getElementById('data').textContent);
  const format = new Intl.NumberFormat('en-US');  // making one takes longer than all else that a dot needs
  const number = (value) => format.format(value);
  const plural = (count, one, many) => number(count) + ' ' + (count === 1 ? one : many || one + 's');
  const percent = (part, whole) => {
    if (!whole) return 'none';
    const value = 100 * part / whole;
    return (value && value < 0.1 ? '< 0.1' : value.toFixed(1)) + ' %';
  };
  const arrows = (types) => types.replace('->', ' → ');
  const sum = (items, value) => items.reduce((total, item) => total + (value(item) || 0), 0);
  const unique = (items) => [...new Set(items)];

  const operators = unique(data.groups.map((group) => group.operator));
  const targets = unique([...data.targets.expected, ...data.groups.map((group) => group.target)]);
  const targetClass = (target) => 't' + Math.max(0, targets.indexOf(target)) % 6;

  // Outcomes: every status is one of four, each with a sign beside its colour.
  const OUTCOMES = {
    passed: {sign: '✓', tone: 'good', label: 'passed'},
    failed: {sign: '✗', tone: 'bad', label: 'failed'},
    partly: {sign: '△', tone: 'warn', label: 'incomplete'},
    absent: {sign: '–', tone: 'none', label: 'not run'},
  };
  const tally = (groups) => {
    const counts = {all: 0, passed: 0, unsupported: 0, expected: 0, bad: 0, wrong: 0, explained: 0, elements: 0};
    for (const group of groups) {
      for (const [status, count] of Object.entries(group.cases)) {
        counts.all += count;
        if (status === 'passed') counts.passed += count;
        else if (status === 'unsupported') counts.unsupported += count;
        else if (status === 'expected-failure') counts.expected += count;
        else counts.bad += count;
      }
      counts.wrong += group.elements.wrong;
      counts.explained += group.elements.explained;
      counts.elements += group.elements.exact + group.elements.explained + group.elements.wrong + group.elements.preserved;
    }
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
    for (const [name, value] of Object.entries({...filter, ...changes})) if (value) parameters.set(name, value);
    return '#' + parameters;
  };
  const matchesText = (...texts) => !filter.text || texts.some((text) => String(text).toLowerCase().includes(filter.text.toLowerCase()));
  const selectedGroups = () => data.groups.filter((group) =>
    (!filter.operator || group.operator === filter.operator) && (!filter.target || group.target === filter.target) &&
    (!filter.outcome || outcomeOf(tally([group])) === filter.outcome));

  const tag = (outcome, text) => h('span', {class: 'tag ' + OUTCOMES[outcome].tone}, OUTCOMES[outcome].sign + ' ' + (text || OUTCOMES[outcome].label));
  const table = (head, rows, attributes) => h('div', {class: 'scroll'}, h('table', attributes,
    h('thead', {}, h('tr', {}, head.map((text) => h('th', typeof text === 'string' ? {} : {class: 'number'}, typeof text === 'string' ? text : text.number)))),
    h('tbody', {}, rows)));
  const copyable = (title, text, oneLine) => h('div', {class: 'copyable'},
    h('div', {}, title, h('button', {type: 'button', onclick: (event) => copy(text, event.target)}, 'copy')),
    h('pre', {class: oneLine ? 'line' : ''}, text));
  const copy = async (text, button) => {
    const area = h('textarea', {}, text);
    button.after(area);
    area.select();
    let done = document.execCommand('copy');  // the only way in pages opened from a file, in some browsers
    area.remove();
    if (!done && navigator.clipboard) {
      const patience = new Promise((resolve) => { setTimeout(() => resolve(false), 500); });
      done = await Promise.race([navigator.clipboard.writeText(text).then(() => true, () => false), patience]);
    }
    button.textContent = done ? 'copied' : 'cannot copy here';
    setTimeout(() => { button.textContent = 'copy'; }, 1500);
  };

  // First screen.
  const verdict = () => {
    const {name, exit_code: code, stopped} = data.verdict;
    const tone = code === 0 ? 'good' : code === 4 ? 'warn' : 'bad';
    const counts = tally(data.groups);
    const culprits = data.groups.filter((group) => tally([group]).bad);
    const reasons = [...data.broken, ...data.distrust];
    return h('section', {id: 'verdict', class: 'card verdict ' + tone},
      h('h1', {}, (code === 0 ? '✓ ' : code === 4 ? '△ ' : '✗ ') + name + (stopped ? ' (partial)' : '')),
      h('div', {class: 'facts'},
        h('p', {}, h('b', {}, data.setup.candidate), ' at level ', h('b', {}, data.setup.level), ', commit ', h('code', {}, data.setup.commit.slice(0, 12)),
          data.setup.dirty === 'true' && h('b', {class: 'warn'}, ' (dirty)')),
        h('p', {class: 'soft'}, `${number(counts.passed)} of ${plural(counts.all, 'case')} passed (each once per target), `,
          `${plural(counts.elements, 'element')}: ${number(counts.wrong)} wrong, ${number(counts.explained)} explained`),
        culprits.length > 0 && h('p', {class: 'bad'}, 'Fails: ', h('b', {}, unique(culprits.map((group) => group.operator)).join(', ')), ' on ',
          h('b', {}, unique(culprits.map((group) => group.target)).join(', ')), '.'),
        data.gate.stages.filter((stage) => stage.failed).map((stage) => h('p', {class: 'bad'}, `Fails: ${stage.name}, ${number(stage.failed)} of ${number(stage.executed)}.`)),
        reasons.length > 0 && h('ul', {class: 'plain ' + (data.broken.length ? 'bad' : 'warn')}, reasons.slice(0, 8).map((reason) => h('li', {}, reason)),
          reasons.length > 8 && h('li', {}, `and ${reasons.length - 8} more`))));
  };

  const cell = (groups, operator, target) => {
    const counts = tally(groups);
    const outcome = outcomeOf(counts);
    let text = OUTCOMES[outcome].sign + ' ';
    if (outcome === 'passed') text += number(counts.passed);
    else if (outcome === 'failed') text += `${number(counts.bad)} of ${number(counts.all)}`;
    else if (outcome === 'partly') text += `${number(counts.passed)} of ${number(counts.all)}`;
    else text += counts.unsupported ? 'unsupported' : 'not run';
    const detail = `${operator} on ${target}: ` + (counts.all ? `${number(counts.passed)} of ${number(counts.all)} cases passed, ${number(counts.bad)} failed, ` +
      `${number(counts.unsupported)} unsupported, ${number(counts.expected)} known failures, ${number(counts.wrong)} wrong elements` : 'not run');
    return h('td', {}, h('a', {class: 'cell ' + OUTCOMES[outcome].tone, 'data-outcome': outcome, 'data-target': target, title: detail, href: hashFor({operator, target})}, text));
  };
  const matrix = () => {
    const groups = selectedGroups();
    const columns = targets.filter((target) => !filter.target || target === filter.target);
    const rows = [];
    for (const operator of operators) {
      const own = groups.filter((group) => group.operator === operator);
      if (!own.length) continue;
      const row = (name, kind, some) => h('tr', {class: kind + (columns.every((target) => outcomeOf(tally(some.filter((group) => group.target === target))) === 'passed') ? ' all-passed' : '')}, h('th', {scope: 'row'}, name),
        columns.map((target) => cell(some.filter((group) => group.target === target), operator, target)));
      rows.push(row(operator, 'operator', own));
      // Calls of illegal types are there to be rejected and have no elements: one row for all of them, unless one is not.
      const byType = unique(own.map((group) => group.types)).map((type) => own.filter((group) => group.types === type));
      const isRejected = (some) => some[0].types.includes('->') && tally(some).elements === 0 && outcomeOf(tally(some)) === 'passed';
      const rejected = byType.filter(isRejected);
      for (const some of byType.filter((others) => !isRejected(others))) rows.push(row(arrows(some[0].types), 'types', some));
      if (rejected.length) rows.push(row(plural(rejected.length, 'combination') + ' of types to be rejected', 'types', rejected.flat()));
    }
    return h('section', {id: 'matrix', class: 'card'}, h('h3', {}, 'Operators, types and targets'),
      h('p', {class: 'soft'}, '✓ all passed, ✗ failed, △ incomplete, – not run. A click on a field shows only its operator and target. ', h('span', {class: 'narrow'}, 'Types that passed everywhere are left out here for want of space.')),
      rows.length ? h('div', {class: 'scroll'}, h('table', {class: 'matrix'}, h('thead', {}, h('tr', {}, h('th', {}, ''), columns.map((target) => h('th', {scope: 'col'}, target)))),
        h('tbody', {}, rows))) : h('p', {}, 'Nothing is selected.'));
  };
  const notRun = () => h('section', {id: 'not-run', class: 'card'}, h('h3', {}, 'What was not run'),
    data.not_run.length ? h('ul', {class: 'plain'}, data.not_run.map((line) => h('li', {}, line)))
      : h('p', {}, 'Nothing: every expected target, every operator, every clause and every quota was reached.'));

  const filters = () => {
    const select = (name, label, options) => h('label', {}, h('span', {class: 'hidden-label'}, label),
      h('select', {name, onchange: (event) => { location.hash = hashFor({[name]: event.target.value}); }},
        h('option', {value: ''}, label), options.map(([value, text]) => h('option', {value, selected: filter[name] === value}, text))));
    return h('form', {class: 'filters', id: 'filters', onsubmit: (event) => event.preventDefault()},
      select('operator', 'all operators', operators.map((operator) => [operator, operator])),
      select('target', 'all targets', targets.map((target) => [target, target])),
      select('outcome', 'all outcomes', Object.entries(OUTCOMES).map(([value, {label}]) => [value, label])),
      h('label', {}, h('span', {class: 'hidden-label'}, 'text'), h('input', {type: 'search', name: 'text', placeholder: 'case, clause, text', value: filter.text,
        onchange: (event) => { location.hash = hashFor({text: event.target.value}); }})),
      h('button', {type: 'button', onclick: () => { location.hash = '#'; }}, 'show all'));
  };

  // Charts. Differences lie on an axis that is linear near zero and logarithmic beyond.
  const bend = (limit) => limit <= 8 ? (x) => x : (x) => Math.sign(x) * Math.log2(1 + Math.abs(x));
  const signed = (value) => value > 0 ? '+' + number(value) : value < 0 ? '−' + number(-value) : '0';
  const chartWidth = () => innerWidth < 700 ? Math.max(260, innerWidth - 46) : 530;
  const differenceTicks = (limit) => {
    if (limit <= 8) return Array.from({length: 2 * limit + 1}, (unused, i) => i - limit);
    const ticks = [0];
    for (let tick = 1; tick <= limit; tick *= limit > 1e4 ? 100 : 10) ticks.push(tick, -tick);
    return ticks;
  };

  const histogram = (groups) => {
    const buckets = new Map();
    for (const group of groups) {
      for (const [low, high, count] of group.histogram) {
        const bucket = buckets.get(low) || {low, high, count: 0};
        bucket.count += count;
        buckets.set(low, bucket);
      }
    }
    const bars = [...buckets.values()].sort((a, b) => a.low - b.low);
    const wrong = sum(groups, (group) => group.elements.wrong);
    const unit = groups[0].difference_unit === 'ULP' ? 'ULP' : 'integer steps';
    const caption = h('figcaption', {}, h('b', {}, 'Differences'), ` in ${unit}: found − expected, elements on a log scale`);
    if (!bars.length) return h('figure', {class: 'histogram'}, caption, h('p', {class: 'soft'}, 'No element has a distance.'));
    const width = chartWidth(), height = 230, left = 46, right = 8, top = 16, bottom = 30;
    const limit = Math.max(2, ...bars.map((bar) => Math.max(Math.abs(bar.low), Math.abs(bar.high))));
    const at = bend(limit);
    const end = at(limit + 0.6);
    const x = (value) => left + (at(value) + end) / (2 * end) * (width - left - right);
    const most = Math.max(...bars.map((bar) => bar.count));
    const decades = Math.ceil(Math.log10(Math.max(most, 9)));
    const y = (count) => height - bottom - (Math.log10(count) + 0.25) / (decades + 0.4) * (height - top - bottom);
    const grid = Array.from({length: decades + 1}, (unused, i) => 10 ** i).map((count) => [
      svg('line', {class: 'grid', x1: left, x2: width - right, y1: y(count), y2: y(count)}),
      svg('text', {x: left - 6, y: y(count) + 4, 'text-anchor': 'end'}, count < 1e4 ? number(count) : count < 1e6 ? count / 1e3 + ' k' : count < 1e9 ? count / 1e6 + ' M' : count / 1e9 + ' G')]);
    const body = bars.map((bar) => {
      const from = x(bar.low - 0.42), to = Math.max(x(bar.high + 0.42), from + 2);
      const range = bar.low === bar.high ? signed(bar.low) : `${signed(bar.low)} to ${signed(bar.high)}`;
      return [svg('rect', {class: bar.low === 0 ? 'zero' : wrong ? 'off' : 'near', x: from, y: y(bar.count), width: to - from, height: height - bottom - y(bar.count)},
        svg('title', {}, `${range}: ${plural(bar.count, 'element')}`)),
        bars.length <= 9 && to - from > 14 && svg('text', {class: 'value', x: (from + to) / 2, y: y(bar.count) - 4, 'text-anchor': 'middle'}, number(bar.count))];
    });
    const ticks = differenceTicks(limit).map((tick) => svg('text', {x: x(tick), y: height - bottom + 15, 'text-anchor': 'middle'}, signed(tick)));
    const equal = sum(bars.filter((bar) => bar.low === 0), (bar) => bar.count), all = sum(bars, (bar) => bar.count);
    return h('figure', {class: 'histogram'}, caption,
      svg('svg', {viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': `${number(equal)} of ${number(all)} elements are equal`},
        grid, body, svg('line', {class: 'axis', x1: left, x2: width - right, y1: height - bottom, y2: height - bottom}), ticks),
      h('p', {class: 'finding'}, equal === all ? `All ${number(all)} elements are equal.` : `${plural(all - equal, 'element')} of ${number(all)} differ, from ${signed(bars[0].low)} to ${signed(bars[bars.length - 1].high)}.`));
  };

  const NEAR = 2 ** -12;  // within this of a tie binary32 arithmetic starts to matter
  const finding = (points, faulty) => {
    const all = sum(points, (point) => point[2]);
    const ties = sum(points.filter((point) => point[0] === 0), (point) => point[2]);
    const near = sum(points.filter((point) => point[0] < NEAR), (point) => point[2]);
    if (!all) return faulty ? 'No difference has a distance to a tie: the faults are of another kind, see below.' : 'No element differs.';
    const sampled = plural(all, 'sampled difference');
    if (ties === all) return `Only at ties: all of ${sampled} lie exactly on a rounding tie. Ties are rounded another way; everything else is right.`;
    if (near === all) return `Only near ties: all of ${sampled} lie within 2⁻¹² of a tie, ${number(ties)} exactly on one. The rounding is right, the value before it is not exact enough.`;
    return `Not only near ties: of ${sampled}, ${percent(ties, all)} lie on a tie and ${percent(all - near, all)} far from one. This is not a matter of rounding.`;
  };
  const scatter = (groups) => {
    const series = unique(groups.map((group) => group.target)).map((target) => {
      const points = new Map();
      for (const group of groups.filter((other) => other.target === target)) {
        for (const [distance, difference, count] of group.points) {
          const key = distance + '/' + difference;
          points.set(key, [distance, difference, (points.get(key) || [0, 0, 0])[2] + count]);
        }
      }
      return {target, points: [...points.values()]};
    }).filter((one) => one.points.length);
    const equal = groups.flatMap((group) => group.equal_points);
    const differing = series.flatMap((one) => one.points);
    const caption = h('figcaption', {}, h('b', {}, 'Difference against distance to the nearest tie'), ', a sample');
    const faulty = groups.some((group) => group.elements.wrong);
    if (!differing.length && !equal.length) return h('figure', {class: 'scatter'}, caption, h('p', {class: 'soft'}, 'Nothing was rounded, or the cases were too large for the golden model.'));
    const width = chartWidth(), height = 238, left = 46, right = 10, top = 12, bottom = 38, band = 44;
    const distances = [...differing, ...equal].map((point) => point[0]).filter((distance) => distance > 0);
    const smallest = Math.max(1e-9, Math.min(1e-3, ...distances));
    const low = Math.floor(Math.log10(smallest)), high = Math.log10(0.5);
    const x = (distance) => distance === 0 ? left + band / 2 : left + band + 8 + Math.max(0, Math.log10(distance) - low) / (high - low) * (width - left - band - 8 - right);
    const limit = Math.max(2, ...differing.map((point) => Math.abs(point[1])));
    const at = bend(limit), end = at(limit) * 1.1;
    const y = (difference) => top + (end - at(difference)) / (2 * end) * (height - top - bottom);
    const ticks = differenceTicks(limit).filter((tick) => limit > 8 || limit <= 4 || tick % 2 === 0).map((tick) => [
      svg('line', {class: tick ? 'grid' : 'axis', x1: left, x2: width - right, y1: y(tick), y2: y(tick)}),
      svg('text', {x: left - 6, y: y(tick) + 4, 'text-anchor': 'end'}, signed(tick))]);
    const decades = [];
    for (let decade = low; decade < 0; decade += Math.max(1, Math.ceil(-low / 6))) {
      decades.push(svg('text', {x: x(10 ** decade), y: height - bottom + 16, 'text-anchor': 'middle'}, decade === -1 ? '0.1' : '10' + [...String(decade)].map((c) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(c)]).join('')));
    }
    // Dots that would hide one another are one.
    const thin = (points) => {
      const cells = new Map();
      for (const [distance, difference, count] of points) {
        const cell = Math.round(x(distance) / 4) + ' ' + Math.round(y(difference) / 4);
        const dot = cells.get(cell);
        if (dot) dot[2] += count;
        else cells.set(cell, [distance, difference, count]);
      }
      return [...cells.values()];
    };
    const dot = ([distance, difference, count], kind, name) => svg('circle', {class: kind, cx: x(distance), cy: y(difference), r: kind === 'equal' ? 2 : 3 + Math.log10(count) * 1.6, 'fill-opacity': 0.75},
      svg('title', {}, `${name}: ${signed(difference)} at distance ${distance === 0 ? '0 (a tie)' : distance}, ${plural(count, 'element')}`));
    return h('figure', {class: 'scatter'}, caption,
      svg('svg', {viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': finding(differing, faulty)},
        svg('rect', {class: 'tie', x: left, y: top, width: band, height: height - top - bottom}), ticks,
        svg('text', {x: left + band / 2, y: height - bottom + 16, 'text-anchor': 'middle'}, 'tie'), decades,
        svg('text', {x: width - right, y: height - 4, 'text-anchor': 'end'}, 'distance to the tie; 0.5 lies midway between two'),
        thin(equal).map((point) => dot(point, 'equal', 'equal')), series.map((one) => thin(one.points).map((point) => dot(point, targetClass(one.target), one.target)))),
      h('div', {class: 'legend'}, series.map((one) => h('span', {class: targetClass(one.target)}, '● ' + one.target)), equal.length > 0 && h('span', {class: 'equal'}, '● equal')),
      h('p', {class: 'finding' + (differing.length || faulty ? ' bad' : '')}, finding(differing, faulty)));
  };

  const FAULTS = {untouched: 'left unwritten', overwritten: 'written although they must stay', unstable: 'dependent on what the output held before'};
  const shares = (groups) => {
    const fact = (name) => sum(groups, (group) => group.facts[name]);
    const known = fact('elements');
    const share = (text, count, whole) => h('div', {class: 'share'}, h('b', {}, whole === undefined ? number(count) : percent(count, whole)), text, whole !== undefined && ` (${number(count)})`);
    const other = [];
    for (const [fault, text] of Object.entries(FAULTS)) {
      const count = sum(groups, (group) => group.faults[fault]);
      if (count) other.push(share('elements ' + text, count));
    }
    const mismatches = sum(groups, (group) => group.nan_mismatches);
    if (mismatches) other.push(share('NaN on one side only', mismatches));
    return h('div', {class: 'shares'}, share('elements whose exact evaluation is known', known), share('at a tie of round()', fact('ties'), known),
      fact('output_ties') > 0 && share('at a tie of the output type', fact('output_ties'), known),
      share('clamped low', fact('clamped_low'), known), share('clamped high', fact('clamped_high'), known), other);
  };

  // The evidence of a case, best of the very target.
  const evidenceOf = (operator, id, target) => {
    const all = data.evidence.filter((evidence) => evidence.operator === operator && evidence.id === id);
    return all.find((evidence) => evidence.target === target) || all[0];
  };
  const evidenceBody = (evidence, repeat) => {
    const vector = evidence && evidence.vector !== null ? data.vectors[evidence.vector] : null;
    return [copyable('Repeat', (evidence && evidence.repeat) || repeat, true),
      vector && copyable('Counterexample, a file of test vectors', vector),
      evidence && evidence.explanation && copyable(`Explanation of element ${Math.max(evidence.element, 0)}`, evidence.explanation)];
  };
  const place = (failure) => failure.output + (failure.index.startsWith('[') ? '' : ' ') + failure.index;
  const failureLine = (failure) => h('li', {}, h('code', {}, place(failure)), ': expected ', h('b', {}, failure.expected), ', got ', h('b', {}, failure.found),
    failure.difference_text && ', ' + failure.difference_text, failure.reason && h('span', {class: 'soft'}, ' ' + failure.reason));

  const worst = (groups) => {
    const size = (entry) => entry.failure.difference === null ? Infinity : Math.abs(entry.failure.difference);
    const entries = groups.flatMap((group) => group.worst.map((entry) => ({...entry, group}))).filter((entry) => matchesText(entry.id, entry.file))
      .sort((a, b) => size(b) - size(a) || Boolean(evidenceOf(b.group.operator, b.id)) - Boolean(evidenceOf(a.group.operator, a.id)));
    const seen = new Set();
    const few = entries.filter((entry) => !seen.has(entry.id) && seen.add(entry.id)).slice(0, 5);
    if (!few.length) return null;
    return h('div', {class: 'worst'}, h('p', {style: 'margin-top:.8rem'}, h('b', {}, 'Worst cases')), few.map((entry) => h('details', {},
      h('summary', {}, h('b', {class: 'bad'}, entry.failure.difference_text || 'no distance'), ' at ', h('code', {}, place(entry.failure)), ' of ', h('b', {}, entry.id), ' on ' + entry.group.target,
        entry.tie_distance !== null && h('span', {class: 'soft'}, entry.tie_distance === 0 ? ', exactly at a tie' : `, ${entry.tie_distance.toPrecision(3)} from a tie`)),
      h('div', {class: 'body'}, h('ul', {class: 'plain'}, failureLine(entry.failure)),
        evidenceBody(evidenceOf(entry.group.operator, entry.id, entry.group.target), `qconform run ${entry.file} (case ${entry.id})`)))));
  };
  const operatorCards = () => {
    const groups = selectedGroups();
    return h('section', {id: 'operators'}, h('h2', {}, 'Operators'), operators.map((operator) => {
      const own = groups.filter((group) => group.operator === operator);
      if (!own.length) return null;
      const counts = tally(own);
      return h('article', {class: 'card operator-card', 'data-operator': operator}, h('h3', {}, operator, ' ', tag(outcomeOf(counts))),
        h('p', {class: 'soft'}, data.titles[operator], data.titles[operator] && ' · ', unique(own.map((group) => group.target)).join(', ')),
        h('p', {}, `${number(counts.passed)} of ${plural(counts.all, 'case')} passed, ${plural(counts.wrong, 'wrong element')}, ${number(counts.explained)} explained.`),
        h('div', {class: 'charts'}, histogram(own), scatter(own)), shares(own), worst(own));
    }), !groups.length && h('p', {}, 'Nothing is selected.'));
  };

  const statusTag = (status) => tag(status === 'passed' ? 'passed' : status === 'absent' || status === 'unsupported' ? 'absent' : status === 'expected-failure' ? 'partly' : 'failed', status);
  const failures = () => {
    const selected = data.failures.filter((entry) => (!filter.operator || entry.operator === filter.operator) && (!filter.target || entry.target === filter.target) &&
      (!filter.outcome || (entry.status === 'expected-failure' ? 'partly' : 'failed') === filter.outcome) && matchesText(entry.operator, entry.id, entry.title, entry.file, entry.reason));
    const total = data.failures.length + data.failures_unlisted;
    return h('section', {id: 'failures'}, h('h2', {}, `Cases that did not pass (${number(total)})`),
      !total && h('p', {}, 'None.'),
      total > 0 && h('p', {class: 'soft'}, `${number(selected.length)} shown` + (data.failures_unlisted ? `; ${number(data.failures_unlisted)} more are in the JSON results` : '') + '.'),
      selected.map((entry) => h('details', {class: 'failure', 'data-target': entry.target, 'data-operator': entry.operator},
        h('summary', {}, statusTag(entry.status), ' ', h('b', {}, entry.id), ' on ' + entry.target + ' ', h('span', {class: 'soft'}, entry.title + ' · ' + entry.operator + ' ' + arrows(entry.types))),
        h('div', {class: 'body'}, entry.reason && h('p', {}, entry.reason), entry.variation && h('p', {}, 'Executed with ' + entry.variation + '.'),
          h('ul', {class: 'plain'}, entry.failures.map(failureLine), entry.failure_count > entry.failures.length && h('li', {}, `and ${plural(entry.failure_count - entry.failures.length, 'more element')}`)),
          entry.file && h('p', {class: 'soft'}, entry.file), evidenceBody(data.evidence.find((evidence) => evidence.operator === entry.operator && evidence.id === entry.id && evidence.target === entry.target), entry.repeat)))));
  };

  const clauses = () => {
    const kinds = {passed: 'passed', failed: 'failed', incomplete: 'partly', 'not covered': 'absent'};
    const selected = data.clauses.filter((clause) => (!filter.operator || clause.operator === filter.operator) && (!filter.outcome || kinds[clause.outcome] === filter.outcome) &&
      matchesText(clause.id, clause.question, clause.decision));
    const covered = data.clauses.filter((clause) => clause.cases).length;
    return h('section', {id: 'clauses'}, h('h2', {}, 'Clauses'), h('p', {class: 'soft'}, `${number(covered)} of ${number(data.clauses.length)} have cases. A clause is what a document says, or what was decided where it is silent.`),
      unique(selected.map((clause) => clause.operator)).map((operator) => h('div', {class: 'card long'}, h('h3', {}, operator),
        table(['clause', 'decision', {number: 'cases'}, 'outcome'], selected.filter((clause) => clause.operator === operator).map((clause) => h('tr', {'data-clause': clause.id},
          h('td', {}, h('b', {}, clause.id)), h('td', {}, h('b', {}, clause.question), h('br'), h('span', {class: 'soft'}, clause.decision)),
          h('td', {class: 'number', 'data-label': 'cases'}, clause.failed ? `${number(clause.failed)} failed of ${number(clause.cases)}` : number(clause.cases)), h('td', {}, tag(kinds[clause.outcome], clause.outcome)))), {class: 'stack'}))));
  };

  const gate = () => {
    const {stages, ratchet} = data.gate;
    if (!stages.length && !ratchet.length) return null;
    return h('section', {id: 'gate'}, h('h2', {}, 'Gate'),
      stages.length > 0 && h('div', {class: 'card'}, h('h3', {}, 'Stages beside the cases'), table(['stage', {number: 'executed'}, {number: 'failed'}, {number: 'seconds'}, 'outcome'], stages.map((stage) => h('tr', {},
        h('td', {}, stage.name, stage.failures.length > 0 && h('ul', {class: 'plain soft'}, stage.failures.map((line) => h('li', {}, line)))), h('td', {class: 'number'}, number(stage.executed)),
        h('td', {class: 'number'}, number(stage.failed)), h('td', {class: 'number'}, stage.seconds.toFixed(1)), h('td', {}, tag(stage.failed ? 'failed' : stage.executed ? 'passed' : 'absent')))))),
      ratchet.length > 0 && h('div', {class: 'card'}, h('h3', {}, 'Ratchet: largest differences may only shrink'), table(['operator', 'types', 'target', 'permitted', {number: 'recorded'}, {number: 'observed'}, 'outcome'],
        ratchet.map((row) => h('tr', {}, h('td', {}, row.operator), h('td', {}, arrows(row.types)), h('td', {}, row.target || 'all'), h('td', {}, row.permitted), h('td', {class: 'number'}, number(row.recorded) + ' ' + (row.unit === 'ULP' ? 'ULP' : '')),
          h('td', {class: 'number'}, number(row.observed)), h('td', {}, tag(row.outcome === 'worse' ? 'failed' : 'passed', row.outcome)))))));
  };

  const comparison = () => {
    const change = data.comparison;
    if (!change) return null;
    const arrow = (before, after) => h('span', {}, before, ' → ', h('b', {}, after));
    const shown = change.cases.filter((entry) => (!filter.operator || entry.operator === filter.operator) && (!filter.target || entry.target === filter.target) && matchesText(entry.id));
    return h('section', {id: 'comparison'}, h('h2', {}, 'Compared with the older results'), h('div', {class: 'card long'},
      h('p', {}, 'Verdict: ', arrow(change.before, change.after), change.empty && '. Nothing changed.'),
      change.transitions.length > 0 && [h('h3', {}, 'Cases'), h('ul', {class: 'plain'}, change.transitions.map(([before, after, count]) => h('li', {}, plural(count, 'case') + ': ', statusTag(before), ' → ', statusTag(after))))],
      shown.length > 0 && table(['case', 'operator', 'target', 'before', 'after'], shown.map((entry) => h('tr', {}, h('td', {}, h('b', {}, entry.id)), h('td', {}, entry.operator), h('td', {}, entry.target), h('td', {}, statusTag(entry.before)), h('td', {}, statusTag(entry.after)))), {class: 'stack'}),
      change.groups.length > 0 && [h('h3', {}, 'Elements'), table(['operator', 'types', 'target', {number: 'exact'}, {number: 'explained'}, {number: 'wrong'}, {number: 'largest difference'}], change.groups.map((entry) => h('tr', {}, h('td', {}, entry.operator), h('td', {}, arrows(entry.types)), h('td', {}, entry.target),
        ['exact', 'explained', 'wrong'].map((name) => h('td', {class: 'number', 'data-label': name}, entry.before[name] === entry.after[name] ? number(entry.after[name]) : arrow(number(entry.before[name]), number(entry.after[name])))),
        h('td', {class: 'number', 'data-label': 'largest difference'}, arrow(number(entry.largest_before), number(entry.largest_after))))), {class: 'stack'})],
      change.clauses.length > 0 && [h('h3', {}, 'Clauses'), h('ul', {class: 'plain'}, change.clauses.map(([name, before, after]) => h('li', {}, name + ': ', arrow(before, after))))],
      change.setup.length > 0 && [h('h3', {}, 'Set-up'), h('ul', {class: 'plain'}, change.setup.map(([name, before, after]) => h('li', {}, name + ': ', arrow(before || 'none', after || 'none'))))]));
  };

  // Files of other programs: shown as they are if they are not what is known.
  const raw = (value) => h('pre', {}, JSON.stringify(value, null, 1).slice(0, 20000));
  const mutants = () => {
    const matrix = data.mutants;
    if (!matrix) return null;
    const list = Array.isArray(matrix) ? matrix : matrix.mutants;
    if (!Array.isArray(list) || !list.every((mutant) => mutant && mutant.kills && typeof mutant.kills === 'object')) return h('section', {id: 'mutants'}, h('h2', {}, 'Mutants'), h('div', {class: 'card'}, raw(matrix)));
    const sources = unique(list.flatMap((mutant) => Object.keys(mutant.kills)));
    const killed = (mutant) => sources.some((source) => mutant.kills[source]);
    const selected = list.filter((mutant) => (!filter.operator || mutant.operator === filter.operator) && (!filter.outcome || (killed(mutant) ? 'passed' : 'failed') === filter.outcome) && matchesText(mutant.name, mutant.description));
    return h('section', {id: 'mutants'}, h('h2', {}, 'Mutants'), h('p', {class: 'soft'}, `${number(list.filter(killed).length)} of ${number(list.length)} faulty implementations are found. `,
      sources.map((source) => `${source}: ${number(list.filter((mutant) => mutant.kills[source]).length)}`).join(', '), '.'),
      h('div', {class: 'card long'}, table(['operator', 'fault', ...sources, 'outcome'], selected.map((mutant) => h('tr', {'data-mutant': mutant.name}, h('td', {}, mutant.operator), h('td', {}, h('b', {}, mutant.name), h('br'), h('span', {class: 'soft'}, mutant.description)),
        sources.map((source) => h('td', {'data-label': source}, mutant.kills[source] ? [h('span', {class: 'good'}, '✓ '), h('small', {}, mutant.kills[source])] : h('span', {class: 'none'}, '– not found'))),
        h('td', {}, tag(killed(mutant) ? 'passed' : 'failed', killed(mutant) ? 'killed' : 'survived')))), {class: 'stack'})));
  };
  const speed = () => {
    if (!data.speed) return null;
    const problems = data.speed.results;
    if (!Array.isArray(problems) || !problems.every((problem) => problem && Array.isArray(problem.implementations))) return h('section', {id: 'speed'}, h('h2', {}, 'Speed'), h('div', {class: 'card'}, raw(data.speed)));
    return h('section', {id: 'speed'}, h('h2', {}, 'Speed'), problems.filter((problem) => matchesText(problem.problem)).map((problem) => {
      const best = Math.max(...problem.implementations.map((one) => one.speed), 1e-9);
      return h('div', {class: 'card'}, h('h3', {}, problem.problem),
        problem.ratio_to_best_peer > 0 && h('p', {class: 'soft'}, `${problem.ratio_to_best_peer.toFixed(2)} times the best peer` + (problem.ratio_to_best_peer_without_wrong_output > 0 ? `, ${problem.ratio_to_best_peer_without_wrong_output.toFixed(2)} times the best peer without a wrong output` : '') + '.'),
        table(['implementation', {number: problem.unit || 'speed'}, '', {number: 'wrong outputs'}], problem.implementations.map((one) => h('tr', {}, h('td', {}, one.implementation), h('td', {class: 'number'}, Number(one.speed).toPrecision(4)),
          h('td', {style: 'width:35%'}, h('div', {class: 'meter' + (String(one.implementation).startsWith('qconform') ? ' own' : '')}, h('i', {style: `width:${Math.max(0, Math.min(100, 100 * one.speed / best)).toFixed(1)}%`}))),
          h('td', {class: 'number'}, one.wrong < 0 || one.wrong === undefined ? '' : `${number(one.wrong)} of ${number(one.outputs)}`)))));
    }));
  };

  const quality = () => {
    const selected = data.quotas.filter(([operator, counter]) => (!filter.operator || operator === filter.operator) && matchesText(counter));
    return h('section', {id: 'quality'}, h('h2', {}, 'How hard the inputs were'), unique(selected.map(([operator]) => operator)).map((operator) => {
      const rows = selected.filter(([other]) => other === operator);
      const unmet = rows.filter(([, , count, minimum]) => count < minimum).length;
      return h('details', {}, h('summary', {}, operator, ' ', unmet ? tag('failed', plural(unmet, 'quota') + ' not met') : h('span', {class: 'soft'}, plural(rows.length, 'counter'))), h('div', {class: 'body'},
        table(['counter', {number: 'count'}, {number: 'minimum'}, ''], rows.map(([, counter, count, minimum]) => h('tr', {}, h('td', {}, counter), h('td', {class: 'number'}, number(count)), h('td', {class: 'number'}, minimum ? number(minimum) : ''), h('td', {}, minimum ? tag(count >= minimum ? 'passed' : 'failed', count >= minimum ? 'met' : 'not met') : ''))))));
    }), !data.quotas.length && h('p', {}, 'Nothing was counted.'));
  };
  const setup = () => h('section', {id: 'setup'}, h('h2', {}, 'What these results are bound to'), h('div', {class: 'card'}, h('dl', {class: 'setup'}, Object.entries(data.setup).map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]))));

  const page = document.getElementById('page');
  const render = () => {
    readFilter();
    document.getElementById('page').replaceChildren(...[verdict(), filters(), matrix(), notRun(), comparison(), operatorCards(), failures(), gate(), clauses(), mutants(), speed(), quality(), setup()].filter(Boolean));
    root.dataset.ready = String(Number(root.dataset.ready || 0) + 1);
  };
  addEventListener('hashchange', render);
  let width = innerWidth, timer = 0;
  addEventListener('resize', () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (innerWidth !== width) { width = innerWidth; render(); }
    }, 150);
  });
  // On paper nothing can be opened.
  let closed = [];
  addEventListener('beforeprint', () => {
    closed = [...page.querySelectorAll('details:not([open])')];
    for (const details of closed) details.open = true;
  });
  addEventListener('afterprint', () => { for (const details of closed) details.open = false; });
  render();
  root.dataset.milliseconds = (performance.now() - started).toFixed(0);
})();
