/** The charts of the document of results. */
import { successChart, type Point } from './chart.ts';
import { demonstrated, labelledGames } from './jobs.ts';
import { resultsOf, type SeedResults } from './results.ts';

function pointOf(label: string, results: SeedResults | null): Point[] {
  if (results === null) return [];
  const [low, high] = results.pooled.success_ci95!;
  return [{ label, value: results.pooled.success!, low, high }];
}

/** Success against the number of games with labels, for each choice of what is trained. */
export function labelChart(out: string): string {
  const ways = { projection: 'projection', lora: 'lora', both: 'projection-lora' };
  const series = Object.entries(ways).map(([name, way]) => {
    const untouched = pointOf('0', resultsOf(out, 'untouched-image', demonstrated));
    const points = labelledGames.flatMap((games) =>
      pointOf(String(games), resultsOf(out, `labels-${games}-${way}`, demonstrated)),
    );
    return { name, points: [...untouched, ...points] };
  });
  return successChart('Success on 100 held-out games by number of training games', series);
}

/** Success of the two commands in each seed. */
export function phaseChart(out: string): string {
  const series = Object.entries({ untouched: 'untouched-image', bc: 'default-bc', dpo: 'default-dpo' }).map(
    ([name, job]) => {
      const points = [0, 1, 2, 3, 4].flatMap((seed) => {
        const made = job === 'untouched-image' ? job : `${job}-${seed}`;
        return pointOf(`seed ${seed}`, resultsOf(out, made, demonstrated));
      });
      return { name, points };
    },
  );
  return successChart('Success on 100 held-out games', series);
}
