/**
 * Avoids duplicate work. Each saving can be switched off; the numbers stay the same, to rounding. Without all of them a
 * student computes as the published code does.
 */
export interface Savings {
  /** features of a frame are computed once, and cached */
  readonly features: boolean;
  /** answers of a pair share their prompt in one sequence */
  readonly sharedPrompts: boolean;
  /** logits at label positions only */
  readonly labelLogits: boolean;
  /** rows run with rows of similar length, so that padding is small */
  readonly groupedByLength: boolean;
}

const everySaving: Savings = {
  features: true,
  sharedPrompts: true,
  labelLogits: true,
  groupedByLength: true,
};

/** All savings except those switched off; `none` switches off all. */
export function savingsOf(given: Partial<Savings> | 'none' = {}): Savings {
  if (given !== 'none') return { ...everySaving, ...given };
  return { features: false, sharedPrompts: false, labelLogits: false, groupedByLength: false };
}
