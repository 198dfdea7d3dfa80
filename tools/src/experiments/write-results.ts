/** Writes the tables and charts of what `reproduce` has made. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder } from '@emac/files';
import { successChart, type Point } from './chart.ts';
import { markdown, resultsOf, resultText, typeTable } from './results.ts';

const suites = ['real valid_seen', 'real valid_unseen', 'builtin valid_unseen'];
const forms = ['both', 'text', 'image'];

/** OUT/results.md, and charts beside it; what was not run is left out. */
export function writeResults(out: string): void {
  createFolder(out);
  const sections = suites.flatMap((suite) => suiteSection(out, suite));
  writeFileSync(join(out, 'results.md'), `${['# Results', ...sections].join('\n\n')}\n`);
  const labels = labelChart(out);
  if (labels !== null) writeFileSync(join(out, 'labels.svg'), labels);
}

function suiteSection(out: string, suite: string): string[] {
  const rows = forms.flatMap((form) => {
    const cells = ['untouched', 'bc', 'dpo'].map((made) => resultsOf(out, `${made}-${form}`, suite));
    return cells.some((cell) => cell) ? [[form, ...cells.map((cell) => (cell ? resultText(cell) : ''))]] : [];
  });
  if (rows.length === 0) return [];
  const types = typeTable({
    untouched: resultsOf(out, 'untouched-both', suite),
    bc: resultsOf(out, 'bc-both', suite),
    'bc, dpo': resultsOf(out, 'dpo-both', suite),
  });
  return [`## ${suite}`, markdown([['observe', 'untouched', 'bc', 'bc, dpo'], ...rows]), types];
}

/** Success against the number of games that labels come from. */
function labelChart(out: string): string | null {
  const names = [
    ['1', 'labels-1'],
    ['3', 'labels-3'],
    ['6', 'labels-6'],
    ['12', 'labels-12'],
    ['24', 'bc-both'],
  ];
  const points = names.flatMap(([label, name]): Point[] => {
    const pooled = resultsOf(out, name!, 'real valid_seen')?.pooled;
    if (!pooled) return [];
    const [low, high] = pooled.success_ci95!;
    return [{ label: label!, value: pooled.success!, low, high }];
  });
  if (points.length === 0) return null;
  return successChart('Success on real valid_seen by number of training games', [{ name: 'bc', points }]);
}
