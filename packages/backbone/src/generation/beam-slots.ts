/**
 * Where the keys and values of beams lie. A cache is a row of slots, one for every token of any beam. A token common to
 * several beams is stored once, and a beam sees only its own tokens' slots (the tree attention of SpecInfer, Miao et
 * al., arXiv 2305.09781, §4.2). Slots that no beam reads any more are freed.
 */

/** The slots of one beam's tokens, first token first. */
export type BeamSlots = readonly number[];

export interface SlotPlan {
  /** slots of the previous step that are still read, ascending; they move to places 0, 1, … */
  readonly live: readonly number[];
  /** for every beam, the new places of its earlier tokens */
  readonly earlier: readonly BeamSlots[];
}

/** Which slots to keep if beams continue `parents`, with their tokens in the slots `before`. */
export function planSlots(before: readonly BeamSlots[], parents: readonly number[]): SlotPlan {
  const live = [...new Set(parents.flatMap((parent) => before[parent]!))].sort((a, b) => a - b);
  const places = new Map(live.map((slot, place) => [slot, place]));
  return { live, earlier: parents.map((parent) => before[parent]!.map((slot) => places.get(slot)!)) };
}
