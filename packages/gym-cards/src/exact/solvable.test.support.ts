/** Hands whose numbers can be joined by four operations, two at a time, to the target: independent of formulas. */

type Fraction = readonly [numerator: number, denominator: number];

/** Whether some order of operations makes `target` of all the numbers. Small whole numbers only, so that doubles hold all products. */
export function isSolvable(numbers: readonly number[], target: number): boolean {
  return canMake(
    numbers.map((number) => [number, 1]),
    target,
  );
}

function canMake(parts: readonly Fraction[], target: number): boolean {
  if (parts.length === 1) return parts[0]![0] === target * parts[0]![1];
  for (let i = 0; i < parts.length; i++)
    for (let j = 0; j < parts.length; j++) {
      if (i === j) continue;
      const others = parts.filter((_, place) => place !== i && place !== j);
      if (results(parts[i]!, parts[j]!).some((result) => canMake([...others, result], target))) return true;
    }
  return false;
}

function results([a, b]: Fraction, [c, d]: Fraction): Fraction[] {
  const made: Fraction[] = [
    [a * d + c * b, b * d],
    [a * d - c * b, b * d],
    [a * c, b * d],
  ];
  return c === 0 ? made : [...made, [a * d, b * c]];
}

export interface Hand {
  readonly numbers: readonly number[];
  /** of ranks^4 deals */
  readonly deals: number;
}

/** Every multiset of four ranks of 13, faces counted as ten or as 11 to 13. */
export function everyHand(faceCardsAre10: boolean): Hand[] {
  const hands = new Map<string, { numbers: number[]; deals: number }>();
  const ranks = Array.from({ length: 13 }, (_, place) =>
    faceCardsAre10 ? Math.min(10, place + 1) : place + 1,
  );
  for (const a of ranks)
    for (const b of ranks)
      for (const c of ranks)
        for (const d of ranks) {
          const numbers = [a, b, c, d].sort((left, right) => left - right);
          const key = numbers.join(' ');
          const hand = hands.get(key) ?? { numbers, deals: 0 };
          hand.deals++;
          hands.set(key, hand);
        }
  return [...hands.values()];
}
