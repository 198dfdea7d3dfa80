/**
 * Finds records that exceed the model's limits, before training. A prompt may lose its oldest steps, as in training, but
 * not its opening; an output is not truncated.
 */
import { setImmediate } from 'node:timers/promises';
import type { Writing } from '@emac/backbone';
import { answersTo, EmacError, type Policy } from '@emac/core';
import type { Student } from '@emac/model';
import type { SpokenForm } from '@emac/opening';
import type { Dataset } from './offline-dataset.ts';
import { saidText, type SaidRecord } from './data-forms.ts';
import {
  isCutEqual,
  mostIdsOf,
  saidSample,
  type Bounds,
  type LengthLimit,
  type SaidReading,
  type Writer,
} from './said-sample.ts';
import { outputTexts, shortestPrompt, shownPictures, wholePrompt } from './offline-text.ts';

export interface Lengths extends SpokenForm {
  readonly policy: Pick<Policy, 'countPromptTokens' | 'encode'> &
    Pick<Student, 'answerTokens' | 'positions' | 'needsPicture'> &
    Writer &
    Bounds;
  /** whether rejected outputs count too */
  readonly pairs: boolean;
  /** the assistant's turns that are learned */
  readonly turns: Writing['turns'];
  /** of a conversation or text; null: the model's positions */
  readonly limit: LengthLimit | null;
  readonly signal?: AbortSignal | undefined;
}

export interface TooLong {
  /** index in the dataset */
  readonly index: number;
  /** field, limit and length */
  readonly reason: string;
  /** a pair whose sides are equal once they are cut: it is skipped in any case, as pairs with equal outputs are */
  readonly isEqual?: boolean;
}

/** records counted between yields to the event loop, for example for Ctrl-C */
const atOnce = 256;

/** Checks all records, in order. Errors: `interrupted`. */
export async function* tooLongRecords(dataset: Dataset, lengths: Lengths): AsyncGenerator<TooLong> {
  const reasonOf = reasons(lengths);
  for (let index = 0; index < dataset.length; index++) {
    if (index % atOnce === atOnce - 1) await setImmediate();
    if (lengths.signal?.aborted)
      throw new EmacError(
        'interrupted',
        `${dataset.path}: stopped on request while its records were checked, after ${index} of ${dataset.length}`,
      );
    const found = reasonOf(dataset.record(index));
    if (typeof found === 'string') yield { index, reason: found };
    else if (found !== null) yield { index, ...found };
  }
}

/** Errors: `data` naming the first overlong record. */
export async function requireLengths(dataset: Dataset, lengths: Lengths): Promise<void> {
  for await (const found of tooLongRecords(dataset, lengths))
    throw tooLong(dataset, found, 'shorten it, or raise the limit');
}

export function tooLong(dataset: Dataset, { index, reason }: TooLong, remedy: string): EmacError {
  return new EmacError('data', `${dataset.path}: record ${dataset.number(index)}: ${reason}; ${remedy}`);
}

function reasons({ policy, generation, text, pairs, turns, limit }: Lengths) {
  const count = (words: string) => policy.countPromptTokens(words);
  const { needsPicture } = policy;
  const tokensOf = (answer: string) => policy.answerTokens(answer).length + 1;
  return (record: ReturnType<Dataset['record']>): Reason => {
    const { text_output, text_output_neg, verbatim, action, said } = record;
    const pictures = policy.encode ? shownPictures(record, { ...text, needsPicture }) : 0;
    if (said) return saidReason(said, policy, { turns, pictures, limit, pairs });
    if (count(wholePrompt(record, text)) > text.maxTokens) {
      const least = count(shortestPrompt(record, text));
      if (least > text.maxTokens)
        return `text_input: must have at most ${text.maxTokens} tokens (--max-prompt-tokens), has ${least}${verbatim ? '' : ' without any of its steps'}`;
    }
    const outputs = { text_output, ...(pairs && text_output_neg !== undefined && { text_output_neg }) };
    for (const [field, output] of Object.entries(outputs)) {
      // an action has a token per number, plus the end token
      const tokens = action ? action.length + 1 : tokensOf(outputTexts(record).target(output));
      if (tokens > generation.maxLength)
        return `${field}: must have at most ${generation.maxLength} tokens (--max-new-tokens), has ${tokens} with the end token`;
    }
    return null;
  };
}

type Reason = string | Omit<TooLong, 'index'> | null;

/** Why a record of texts or messages cannot be used; null if it can. */
function saidReason(
  said: SaidRecord,
  policy: Lengths['policy'],
  reading: SaidReading & Pick<Lengths, 'pairs'>,
): Reason {
  try {
    if (isSurelyShort(said, policy, reading)) return null;
    const sample = saidSample(said, policy, reading);
    const { limit, pairs } = reading;
    if (limit?.equal === 'drop' && pairs && isCutEqual(sample))
      return {
        isEqual: true,
        reason: `both sides are equal within ${limit.tokens} tokens (--max-record-tokens)`,
      };
    const { prompt, output, worse } = sample;
    const { answers } = answersTo(worse === null ? [output] : [output, worse]);
    const longest = Math.max(...answers.map(({ length }) => length));
    const tokens = (prompt.kind === 'tokens' ? prompt.tokens.length : 0) + longest;
    if (tokens <= policy.positions) return null;
    return `must have at most the ${policy.positions} tokens of the model's positions, has ${tokens}`;
  } catch (thrown) {
    if (thrown instanceof EmacError && thrown.code === 'data') return thrown.message;
    throw thrown;
  }
}

/** Whether a record's text alone shows that it fits, so that it need not be tokenized. */
function isSurelyShort(said: SaidRecord, policy: Lengths['policy'], reading: SaidReading): boolean {
  if (reading.pictures > 0 || said.isSeen) return false;
  const most = Math.min(policy.positions, reading.limit?.tokens ?? Infinity);
  const { before, after, worse } = said;
  // what has more characters is not bounded by its bytes, and would be rendered twice
  if (saidText(before).length + saidText(after).length > most) return false;
  const sides = worse === null ? [after] : [after, worse];
  return sides.every((side) => mostIdsOf({ ...said, after: side }, policy, reading.turns) <= most);
}
