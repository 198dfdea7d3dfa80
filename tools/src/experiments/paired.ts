/** Two policies on the same games. */
import type { EvaluatedGame } from '@emac/rollout';

/** Exact two-sided McNemar test: p of so uneven a split of the games that one alone won, were both as likely. */
export function mcNemar(firstAlone: number, secondAlone: number): number {
  const n = firstAlone + secondAlone;
  let term = 0.5 ** n;
  let tail = 0;
  for (let k = 0; k <= Math.min(firstAlone, secondAlone); k++) {
    tail += term;
    term *= (n - k) / (k + 1);
  }
  return Math.min(1, 2 * tail);
}

/** Success of both, games won by one alone, and p; the same games in the same order, seed after seed. */
export function pairedText(before: readonly EvaluatedGame[], after: readonly EvaluatedGame[]): string[] {
  const pairs = before.map((game, index) => [game, after[index]!] as const);
  for (const [first, second] of pairs)
    if (first.id !== second?.id) throw new Error(`${first.id} stands beside ${String(second?.id)}`);
  const count = (holds: (first: boolean, second: boolean) => boolean) =>
    pairs.filter(([first, second]) => holds(first.won, second.won)).length;
  const alone = [
    count((first, second) => first && !second),
    count((first, second) => !first && second),
  ] as const;
  const share = (wins: number) => (wins / pairs.length).toFixed(3);
  return [
    share(count((first) => first)),
    share(count((_, second) => second)),
    alone.join(', '),
    mcNemar(...alone).toPrecision(2),
  ];
}
