/** What a setting's `when` may name: the method, environment, policy or other setting without which it has no effect. */
import {
  comparisonsReading,
  groupMethods,
  isJudged,
  learnsPairs,
  methodsReading,
  phases,
  type Phase,
} from '@emac/algorithms';
import { valueAtPath } from './merged.ts';
import { smallNetworkOf } from './small-networks.ts';
import { lewisGame, usualEnvironment } from './usual-environment.ts';

/** What is trained, where and how; null for what is not known, which fits every condition. */
export interface Subject {
  readonly method: string | null;
  readonly env: string | null;
  readonly policy: string | null;
  /** name of the kind of environment */
  readonly kind: string | null;
  /** whether actions of the environment are words or numbers for the policy */
  readonly actions: 'words' | 'numbers' | null;
  /** an evaluation step by step; default false */
  readonly isInSteps?: boolean;
}

export const nobody: Subject = { method: null, env: null, policy: null, kind: null, actions: null };

export interface Condition {
  /** the part of a subject that it is about, whose flag a refusal repeats; null: another setting */
  readonly about: 'method' | 'env' | 'policy' | null;
  /** after "is for", or without a part "belongs to" */
  readonly words: string;
  /** false for a subject with which it never holds */
  readonly fits?: (subject: Subject) => boolean;
  /** false for other settings with which it does not hold */
  readonly with?: (at: (path: string) => unknown) => boolean;
}

const environment = (words: string, isIn: (env: string) => boolean): Condition => ({
  about: 'env',
  words,
  fits: ({ env }) => env === null || isIn(env),
});

const ofKind = (words: string, ...kinds: readonly string[]): Condition => ({
  about: 'env',
  words,
  fits: ({ env, kind }) => env === null || (kind !== null && kinds.includes(kind)),
});

const beside = (words: string, holds: NonNullable<Condition['with']>): Condition => ({
  about: null,
  words,
  with: holds,
});

/** With another setting that has one of the values. */
const given = (words: string, path: string, ...values: readonly unknown[]): Condition =>
  beside(words, (at) => values.includes(at(path)));

/** With a method that compares single steps by this setting. */
const comparing = (setting: Parameters<typeof comparisonsReading>[0]): Condition => {
  const reading = comparisonsReading(setting);
  const names = reading.map((each) => groupMethods[each].name);
  return given(`--method ${names.join(' or ')}`, 'losses.advantages', ...reading);
};

/** Of the label methods with that property; a custom method may have it. */
const labelling = (words: string, has: (phase: Phase) => boolean): Condition => ({
  about: 'method',
  words,
  fits: ({ method }) => method === null || !phases.some((each) => each === method) || has(method as Phase),
});

/** With a method that reads this setting of `preference`. */
const preferring = (setting: Parameters<typeof methodsReading>[0]): Condition => {
  const reading = methodsReading(setting);
  return labelling(reading.join(' and '), (phase) => reading.includes(phase));
};

const pairs = (method: string) => !phases.some((each) => each === method) || learnsPairs(method as Phase);

