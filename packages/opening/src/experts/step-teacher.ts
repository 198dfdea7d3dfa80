/**
 * A language model that labels steps of an environment by what the policy sees of them: the picture and the prompt. The same picture with the
 * same prompt is asked about once and has the same label ever after, so that play follows from the replies alone, in whatever order
 * they came: play that was stopped goes on from its journal without asking anything again.
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
  /** The label of a step; its picture is a PNG file. Rejects with `interrupted` where the service stays away, `auth`, `usage`. */
  label(question: StepQuestion, picture: Uint8Array): Promise<StepLabel>;
  /** sentences for people */
  readonly notes: readonly string[];
  /** names the file that keeps every reply before it is used; what it holds is used again */
  keepReplies(path: string): void;
  /** what is in that file by now */
  spent(): SpentOnLabels;
  dispose(): void;
}

export interface SpentOnLabels {
  /** requests that were answered */
  readonly requests: number;
  readonly promptTokens: number;
  readonly answerTokens: number;
  /** US dollars, nothing where replies of an earlier run are used; null without prices */
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

/** A service that does not answer pauses, as it does where several calls in a row have failed. */
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

function spentOn(replies: readonly Counted[], { priceIn, priceOut, replay }: ServiceConfig): SpentOnLabels {
  const promptTokens = replies.reduce((sum, reply) => sum + reply.promptTokens, 0);
  const answerTokens = replies.reduce((sum, reply) => sum + reply.completionTokens, 0);
  const isPriced = priceIn !== null && priceOut !== null;
  const priced = isPriced ? (promptTokens * priceIn + answerTokens * priceOut) / 1e6 : null;
  const cost = replay === null ? priced : 0;
  return { requests: replies.length, promptTokens, answerTokens, cost };
}
