/** An agent's perception of its environment at one moment. */

/** An RGB picture: `data` holds height × width × 3 bytes, row by row from the top left. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Numbers of any shape, row by row (the last axis runs fastest). */
export interface NumberArray {
  readonly shape: readonly number[];
  readonly data: Float32Array | Int32Array | Uint8Array;
}

export interface Observation {
  /** in words; may be empty */
  readonly text: string;
  /** pictures, in prompt order */
  readonly frames: readonly Frame[];
  /** numbers by name, such as a grid of cells or joint angles; absent if there are none */
  readonly arrays?: Readonly<Record<string, NumberArray>>;
  /** every action that the environment accepts now, sorted by code point; null if unknown */
  readonly admissible: readonly string[] | null;
  /** the agent that sees this and acts next; absent with a single agent */
  readonly agent?: string;
}
