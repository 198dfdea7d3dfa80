/** Lists of whole numbers below 2³², 4 bytes each: a dataset may have 10⁸ records. */

export type Numbers = Uint32Array<ArrayBuffer>;

export interface GrowingNumbers {
  readonly length: number;
  push(number: number): void;
  /** those so far */
  values(): Numbers;
}

export function growingNumbers(): GrowingNumbers {
  let held = new Uint32Array(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(number) {
      if (length === held.length) {
        const larger = new Uint32Array(Math.max(64, 2 * length));
        larger.set(held);
        held = larger;
      }
      held[length++] = number;
    },
    values: () => held.slice(0, length),
  };
}
