/** Updates without a run folder: a dry run makes a few, smaller than those of the run, to measure them. They change the opened policy and write nothing. */
import { EmacError, type Answer, type Policy, type Prompt } from '@emac/core';
import type { PolicySizes, PpoPolicy } from '@emac/opening';
import type { Opened, Types } from './recipe.ts';

export interface Rehearsal {
  /** the tasks and the length of training, in words */
  readonly of: string;
  readonly policy: RehearsedPolicy;
  /** of the run */
  readonly updates: number;
  /** of an update: steps of environments, or attempts */
  readonly size: number;
  readonly noun: 'step' | 'attempt';
  /** how many of them the run plays at once, with joint decisions; fewer take longer for each */
  readonly together: number;
  /** how often an update learns from each of its rows; a rehearsed one does so once */
  readonly passes: number;
  /** held-out episodes of an evaluation; 0 for none */
  readonly heldOut: number;
  /** steps or attempts of a held-out episode at most */
  readonly longest: number;
  /** One update of at most that size, of at least the smallest that the method has. Returns its size. Errors: those of the method. */
  update(size: number, heard: Heard): Promise<number>;
  /** Plays so many of the held-out episodes. */
  evaluate(episodes: number): Promise<void>;
}

/** The acting and learning policy. */
export interface RehearsedPolicy {
  /** its given name */
  readonly name: string;
  readonly identity: string;
  /** null for a small network, which reads no text */
  readonly model: PpoPolicy['model'];
  /** bytes of a checkpoint */
  readonly sizes: PolicySizes;
  /** of a prompt's text */
  readonly countPromptTokens: Policy['countPromptTokens'];
}

export interface Heard {
  /** called for each prompt and answer of the policy, in order */
  said(prompt: Prompt, answer: Answer): void;
  /** a gradient begins */
  learning(): void;
}

/** A run that is opened, with updates that can be tried. */
export interface OpenedUpdates<T extends Types> extends Opened<T> {
  readonly rehearsal: Rehearsal;
}

/** Errors: `usage`, as a rehearsal sends no requests. */
export function refuseElsewhere(flag: string, address: string): void {
  throw new EmacError(
    'usage',
    `--dry-run: asks no service, but ${flag} ${address} answers during training; leave one out`,
  );
}

/** Reports the answers to questions, without their other fields. */
export function hearing<Asked extends { readonly prompt: Prompt }, Said>(
  decide: (questions: readonly Asked[], ...rest: never[]) => Promise<Said>,
  { answers, heard }: { answers: (said: Said) => readonly Answer[]; heard: Heard },
): typeof decide {
  return async (questions, ...rest) => {
    const said = await decide(questions, ...rest);
    answers(said).forEach((answer, place) => heard.said(questions[place]!.prompt, answer));
    return said;
  };
}
