/** Small charts as SVG: points with intervals over names or numbers, for documents. */

export interface Point {
  readonly label: string;
  /** from 0 to 1 */
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
}

const size = { width: 640, height: 320, left: 48, right: 16, top: 40, bottom: 48 };
const colours = ['#2f6fd0', '#d8342f', '#21703a', '#7a4fc0'];

/** Success rates from 0 to 1, each series in a colour; labels that series share stand at one place. */
export function successChart(title: string, series: readonly Series[]): string {
  const labels = [...new Set(series.flatMap(({ points }) => points.map(({ label }) => label)))];
  const inner = { width: size.width - size.left - size.right, height: size.height - size.top - size.bottom };
  const x = (label: string, place: number) =>
    size.left +
    ((labels.indexOf(label) + 0.5) * inner.width) / labels.length +
    (place - (series.length - 1) / 2) * 10;
  const y = (value: number) => size.top + (1 - value) * inner.height;
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (value) =>
      `<line x1="${size.left}" x2="${size.width - size.right}" y1="${y(value)}" y2="${y(value)}" stroke="#ddd"/>` +
      `<text x="${size.left - 6}" y="${y(value) + 4}" text-anchor="end">${value.toFixed(2)}</text>`,
  );
  const names = labels.map(
    (label) =>
      `<text x="${x(label, (series.length - 1) / 2)}" y="${size.height - 24}" text-anchor="middle">${escaped(label)}</text>`,
  );
  const drawn = series.map(({ name, points }, place) => {
    const colour = colours[place % colours.length]!;
    const marks = points.map(({ label, value, low, high }) => {
      const at = x(label, place);
      return (
        `<line x1="${at}" x2="${at}" y1="${y(low)}" y2="${y(high)}" stroke="${colour}" stroke-width="2"/>` +
        `<circle cx="${at}" cy="${y(value)}" r="4" fill="${colour}"/>`
      );
    });
    const key = size.left + place * 150;
    return (
      marks.join('') +
      `<circle cx="${key}" cy="${size.height - 8}" r="4" fill="${colour}"/>` +
      `<text x="${key + 8}" y="${size.height - 4}">${escaped(name)}</text>`
    );
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif" font-size="11">` +
    `<rect width="100%" height="100%" fill="#fff"/>` +
    `<text x="${size.left}" y="20" font-size="14">${escaped(title)}</text>` +
    `${grid.join('')}${names.join('')}${drawn.join('')}</svg>\n`
  );
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
