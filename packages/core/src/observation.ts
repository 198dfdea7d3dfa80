/** What an agent perceives of its environment at one moment. */

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
  /** in words; empty where the environment has none */
  readonly text: string;
  /** pictures, in the order in which a prompt shows them */
  readonly frames: readonly Frame[];
  /** numbers by name, such as a grid of cells or joint angles; absent where there are none */
  readonly arrays?: Readonly<Record<string, NumberArray>>;
  /** every action the environment accepts now, sorted by code point; null where it cannot say */
  readonly admissible: readonly string[] | null;
  /** the agent that sees this and acts next; absent where there is one agent */
  readonly agent?: string;
}
