/** Two policies on the same games. */
import { mcNemar, type EvaluatedGame } from '@emac/rollout';

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
