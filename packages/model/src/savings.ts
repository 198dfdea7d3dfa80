/**
 * Avoids duplicate work. Each saving can be switched off; the numbers stay the same, to rounding. Without all of them a
 * student computes as the published code does.
 */
export interface Savings {
  /** features of a frame are computed once, and cached */
  readonly features: boolean;
  /** answers of a pair share their prompt in one sequence */
  readonly sharedPrompts: boolean;
  /** rows whose prompts begin alike are one sequence: an episode's history is read once. Changes results in the last bits */
  readonly sharedBeginnings: boolean;
  /** logits at label positions only */
  readonly labelLogits: boolean;
  /** rows run with rows of similar length, so that padding is small */
  readonly groupedByLength: boolean;
}

const usualSavings: Savings = {
  features: true,
  sharedPrompts: true,
  sharedBeginnings: false,
  labelLogits: true,
  groupedByLength: true,
};

/** The usual savings, all but shared beginnings, with those given; `none` switches off all. */
export function savingsOf(given: Partial<Savings> | 'none' = {}): Savings {
  if (given !== 'none') return { ...usualSavings, ...given };
  return {
    features: false,
    sharedPrompts: false,
    sharedBeginnings: false,
    labelLogits: false,
    groupedByLength: false,
  };
}
