/** The types of an environment for EMAC, copied, so that this package needs nothing of EMAC to compile. */

export interface InlineEnvironment {
  /** lists of names, or functions from a number to a name; no name may be in both */
  readonly tasks: { readonly training: InlineTasks; readonly heldOut: InlineTasks };
  /** Begins an episode; equal seeds and actions give equal steps. */
  begin(task: string, seed: string): InlineEpisode | Promise<InlineEpisode>;
  /** the right action; imitation and preferences need it */
  expert?(task: string, history: History): unknown;
  /** the text that the policy reads; default the list of observations and actions */
  prompt?(history: History): string;
  /** the name of a state */
  anchor?(history: History): string;
  /** in place of actions: a chat model calls them, and `run` gets what `begin` gave */
  readonly tools?: Readonly<Record<string, InlineTool>>;
  /** actions of every step, unless a step names others */
  readonly actions?: readonly string[];
  /** step limit of an episode, default 50 */
  readonly maxSteps?: number;
  /** lowest and highest reward of a step */
  readonly rewards?: readonly [number, number];
}

export interface InlineTool {
  readonly description: string;
  /** a JSON schema of the arguments */
  readonly parameters: object;
  run(given: never, episode: never): string | InlineStep | Promise<string | InlineStep>;
}

export type InlineTasks = readonly string[] | ((number: number) => string);

export type InlineObservation =
  | string
  | {
      readonly text: string;
      readonly frames?: readonly Frame[];
      readonly arrays?: Readonly<Record<string, NumberArray>>;
    };

export interface InlineEpisode {
  readonly observation: InlineObservation;
  /** accepted now; absent: any text */
  readonly actions?: readonly string[];
  /** absent with tools */
  step?(action: string): InlineStep | Promise<InlineStep>;
  close?(): unknown;
}

export interface InlineStep {
  readonly observation: InlineObservation;
  readonly reward: number;
  readonly done: boolean;
  /** ended by a limit of its own */
  readonly truncated?: boolean;
  /** default: done, with rewards that sum to more than 0 */
  readonly won?: boolean;
  readonly actions?: readonly string[];
}

/** An episode so far, in words. */
export interface History {
  readonly initial: string;
  readonly turns: readonly Turn[];
}

export interface Turn {
  readonly command: string;
  readonly observation: string;
}

/** An RGB picture: height × width × 3 bytes, row by row from the top left. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Numbers of any shape, row by row. */
export interface NumberArray {
  readonly shape: readonly number[];
  readonly data: Float32Array | Int32Array | Uint8Array;
}
