/**
 * The forms of results. A worker of these versions gives no other, so another one was forged or damaged: the trainer refuses it in
 * a sentence before it counts, plays or learns anything of it.
 */
import type { SaidSteps, ScoredEpisode } from '@emac/rollout';
import type { RecordedEpisode } from '@emac/rollout';
import { EmacError } from '@emac/core';

type Is = (value: unknown) => boolean;

const isText: Is = (value) => typeof value === 'string';
const isFlag: Is = (value) => typeof value === 'boolean';
const isNumber: Is = (value) => typeof value === 'number';
const isFinite: Is = (value) => Number.isFinite(value);
const isCount: Is = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isNull: Is = (value) => value === null;

const either =
  (...forms: readonly Is[]): Is =>
  (value) =>
    forms.some((is) => is(value));

const listOf =
  (is: Is, length?: number): Is =>
  (value) =>
    Array.isArray(value) && (length ?? value.length) === value.length && value.every(is);

const numbers =
  (length: number): Is =>
  (value) =>
    (value instanceof Float32Array || listOf(isNumber)(value)) && (value as Float32Array).length === length;

/** Names that end in `?` may be absent. */
const object = (fields: Readonly<Record<string, Is>>): Is => {
  const named = Object.entries(fields).map(([name, is]) => [name.replace('?', ''), is, name] as const);
  return (value) =>
    typeof value === 'object' &&
    value !== null &&
    named.every(([name, is, given]) => {
      const found = (value as Readonly<Record<string, unknown>>)[name];
      return found === undefined ? given.endsWith('?') : is(found);
    });
};

const isFrame: Is = (value) => {
  if (!object({ width: isCount, height: isCount, data: (data) => data instanceof Uint8Array })(value))
    return false;
  const { width, height, data } = value as { width: number; height: number; data: Uint8Array };
  return data.length === 3 * width * height;
};

const isArray: Is = (value) => {
  if (!object({ shape: listOf(isCount), data: ArrayBuffer.isView })(value)) return false;
  const { shape, data } = value as { shape: number[]; data: Uint8Array };
  return data.length === shape.reduce((product, each) => product * each, 1);
};

const isObservation = object({
  text: isText,
  frames: listOf(isFrame),
  admissible: either(isNull, listOf(isText)),
  'arrays?': (value) => typeof value === 'object' && Object.values(value ?? {}).every(isArray),
  'agent?': isText,
});

const isAnyAnswer = object({
  text: isText,
  tokens: listOf(isCount),
  logProbabilities: listOf(isNumber),
  'entropies?': listOf(isNumber),
  'possible?': listOf(listOf(isCount)),
});

/** What is told of tokens is told of each. */
const isAnswer: Is = (value) => {
  if (!isAnyAnswer(value)) return false;
  const { tokens, logProbabilities, entropies, possible } = value as Partial<Record<string, unknown[]>>;
  return [logProbabilities, entropies, possible].every(
    (each) => each === undefined || each.length === tokens!.length,
  );
};

const isLabel = either(
  object({ kind: (kind) => kind === 'action', command: isText, 'thoughts?': listOf(isText) }),
  object({ kind: (kind) => kind === 'unusable', reason: isText }),
);

const isStep = object({
  answer: either(isNull, isAnswer),
  label: either(isNull, isLabel),
  action: isText,
  result: object({
    observation: isObservation,
    reward: isFinite,
    terminated: isFlag,
    truncated: isFlag,
    info: (value) => typeof value === 'object' && value !== null,
  }),
});

const isEpisode = object({
  first: isObservation,
  steps: listOf(isStep),
  fault: either(isNull, isText),
});

/** Errors: `data` for anything but so many episodes of at most so many steps. */
export function episodesIn(
  found: unknown,
  { count, maxSteps }: { readonly count: number; readonly maxSteps: number },
): readonly RecordedEpisode[] {
  if (!listOf(isEpisode, count)(found)) throw refused(`${count} episodes with their steps`);
  const episodes = found as readonly RecordedEpisode[];
  if (episodes.some(({ steps }) => steps.length > maxSteps))
    throw refused(`episodes of at most ${maxSteps} steps`);
  return episodes;
}

/** numbers that an answer may draw: a few for each of its tokens */
const mostDraws = 1_000_000;

/** Errors: `data` for anything but the answers of so many steps in so many environments. */
export function saidIn(
  found: unknown,
  { steps, environments }: { readonly steps: number; readonly environments: number },
): SaidSteps {
  const all = steps * environments;
  const isSaid = object({
    answers: listOf(isAnswer, all),
    draws: listOf((value) => isCount(value) && (value as number) <= mostDraws, all),
    values: numbers(all),
    finalValues: numbers(all),
    nextValues: numbers(environments),
    after: isText,
  });
  if (isSaid(found)) return found as SaidSteps;
  throw refused(`the answers of ${steps} steps in ${environments} environments`);
}

const scoreForms = {
  return: isFinite,
  steps: isCount,
  truncated: isFlag,
  fallbacks: isCount,
  'repairs?': isCount,
  'won?': isFlag,
};
const scoreNames = Object.keys(scoreForms).map((name) => name.replace('?', ''));

/** Errors: `data` for anything but the score of an episode. */
export function scoreIn(found: unknown): ScoredEpisode {
  if (object(scoreForms)(found) && Object.keys(found as object).every((name) => scoreNames.includes(name)))
    return found as ScoredEpisode;
  throw refused('the score of an episode, of finite numbers');
}

/** Errors: `data` for anything but so many lists of steps, each of this form. */
export function recordsIn(found: unknown, count: number): readonly (readonly object[])[] {
  if (listOf(listOf(object({})), count)(found)) return found as object[][];
  throw refused(`the steps of ${count} episodes`);
}

function refused(what: string): EmacError {
  return new EmacError('data', `it must hold ${what}`);
}
