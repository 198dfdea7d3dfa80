/**
 * A language model that labels environment steps from the policy's view: picture and prompt. Each picture with its
 * prompt is asked about once and keeps its label. So play depends on the replies only, in any order, and resumes from
 * its journal without repeating a request.
 */
import { EmacError, type Random } from '@emac/core';
import type { ReadAnswer } from '@emac/expert';
import { sha256 } from '@emac/files';
import type { ServiceConfig } from '@emac/settings';
import type { Host } from '../host.ts';
import { openLanguageModels } from './language-models.ts';
import { noReplies } from './reply-use.ts';
import { readStepAnswer, stepText, type StepAnswer, type StepQuestion } from './step-answer.ts';

/** An answer, or that none could be read. */
export type StepLabel = ReadAnswer<StepAnswer>;

export interface StepTeacher {
  /**
   * The label of a step; its picture is a PNG file. Rejects with `interrupted` if the service stays unreachable,
   * `auth`, `usage`.
   */
  label(question: StepQuestion, picture: Uint8Array): Promise<StepLabel>;
  /** sentences for people */
  readonly notes: readonly string[];
  /** sets the file that stores every reply before use; its content is reused */
  keepReplies(path: string): void;
  /** the current totals of that file */
  spent(): SpentOnLabels;
  dispose(): void;
}

export interface SpentOnLabels {
  /** requests that were answered */
  readonly requests: number;
  readonly promptTokens: number;
  readonly answerTokens: number;
  /** US dollars, 0 for reused replies; null without prices */
  readonly cost: number | null;
}

/** Errors: `usage`, `auth` without key and address, `missing` and `data` of a file to replay. */
export async function openStepTeacher(
  config: ServiceConfig,
  host: Pick<Host, 'env' | 'now'>,
  random: Random,
): Promise<StepTeacher> {
  if (config.api === 'completions')
    throw new EmacError('usage', '--expert-api completions: takes no pictures; use chat or responses');
  const { readAnswer, readReplies } = await import('@emac/expert');
  const models = await openLanguageModels(config, host, random);
  const { model: languageModel } = models;
  const known = new Map<string, Promise<StepLabel>>();
  let journal = '';
  const ask = (question: StepQuestion, picture: Uint8Array): Promise<StepLabel> => {
    const pictures = [`data:image/png;base64,${Buffer.from(picture).toString('base64')}`];
    const messages = [{ role: 'user' as const, content: stepText(question), pictures }];
    const read = (text: string) => readStepAnswer(text, question);
    return pausing(readAnswer({ messages, read }, { languageModel }));
  };
  return {
    label(question, picture) {
      const key = `${sha256(picture)} ${question.prompt}`;
      const label = known.get(key) ?? ask(question, picture);
      known.set(key, label);
      return label;
    },
    notes: models.notes,
    keepReplies(path) {
      journal = path;
      models.keepReplies(path, noReplies);
    },
    spent: () => spentOn(readReplies(journal), config),
    dispose: () => models.dispose(),
  };
}

/** Pauses if the service does not answer, as after several failed calls in a row. */
async function pausing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (!(thrown instanceof EmacError) || thrown.code !== 'unavailable') throw thrown;
    throw new EmacError('interrupted', thrown.message, { cause: thrown });
  }
}

interface Counted {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** Totals of these replies. */
export function spentOn(
  replies: readonly Counted[],
  { priceIn, priceOut, replay }: ServiceConfig,
): SpentOnLabels {
  const promptTokens = replies.reduce((sum, reply) => sum + reply.promptTokens, 0);
  const answerTokens = replies.reduce((sum, reply) => sum + reply.completionTokens, 0);
  const isPriced = priceIn !== null && priceOut !== null;
  const priced = isPriced ? (promptTokens * priceIn + answerTokens * priceOut) / 1e6 : null;
  const cost = replay === null ? priced : 0;
  return { requests: replies.length, promptTokens, answerTokens, cost };
}
