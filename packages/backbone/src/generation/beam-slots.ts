/**
 * Where the keys and values of beams lie. A cache is a row of slots, one for every token that some beam took; a
 * token that several beams have in common lies there once, and a beam sees its own tokens' slots only (the tree
 * attention of SpecInfer, Miao et al., arXiv 2305.09781, §4.2). Slots that no beam reads any more are given up.
 */

/** The slots of one beam's tokens, first token first. */
export type BeamSlots = readonly number[];

export interface SlotPlan {
  /** slots of the step before that are still read, ascending; they move to places 0, 1, … */
  readonly live: readonly number[];
  /** for every beam, where its earlier tokens lie then */
  readonly earlier: readonly BeamSlots[];
}

/** What to keep for beams that continue `parents`, whose tokens lie in the slots `before`. */
export function planSlots(before: readonly BeamSlots[], parents: readonly number[]): SlotPlan {
  const live = [...new Set(parents.flatMap((parent) => before[parent]!))].sort((a, b) => a - b);
  const places = new Map(live.map((slot, place) => [slot, place]));
  return { live, earlier: parents.map((parent) => before[parent]!.map((slot) => places.get(slot)!)) };
}
