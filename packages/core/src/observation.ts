/** An agent's perception of its environment at one moment; its pictures may be rendered only when someone looks. */

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

/**
 * An agent's perception at one moment. An environment may render the frames when they are first read, at any later time; copying
 * an observation with `...` reads them.
 */
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

/** Renders at the first call; all calls give the same frames. */
export function renderedOnce(render: () => readonly Frame[]): () => readonly Frame[] {
  let frames: readonly Frame[] | null = null;
  return () => (frames ??= render());
}

/** What an environment of this process shows now; `render` is called when the frames are first read. */
export function shownNow(
  environment: { text(): string; observe(): Readonly<Record<string, NumberArray>> },
  admissible: readonly string[] | null,
  render: () => readonly Frame[],
): Observation {
  const rendered = renderedOnce(render);
  return {
    text: environment.text(),
    get frames() {
      return rendered();
    },
    arrays: environment.observe(),
    admissible,
  };
}

/** Without pictures, and without rendering them. */
export function withoutFrames(observation: Observation): Observation {
  const { text, arrays, admissible, agent } = observation;
  const blind = {
    text,
    frames: [],
    ...(arrays && { arrays }),
    admissible,
    ...(agent !== undefined && { agent }),
  };
  behind.set(blind, observation);
  return blind;
}

const behind = new WeakMap<Observation, Observation>();

/** The pictures for people, of an observation that a policy may see without them. */
export function framesForPeople(observation: Observation): readonly Frame[] {
  return (behind.get(observation) ?? observation).frames;
}
