/** The work of a run, counted before it begins: a dry run measures a trial and extrapolates to it. */
import type { LabelRequest, Policy, Trainable } from '@emac/core';
import type { Student } from '@emac/model';
import type { LanguageModelConfig } from '@emac/settings';

/** Sizes of a policy in a checkpoint, in bytes. */
export interface PolicySizes {
  readonly parameters: number;
  /** the trainable ones, each with two moments */
  readonly trained: number;
}

/** An amount between two bounds. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

export const nothing: Range = { least: 0, most: 0 };

/** A known amount. */
export function exactly(amount: number): Range {
  return { least: amount, most: amount };
}

export function sumOf(ranges: readonly Range[]): Range {
  return ranges.reduce(
    (sum, { least, most }) => ({ least: sum.least + least, most: sum.most + most }),
    nothing,
  );
}

/** Both bounds of one multiplied with those of the other; all are 0 or more. */
export function product(a: Range, b: Range): Range {
  return { least: a.least * b.least, most: a.most * b.most };
}

export interface Expected {
  /** the tasks and the length of training, in words */
  readonly of: string;
  readonly policy: ExpectedPolicy;
  readonly noun: 'step' | 'attempt' | 'sample';
  /** of an update or a group of episodes: a larger trial shows nothing more */
  readonly size: number;
  /** how many of them are played at once, with joint decisions; fewer take longer for each */
  readonly together: number;
  /** steps or attempts that are played */
  readonly played: Range;
  /** rows of all gradients, or gradients of a small network; null where every played step or attempt is learned from alike */
  readonly learned: Range | null;
  /** samples that are measured without learning, `times` over; null for none */
  readonly measured: { readonly samples: Range; readonly times: number } | null;
  /** held-out episodes of an evaluation, and their steps where the trial cuts them off */
  readonly heldOut: { readonly episodes: number; readonly steps: Range | null };
  /** steps of an episode at most, and tokens of a prompt that grows over them; null where it does not */
  readonly maxSteps: number;
  readonly maxTextTokens: number | null;
  /** where the answers to learn from come from, and their tokens; null for the policy's own */
  readonly labels: (Pick<Trainable, 'countAnswerTokens'> & { readonly from: string }) | null;
  /** checkpoints: how many are written, and ends of rounds that stay */
  readonly checkpoints: { readonly written: Range; readonly rounds: number };
  /** null without an expert */
  readonly expert: ExpectedExpert | null;
}

export interface ExpectedExpert {
  /** of the prompt for a label; null if none is sent */
  readonly promptTokens: ((request: LabelRequest) => number) | null;
  /** labels and reflections */
  readonly calls: Range;
  readonly config: LanguageModelConfig;
}

export interface ExpectedPolicy extends Pick<Policy, 'countPromptTokens'> {
  /** its given name, or its model's folder */
  readonly name: string;
  readonly identity: string;
  /** null for a small network, which reads no text */
  readonly layers: Student['layers'] | null;
  /** what computes it, in words; null for a small network */
  readonly computing: string | null;
  /** of a checkpoint */
  readonly sizes: PolicySizes;
  /** numbers of its networks that never learn, beside the checkpoint's */
  readonly frozen: number;
  /** of a picture's features; null where nobody counts them */
  readonly countVisualTokens: Student['countVisualTokens'] | null;
}

/** Nothing but play. */
export const onlyPlay = {
  learned: null,
  measured: null,
  labels: null,
  expert: null,
  maxTextTokens: null,
  heldOut: { episodes: 0, steps: null },
  checkpoints: { written: nothing, rounds: 0 },
} satisfies Partial<Expected>;

/** Steps of one attempt at each: the shortest win, or the limit. */
export function stepsOf(shortest: readonly number[], maxSteps: number): Range {
  const least = shortest.reduce((sum, steps) => sum + Math.min(steps, maxSteps), 0);
  return { least, most: shortest.length * maxSteps };
}
