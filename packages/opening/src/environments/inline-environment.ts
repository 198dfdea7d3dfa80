/** An environment that a program defines in its own source, beside a configuration that only records its name. */
import { EmacError, type Frame, type History, type NumberArray } from '@emac/core';
import { sha256 } from '@emac/files';
import { inlineName } from '@emac/settings';
import { kindFrom, type GivenEnvironment } from './environment-module.ts';

export interface InlineEnvironment {
  /** for checkpoints and reports, default `own` */
  readonly name?: string;
  /** lists of names, or functions from a number to a name; no name may be in both */
  readonly tasks: { readonly training: InlineTasks; readonly heldOut: InlineTasks };
  /** Begins an episode; equal seeds and actions give equal steps. */
  begin(task: string, seed: string): InlineEpisode | Promise<InlineEpisode>;
  /** the right action; imitation and preferences need it, or a separate expert */
  expert?(task: string, history: History): unknown;
  /** the text that the policy reads; default the list of observations and actions */
  prompt?(history: History): string;
  /** the name of a state */
  anchor?(history: History): string;
  /** in place of actions: a chat model calls them, and `run` gets what `begin` gave */
  readonly tools?: Readonly<Record<string, InlineTool>>;
  /** beside tools: takes an answer that calls none; null: it only hears that it should call one */
  answer?(text: string, episode: never): InlineAnswer | Promise<InlineAnswer>;
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

type InlineAnswer = string | InlineStep | null;

type InlineTasks = readonly string[] | ((number: number) => string);

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
  readonly truncated?: boolean;
  /** default: done, with rewards that sum to more than 0 */
  readonly won?: boolean;
  readonly actions?: readonly string[];
}

/**
 * The environment for a host. Its hash covers the source text of its functions and its data, not what the functions
 * read from around them. Errors: `usage` for a name with other characters than letters, digits, dots and dashes.
 */
export function inlineEnvironment(given: InlineEnvironment): GivenEnvironment {
  const { name: own = 'own' } = given;
  if (!/^[A-Za-z0-9][\w.-]{0,99}$/.test(own))
    throw new EmacError(
      'usage',
      `environment: its name has letters, digits, dots and dashes, got ${JSON.stringify(own)}; give another one`,
    );
  const name = inlineName(own);
  return { name, sha256: sourceHash(given), kind: kindFrom({ name, id: name }, given) };
}

/** SHA-256 of data and of the source text of functions. */
export function sourceHash(given: unknown): string {
  return sha256(Buffer.from(sourceOf(given, [])));
}

function sourceOf(given: unknown, around: readonly unknown[]): string {
  if (typeof given === 'function') return String(given);
  if (typeof given !== 'object' || given === null) return JSON.stringify(given) ?? String(given);
  // a part that holds the whole adds nothing
  if (around.includes(given)) return 'around';
  const inside = [...around, given];
  const parts = Object.entries(given).map(([name, part]) => `${name}: ${sourceOf(part, inside)}`);
  return `{${parts.sort().join(', ')}}`;
}
