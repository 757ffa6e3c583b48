// The charts of an operator. Differences lie on an axis that is linear near zero and logarithmic
// beyond.

const bend = (limit) =>
    limit <= 8 ? (x) => x : (x) => Math.sign(x) * Math.log2(1 + Math.abs(x));
const signed = (value) =>
    (value > 0 ? '+' : value < 0 ? '−' : '') + number(Math.abs(value));
const chartWidth = () => innerWidth < 700 ? Math.max(260, innerWidth - 46) : 560;
const differenceTicks = (limit) => {
  if (limit <= 8) return Array.from({length: 2 * limit + 1}, (unused, i) => i - limit);
  const ticks = [0];
  for (let tick = 1; tick <= limit; tick *= limit > 1e4 ? 100 : 10) ticks.push(tick, -tick);
  return ticks;
};
const short = (count) => count < 1e4 ? number(count) :
    count < 1e6                      ? count / 1e3 + ' k' :
    count < 1e9                      ? count / 1e6 + ' M' :
                                       count / 1e9 + ' G';
const label = (x, y, anchor, text, kind) =>
    svg('text', {x, y, 'text-anchor': anchor, 'class': kind}, text);
const line = (kind, x1, x2, y1, y2) => svg('line', {class: kind, x1, x2, y1, y2});
const drawing = (width, height, name, ...children) => svg(
    'svg', {viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': name},
    children);

const mergedBuckets = (groups) => {
  const buckets = new Map();
  for (const [low, high, count] of groups.flatMap((group) => group.histogram)) {
    const bucket = buckets.get(low) || {low, high, count: 0};
    bucket.count += count;
    buckets.set(low, bucket);
  }
  return [...buckets.values()].sort((a, b) => a.low - b.low);
};
const differing = (groups) =>
    sum(mergedBuckets(groups), (bucket) => bucket.low === 0 ? 0 : bucket.count);
const histogramFinding = (bars, off, wrong) => {
  const all = number(sum(bars, (bar) => bar.count));
  if (off) {
    return plural(off, 'element') + ' of ' + all + ' differ, from ' + signed(bars[0].low) +
        ' to ' + signed(bars[bars.length - 1].high) + '.';
  }
  return wrong ? 'All ' + all + ' elements that have a distance are equal; ' + number(wrong) +
          ' wrong ones have none.' :
                 'All ' + all + ' elements are equal.';
};
const histogram = (groups) => {
  const bars = mergedBuckets(groups);
  const unit = groups[0].difference_unit === 'ULP' ? 'ULP' : 'integer steps';
  const caption = h(
      'figcaption', {}, bold('Differences'), ' in ', unit,
      ': found − expected, elements on a log scale');
  if (!bars.length) {
    return h(
        'figure', {class: 'histogram'}, caption, softParagraph('No element has a distance.'));
  }
  const width = chartWidth(), height = 230, left = 46, right = 8, top = 16, bottom = 30;
  const floor = height - bottom;
  const limit =
      Math.max(2, ...bars.map((bar) => Math.max(Math.abs(bar.low), Math.abs(bar.high))));
  const at = bend(limit);
  const end = at(limit + 0.6);
  const x = (value) => left + (at(value) + end) / (2 * end) * (width - left - right);
  const most = Math.max(9, ...bars.map((bar) => bar.count));
  const decades = Math.ceil(Math.log10(most));
  const y = (count) =>
      floor - (Math.log10(count) + 0.25) / (decades + 0.4) * (height - top - bottom);
  const grid = Array.from({length: decades + 1}, (unused, i) => 10 ** i).map((count) => [
    line('grid', left, width - right, y(count), y(count)),
    label(left - 6, y(count) + 4, 'end', short(count)),
  ]);
  const wrong = sum(groups, (group) => group.elements.wrong);
  const body = bars.map(({low, high, count}) => {
    const from = x(low - 0.42), to = Math.max(x(high + 0.42), from + 2);
    const range = low === high ? signed(low) : signed(low) + ' to ' + signed(high);
    const attributes = {
      class: low === 0 ? 'zero' : wrong ? 'off' : 'near',
      x: from,
      y: y(count),
      width: to - from,
      height: floor - y(count),
    };
    return [
      svg('rect', attributes, svg('title', {}, range + ': ' + plural(count, 'element'))),
      bars.length <= 9 && to - from > 14 &&
          label((from + to) / 2, y(count) - 4, 'middle', number(count), 'value'),
    ];
  });
  const ticks =
      differenceTicks(limit).map((tick) => label(x(tick), floor + 15, 'middle', signed(tick)));
  const off = differing(groups);
  const text = histogramFinding(bars, off, wrong);
  const byTarget = unique(groups.map((group) => group.target)).map((target) => {
    const own = groups.filter((group) => group.target === target);
    return target + '\u00a0' + number(differing(own));
  });
  return h(
      'figure', {class: 'histogram'}, caption,
      drawing(width, height, text, grid, body, line('axis', left, width - right, floor, floor),
              ticks),
      h('p', {class: 'finding'}, text, ' ',
        off > 0 && byTarget.length > 1 && soft('By target: ', byTarget.join(', '), '.')));
};

// What is wrong with elements beside their values, as [count, text].
const FAULTS = {
  untouched: 'elements left unwritten',
  overwritten: 'elements written although they must stay',
  unstable: 'elements dependent on what the output held before',
};
const faultsOf = (groups) => [
  ...Object.entries(FAULTS).map(
      ([fault, text]) => [sum(groups, (group) => group.faults[fault]), text]),
  [sum(groups, (group) => group.nan_mismatches), 'elements NaN on one side only'],
].filter(([count]) => count > 0);

// Within this of a tie binary32 arithmetic starts to matter.
const NEAR = 2 ** -12;
const finding = (points, groups) => {
  const count = (some) => sum(some, (point) => point[2]);
  const all = count(points);
  const ties = count(points.filter((point) => point[0] === 0));
  const near = count(points.filter((point) => point[0] < NEAR));
  if (!all) {
    if (!groups.some((group) => group.elements.wrong)) return 'No element differs.';
    const faults = faultsOf(groups).map(([many, text]) => number(many) + ' ' + text);
    return ['No difference has a distance to a tie: the faults are of another kind']
               .concat(faults.join(', ') || [])
               .join(': ') +
        '.';
  }
  const sampled = plural(all, 'sampled difference');
  if (ties === all) {
    return 'Only at ties: all of ' + sampled + ' lie exactly on a rounding tie. ' +
        'Ties are rounded another way; everything else is right.';
  }
  if (near === all) {
    return 'Only near ties: all of ' + sampled + ' lie within 2⁻¹² of a tie, ' + number(ties) +
        ' exactly on one. The rounding is right, the value before it is not exact enough.';
  }
  return 'Not only near ties: of ' + sampled + ', ' + percent(ties, all) + ' lie on a tie and ' +
      percent(all - near, all) + ' far from one. This is not a matter of rounding.';
};

// [distance, difference, count] of one target; what lies at the same place is one.
const mergedPoints = (groups) => {
  const points = new Map();
  for (const [distance, difference, count] of groups.flatMap((group) => group.points)) {
    const key = distance + '/' + difference;
    const point = points.get(key);
    if (point) {
      point[2] += count;
    } else {
      points.set(key, [distance, difference, count]);
    }
  }
  return [...points.values()];
};
// Dots that would hide one another are one; so are neighbours, where dots are many.
const MOST_DOTS = 600;  // of a chart
const thinned = (points, x, y, most) => {
  for (let size = 4;; size *= 1.5) {
    const cells = new Map();
    for (const [distance, difference, count] of points) {
      const place =
          Math.round(x(distance) / size) + ' ' + Math.round(y(difference) / size);
      const dot = cells.get(place);
      if (dot) {
        dot[2] += count;
      } else {
        cells.set(place, [distance, difference, count]);
      }
    }
    if (cells.size <= most) return [...cells.values()];
  }
};
const powerOfTen = (exponent) => exponent === -1 ?
    '0.1' :
    '10' + [...String(exponent)].map((c) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(c)]).join('');
