/** The charts of the document of results. */
import { successChart, type Point } from './chart.ts';
import { resultsOf, type SeedResults } from './results.ts';

const suite = 'real valid_seen';

function pointOf(label: string, results: SeedResults | null): Point[] {
  if (results === null) return [];
  const [low, high] = results.pooled.success_ci95!;
  return [{ label, value: results.pooled.success!, low, high }];
}

/** Success against the number of games with labels. */
export function labelChart(out: string): string {
  const made = [
    ...[1, 3, 6, 12].map((games) => [games, `labels-${games}`] as const),
    [24, 'bc-both'] as const,
  ];
  const points = made.flatMap(([games, name]) => pointOf(String(games), resultsOf(out, name, suite)));
  return successChart(`Success on ${suite} by number of training games`, [{ name: 'bc', points }]);
}

/** Success in each form of observing, before and after training. */
export function formChart(out: string): string {
  const forms = ['text', 'both', 'image'];
  const series = ['untouched', 'bc', 'dpo'].map((made) => {
    return {
      name: made,
      points: forms.flatMap((form) => pointOf(form, resultsOf(out, `${made}-${form}`, suite))),
    };
  });
  return successChart(`Success on ${suite} by form of observation`, series);
}
