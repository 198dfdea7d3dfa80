/** Cards on the table of Blackjack, and their totals. */

/** Value (an ace is 1), face and suit. */
export type PlayingCard = readonly [value: number, face: string, suit: string];
export type Hand = readonly PlayingCard[];

export interface BlackjackState {
  /** the first card is seen */
  readonly dealer: Hand;
  readonly player: Hand;
}

/** An ace counts 11 unless the total would exceed 21. */
export function totalOf(hand: Hand): number {
  return sumOf(hand) + (hasUsableAce(hand) ? 10 : 0);
}

/** Whether an ace counts 11. */
export function hasUsableAce(hand: Hand): boolean {
  return hand.some(([value]) => value === 1) && sumOf(hand) + 10 <= 21;
}

function sumOf(hand: Hand): number {
  return hand.reduce((sum, [value]) => sum + value, 0);
}