const dot = (cx, cy, kind, name, [distance, difference, count]) => {
  const place = distance === 0 ? '0 (a tie)' : distance;
  const title = name + ': ' + signed(difference) + ' at distance ' + place + ', ' +
      plural(count, 'element');
  const r = kind === 'equal' ? 2 : 3 + Math.log10(count) * 1.6;
  return svg(
      'circle', {'class': kind, cx, cy, r, 'fill-opacity': 0.75}, svg('title', {}, title));
};
const scatter = (groups) => {
  const ofTarget = (target) => groups.filter((group) => group.target === target);
  const series =
      unique(groups.map((group) => group.target))
          .map((target) => ({target, points: mergedPoints(ofTarget(target))}))
          .filter((one) => one.points.length);
  const equal = groups.flatMap((group) => group.equal_points);
  const off = series.flatMap((one) => one.points);
  const caption = h(
      'figcaption', {}, bold('Difference against distance to the nearest tie'), ', a sample');
  const faulty = groups.some((group) => group.elements.wrong);
  if (!off.length && !equal.length) {
    return h(
        'figure', {class: 'scatter'}, caption,
        softParagraph(
            'Nothing was rounded, or the cases were too large for the golden model.'),
        faulty && h('p', {class: 'finding bad'}, finding(off, groups)));
  }
  const width = chartWidth(), height = 238, left = 46, right = 10, top = 12, bottom = 38;
  const floor = height - bottom, band = 44;
  // Left the band of ties, then distances on a log scale.
  const distances =
      [...off, ...equal].map((point) => point[0]).filter((distance) => distance > 0);
  const smallest = Math.max(1e-9, distances.reduce((a, b) => Math.min(a, b), 1e-3));
  const low = Math.floor(Math.log10(smallest)), high = Math.log10(0.5);
  const start = left + band + 8;
  const x = (distance) => distance === 0 ?
      left + band / 2 :
      start + Math.max(0, Math.log10(distance) - low) / (high - low) * (width - start - right);
  const limit = off.reduce((most, point) => Math.max(most, Math.abs(point[1])), 2);
  const at = bend(limit), end = at(limit) * 1.1;
  const y = (difference) =>
      top + (end - at(difference)) / (2 * end) * (height - top - bottom);
  const shownTicks = differenceTicks(limit).filter(
      (tick) => limit > 8 || limit <= 4 || tick % 2 === 0);
  const ticks = shownTicks.map((tick) => [
    line(tick ? 'grid' : 'axis', left, width - right, y(tick), y(tick)),
    label(left - 6, y(tick) + 4, 'end', signed(tick)),
  ]);
  const decades = [];
  for (let decade = low; decade < 0; decade += Math.max(1, Math.ceil(-low / 6))) {
    decades.push(label(x(10 ** decade), floor + 16, 'middle', powerOfTen(decade)));
  }
  const most = Math.ceil(MOST_DOTS / (series.length + 1));
  const dots = (points, kind, name) => thinned(points, x, y, most).map(
      (point) => dot(x(point[0]), y(point[1]), kind, name, point));
  const text = finding(off, groups);
  const chart = drawing(
      width, height, text,
      svg('rect', {class: 'tie', x: left, y: top, width: band, height: floor - top}), ticks,
      label(left + band / 2, floor + 16, 'middle', 'tie'), decades,
      label(width - right, height - 4, 'end',
            'distance to the tie; 0.5 lies midway between two'),
      dots(equal, 'equal', 'equal'),
      series.map((one) => dots(one.points, targetClass(one.target), one.target)));
  const legend = [
    ...series.map((one) => h('span', {class: targetClass(one.target)}, '● ', one.target)),
    equal.length > 0 && h('span', {class: 'equal'}, '● equal'),
  ];
  return h(
      'figure', {class: 'scatter'}, caption, chart, h('div', {class: 'legend'}, legend),
      h('p', {class: 'finding' + (off.length || faulty ? ' bad' : '')}, text));
};
