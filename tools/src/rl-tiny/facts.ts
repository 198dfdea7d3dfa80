/**
 * Targets of each visual token, so the vision encoder learns from every frame at once: one word of a perfect player's
 * reading, each at its own place. The lesson helps the vision encoder early on; the model's answers need no such order.
 */
import { miniGridKind } from '@emac/minigrid';
import { kindOf } from '@emac/opening';

/** One for each visual token. */
export const factCount = 12;

/** Words by place, as in the answer; null for none. */
export function factsOf(id: string, answer: string): readonly (string | null)[] {
  const found = kindOf(id) === miniGridKind ? gridFacts(answer) : cardFacts(id, answer);
  return Array.from({ length: factCount }, (_, place) => found[place] ?? null);
}

function cardFacts(id: string, answer: string): (string | null)[] {
  if (id.includes('NumberLine')) return [...answer.matchAll(/number": "(\d+)/g)].map(([, number]) => number!);
  if (id.includes('Points')) return /\[([^\]]*)\]/.exec(answer)![1]!.split(', ');
  const [, dealer, player] = /dealer( \d+), player([^;"]*)/.exec(answer)!;
  return [dealer!, ...player!.matchAll(/( soft)|( \d+)/g)].map((word) =>
    typeof word === 'string' ? word : word[0],
  );
}

/** First places of the things of a grid. */
const places = { agent: 0, door: 4, key: 7, goal: 9 } as const;

function gridFacts(answer: string): (string | null)[] {
  const facts: (string | null)[] = Array.from({ length: factCount }, () => null);
  const seen = /"thoughts": "([^;"]*)/.exec(answer)![1]!;
  seen.split(/(?=, )/).forEach((thing) => {
    const kind = Object.keys(places).find((each) => thing.replace(/ with.*/, '').includes(each)) as
      keyof typeof places | undefined;
    if (kind === undefined) return;
    const words = thing.match(/, (?:locked|closed|open)| (?:right|down|left|up|with|\d+)/g) ?? [];
    words.forEach((word, at) => (facts[places[kind] + at] = word));
  });
  return facts;
}
