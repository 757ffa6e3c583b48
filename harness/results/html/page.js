// Puts the sections together, anew whenever the filters change.

const page = document.getElementById('page');
const render = () => {
  readFilter();
  const sections = [
    comparison, operatorCards, failures, gate, clauses, mutants, speed, quality, setup,
  ].map((make) => make()).filter(Boolean);
  const front = h('div', {class: 'front'}, matrix(), notRun());
  page.replaceChildren(verdict(), filters(sections), front, ...sections);
  root.dataset.ready = String(Number(root.dataset.ready || 0) + 1);
};
addEventListener('hashchange', render);
let width = innerWidth;
let timer = 0;
addEventListener('resize', () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (innerWidth !== width) {
      width = innerWidth;
      render();
    }
  }, 150);
});
// On paper nothing can be opened.
let opened = [];
addEventListener('beforeprint', () => { opened = openAll(page); });
addEventListener('afterprint', () => {
  for (const details of opened) details.open = false;
});
render();
root.dataset.milliseconds = (performance.now() - started).toFixed(0);
