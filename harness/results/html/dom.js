// Elements from calls. Text enters the document only as text nodes and attributes, never as markup.
// The scripts beside this one are put together, in the order of CMakeLists.txt, to one function.

const started = performance.now();
const root = document.documentElement;
const fail = (message) => {
  root.dataset.error = message;
  document.body.prepend(h('p', {class: 'error'}, 'This page is broken: ' + message));
};
addEventListener('error', (event) => fail(event.message));

const isShown = (child) => child !== null && child !== undefined && child !== false;
const build = (node, attributes, children) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) {
      node.addEventListener(name.slice(2), value);
    } else if (isShown(value)) {
      node.setAttribute(name, value === true ? '' : value);
    }
  }
  node.append(...children.flat(4).filter(isShown));
  return node;
};
// h('td', {class: 'number'}, 'text', node, [nodes]); svg likewise.
const h = (tag, attributes, ...children) =>
    build(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
    build(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

// Long names may break after their underscores, clause ids nowhere.
const breakable = (text) =>
    text.split(/(?<=_)|([A-Z]{2}-\d+)/).filter(Boolean).map((part) => {
      if (part.endsWith('_')) return [part, h('wbr', {})];
      return /^[A-Z]{2}-\d+$/.test(part) ? h('span', {class: 'name'}, part) : part;
    });
const bold = (...children) => h('b', {}, children);
const soft = (...children) => h('span', {class: 'soft'}, children);
const paragraph = (...children) => h('p', {}, children);
const softParagraph = (...children) => h('p', {class: 'soft'}, children);
const list = (items, tone) =>
    h('ul', {class: 'plain ' + (tone || '')},
      items.filter(isShown).map((item) => h('li', {}, item)));

// Making a format takes longer than all else that a dot needs.
const format = new Intl.NumberFormat('en-US');
const number = (value) => format.format(value);
const plural = (count, one) => number(count) + ' ' + one + (count === 1 ? '' : 's');
const percent = (part, whole) => {
  if (!whole) return 'none';
  const value = 100 * part / whole;
  return (value && value < 0.1 ? '< 0.1' : value.toFixed(1)) + ' %';
};
const arrows = (types) => types.replace('->', ' → ');
const sum = (items, value) => items.reduce((total, item) => total + (value(item) || 0), 0);
const unique = (items) => [...new Set(items)];

// Columns are texts, or {number: text} of numbers.
const table = (head, rows, attributes) => {
  const column = (title) => title.number === undefined ?
      h('th', {}, title) :
      h('th', {class: 'number'}, title.number);
  return h(
      'div', {class: 'scroll'},
      h('table', attributes || {}, h('thead', {}, h('tr', {}, head.map(column))),
        h('tbody', {}, rows)));
};

// A part that is built when it is opened first: most never are.
const fold = (attributes, summary, makeBody) => {
  const fill = () => {
    if (!details.fill) return;
    details.fill = null;
    details.append(h('div', {class: 'body'}, makeBody()));
  };
  const details = h(
      'details', {...attributes, ontoggle: fill}, h('summary', {onclick: fill}, summary));
  details.fill = fill;
  return details;
};
// Opens all that is closed, and gives back what that was.
const openAll = (element) => {
  const opened = [];
  for (;;) {
    const closed = [...element.querySelectorAll('details:not([open])')];
    if (!closed.length) return opened;
    for (const details of closed) {
      if (details.fill) details.fill();
      details.open = true;
    }
    opened.push(...closed);
  }
};

const copy = async (text, button) => {
  const area = h('textarea', {}, text);
  button.after(area);
  area.select();
  // The only way in pages opened from a file, in some browsers.
  let done = document.execCommand('copy');
  area.remove();
  if (!done && navigator.clipboard) {
    const patience = new Promise((resolve) => { setTimeout(() => resolve(false), 500); });
    const copied = navigator.clipboard.writeText(text).then(() => true, () => false);
    done = await Promise.race([copied, patience]);
  }
  button.textContent = done ? 'copied' : 'cannot copy here';
  setTimeout(() => { button.textContent = 'copy'; }, 1500);
};
const copyable = (title, text, oneLine) => h(
    'div', {class: 'copyable'},
    h('div', {}, title,
      h('button', {type: 'button', onclick: (event) => copy(text, event.target)}, 'copy')),
    h('pre', {class: oneLine ? 'line' : ''}, text));
