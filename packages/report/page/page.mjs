// The script of report and board: draws charts, loads the pictures of opened episodes, filters, and on the board
// fetches changes. It runs in browsers, is embedded unchanged, and contacts no other server.
/* global document, window, uPlot, EventSource, ResizeObserver, matchMedia, fetch, DOMParser, getComputedStyle */

const data = (id) => {
  const script = document.getElementById(id);
  return script ? JSON.parse(script.textContent) : null;
};

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const drawn = new Map();

/** Curves of one chart in uPlot's form: one list of x for all lines, null for missing values. */
function aligned(lines) {
  const xs = [...new Set(lines.flatMap(({ x }) => x))].sort((a, b) => a - b);
  const place = new Map(xs.map((x, index) => [x, index]));
  const spread = (x, values) => {
    const out = new Array(xs.length).fill(null);
    x.forEach((each, index) => (out[place.get(each)] = values[index]));
    return out;
  };
  const columns = [];
  const series = [{}];
  const bands = [];
  lines.forEach(({ name, x, y, band }, index) => {
    const stroke = colour(`--c${index % 6}`);
    series.push({ label: name, stroke, width: 2, spanGaps: true, points: { show: x.length < 40 } });
    columns.push(spread(x, y));
    if (!band) return;
    for (const [edge, values] of [
      ['highest', band.high],
      ['lowest', band.low],
    ]) {
      series.push({
        label: `${name}, ${edge}`,
        stroke: 'transparent',
        width: 0,
        spanGaps: true,
        points: { show: false },
      });
      columns.push(spread(x, values));
    }
    bands.push({ series: [series.length - 2, series.length - 1], fill: `${stroke}33` });
  });
  return { values: [xs, ...columns], series, bands };
}

function drawCharts() {
  const charts = data('charts') ?? [];
  for (const plot of drawn.values()) plot.destroy();
  drawn.clear();
  for (const element of document.querySelectorAll('[data-chart]')) {
    const { lines } = charts[Number(element.dataset.chart)];
    const { values, series, bands } = aligned(lines);
    // lines of a kind and updates are whole numbers
    const whole = (_plot, splits) => splits.map((split) => (Number.isInteger(split) ? String(split) : ''));
    const axis = {
      stroke: colour('--ink'),
      grid: { stroke: colour('--line') },
      ticks: { stroke: colour('--line') },
    };
    element.replaceChildren();
    const options = {
      width: Math.max(200, element.clientWidth),
      height: 200,
      series,
      bands,
      axes: [
        { ...axis, values: whole },
        { ...axis, size: 60 },
      ],
      scales: { x: { time: false } },
      legend: { show: false },
    };
    drawn.set(element, new uPlot(options, values, element));
  }
}

const resized = new ResizeObserver((entries) => {
  for (const { target } of entries)
    drawn.get(target)?.setSize({ width: Math.max(200, target.clientWidth), height: 200 });
});

/** Sources of pictures: the report has them inside, the board serves them. */
function showPictures(root) {
  const inside = showPictures.inside ?? (showPictures.inside = data('frames') ?? {});
  for (const image of root.querySelectorAll('img[data-frame]:not([src])')) {
    const name = image.dataset.frame;
    const source = inside[name] ?? image.dataset.source;
    if (source) image.src = source;
  }
}

/** Fetches an opened episode's strip if missing, then shows its pictures. */
async function opened(details) {
  const strip = details.querySelector('[data-strip]');
  if (strip && strip.dataset.strip !== '') {
    const address = strip.dataset.strip;
    strip.dataset.strip = '';
    const reply = await fetch(address);
    strip.innerHTML = reply.ok ? await reply.text() : 'This episode is not readable now.';
  }
  showPictures(details);
}

function filter(form) {
  const chosen = Object.fromEntries(
    [...form.elements].filter(({ name }) => name).map(({ name, value }) => [name, value]),
  );
  let shown = 0;
  for (const details of document.querySelectorAll(`#${form.dataset.filters} > details`)) {
    const { outcome, type, text } = details.dataset;
    const isMeant =
      (!chosen.outcome || chosen.outcome === outcome) &&
      (!chosen.type || chosen.type === type) &&
      (!chosen.text || text.includes(chosen.text.toLowerCase()));
    details.hidden = !isMeant;
    if (isMeant) shown++;
  }
  form.querySelector('output').textContent = `${shown} shown`;
}

/** The board: reloads `main` when a run has changed; open episodes and selections stay. */
async function refresh() {
  const reply = await fetch(window.location.href);
  if (!reply.ok) return;
  const page = new DOMParser().parseFromString(await reply.text(), 'text/html');
  const open = new Map(
    [...document.querySelectorAll('details[open][id]')].map((details) => [details.id, details]),
  );
  const chosen = [...document.querySelectorAll('main [name]')].map(({ name, value, type, checked }) => [
    name,
    value,
    type,
    checked,
  ]);
  const focused = document.activeElement?.id;
  document.querySelector('main').replaceWith(page.querySelector('main'));
  document.getElementById('charts')?.replaceWith(page.getElementById('charts'));
  for (const [id, details] of open) document.getElementById(id)?.replaceWith(details);
  for (const [name, value, type, checked] of chosen) {
    const fields = [...document.querySelectorAll(`main [name="${name}"]`)];
    if (type === 'checkbox') for (const field of fields) if (field.value === value) field.checked = checked;
    if (type !== 'checkbox' && fields[0]) fields[0].value = value;
  }
  if (focused) document.getElementById(focused)?.focus();
  begin();
}

function begin() {
  drawCharts();
  for (const element of drawn.keys()) resized.observe(element);
  for (const form of document.querySelectorAll('form[data-filters]')) {
    form.addEventListener('input', () => filter(form));
    form.addEventListener('submit', (event) => event.preventDefault());
    filter(form);
  }
}

document.addEventListener('toggle', ({ target }) => target.open && opened(target), true);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawCharts);
begin();
for (const details of document.querySelectorAll('details[open]')) opened(details);

const live = document.body.dataset.events;
if (live) {
  let waiting = null;
  new EventSource(live).addEventListener('changed', () => {
    waiting ??= setTimeout(() => {
      waiting = null;
      void refresh();
    }, 300);
  });
}