export const conditions = {
  /** in a group, frees a setting from the group's conditions */
  always: beside('', () => true),
  pairs: {
    about: 'method',
    words: 'methods that learn from pairs, such as dpo',
    fits: ({ method }) => method === null || (method !== 'sft' && pairs(method)),
  },
  judged: labelling('methods that judge by a reference policy, such as dpo', isJudged),
  ofDifference: preferring('loss'),
  ofMargin: preferring('targetMargin'),
  ofWeights: preferring('desirableWeight'),
  alfworld: environment('the games of ALFWorld', (env) => env === usualEnvironment),
  lewis: environment('the Lewis game', (env) => env === lewisGame),
  tasks: environment('tasks of other environments', (env) => env !== lewisGame),
  cards: ofKind('gym_cards/…', 'gym-cards'),
  minigrid: ofKind('MiniGrid-…', 'minigrid'),
  robots: ofKind('tabletop/… and libero_…', 'tabletop', 'libero'),
  words: {
    about: 'env',
    words: 'environments whose tasks and actions are words',
    fits: ({ actions }) => actions !== 'numbers',
  },
  numbers: {
    about: 'env',
    words: 'environments whose actions have numbers',
    fits: ({ actions }) => actions !== 'words',
  },
  spoken: {
    about: 'env',
    words: 'episodes in words',
    fits: ({ isInSteps = false }) => !isInSteps,
  },
  model: {
    about: 'policy',
    words: 'language models',
    fits: ({ policy }) => policy === null || smallNetworkOf({ policy }) === null,
  },
  played: {
    about: null,
    words: 'games, but --data has none',
    fits: ({ method }) => method !== 'sft',
    with: (at) => at('dataset.data') == null && at('data') == null,
  },
  data: beside('--data, which was not given', (at) => at('dataset.data') != null || at('data') != null),
  openai: given('--expert openai, which was not given', 'expert.kind', 'openai'),
  scripted: beside(
    'scripted experts, not to --expert openai or human',
    (at) => !['openai', 'human'].includes(String(at('expert.kind'))),
  ),
  clients: given('--world http, which was not given', 'world.kind', 'http'),
  here: beside(
    'emac’s own world; with --world http the client has the games',
    (at) => at('world.kind') !== 'http',
  ),
  lora: beside('--train lora, which was not given', (at) => String(at('trained.parts')).includes('lora')),
  deep: beside('--projection mlp or mlp3', (at) => at('start.projection') !== 'linear'),
  curriculum: beside('--curriculum, which was not given', (at) => at('curriculum.formula') != null),
  mixture: beside(
    '--act-with mixture, which was not given',
    (at) => at('actWith') === 'mixture' || Number(at('play.expertShare.start')) > 0,
  ),
  departure: given('--train-on departure, which was not given', 'samples.selection.keep', 'departure'),
  drawn: beside(
    '--mixture, which was not given; one dataset is read in its order',
    (at) => at('mixture') != null,
  ),
  best: beside('--best-ema, which was not given', (at) => at('best.ema') != null),
  server: beside('--inference, which was not given', (at) => at('inference.url') != null),
  rated: beside('--utility, which was not given', (at) => at('shaping.utility') != null),
  answers: given('--credit answer, which was not given', 'losses.credit', 'answer'),
  penalty: beside('--beta above 0, which is 0 here', (at) => at('losses.beta') !== 0),
  discounted: comparing('discount'),
  weighted: comparing('weight'),
  attempts: comparing('attemptWeight'),
  contexts: comparing('history'),
  divided: beside(
    'advantages that are divided by a deviation; those of --advantages leave-one-out are not',
    (at) => at('losses.advantages') !== 'leave-one-out',
  ),
  groups: beside(
    'advantages within a group; with --advantages batch attempts that earn the same teach too',
    (at) => at('losses.advantages') !== 'batch',
  ),
  bnpo: given('--loss-type bnpo, which was not given', 'losses.normalization', 'bnpo'),
  both: beside('--role both, which was not given', (at) => at('role') === 'both' || at('turn') != null),
} as const satisfies Readonly<Record<string, Condition>>;

/** The first of the conditions that does not hold; null if all do. `settings` null: those that depend on the subject alone. */
export function unmet(names: readonly string[], subject: Subject, settings: object | null): Condition | null {
  const table: Readonly<Record<string, Condition>> = conditions;
  const holds = ({ fits, with: beside }: Condition) =>
    (fits?.(subject) ?? true) &&
    (settings === null || (beside?.((path) => valueAtPath(settings, path)) ?? true));
  return names.map((name) => table[name]!).find((each) => !holds(each)) ?? null;
}

/** What settings with these conditions are for, a phrase each. */
export function conditionWords(names: readonly string[]): string[] {
  const table: Readonly<Record<string, Condition>> = conditions;
  const phrases = names.map((name) => table[name]!.words.split(/[,;]/)[0]!);
  return [...new Set(phrases)].filter((phrase) => phrase !== '');
}
