/**
 * Reads a sampling policy's answers as actions: seven action tokens and the end token. If the end token is elsewhere, the answer is
 * malformed: the robot does nothing, and the step costs a penalty (VLA-RL's `non_stop_penalty`).
 */
import { EmacError } from '@emac/core';
import type { ActionStatistics } from '../statistics/dataset-statistics.ts';
import { unnormalizeAction } from '../statistics/normalize.ts';
import { decodeAction, isActionToken, openVlaVocabulary } from './action-tokens.ts';
import { noOperation, toLibero } from './gripper.ts';

export interface AnswerRules {
  /** of the policy's fine-tuning data set */
  readonly statistics: ActionStatistics;
  /** default 2, LLaMA's */
  readonly endToken?: number;
  /** default 32000 */
  readonly vocabulary?: number;
  /** added to the reward of a malformed answer's step; default −1 */
  readonly penalty?: number;
}

export type ReadAnswer =
  | {
      readonly kind: 'action';
      /** in LIBERO's convention, gripper −1 open and 1 closed */
      readonly action: readonly number[];
      /** other tokens before the end; they count as the nearest action token, as published */
      readonly strangers: number;
    }
  | { readonly kind: 'malformed'; readonly action: readonly number[] };

export interface ReadAnswers {
  /** one per answer, in LIBERO's convention */
  readonly actions: readonly (readonly number[])[];
  /** 0 or the penalty, per answer */
  readonly penalties: readonly number[];
  /** number of malformed answers */
  readonly malformed: number;
  /** number of other tokens in the rest */
  readonly strangers: number;
}

/**
 * `ids` follow the prompt and include the end token and later ids. The first end token must come after exactly as many
 * ids as the data has dimensions.
 */
export function readAnswer(ids: readonly number[], rules: AnswerRules): ReadAnswer {
  const { statistics, endToken = 2, vocabulary = openVlaVocabulary } = rules;
  const dimensions = statistics.q01.length;
  if (ids.indexOf(endToken) !== dimensions) return { kind: 'malformed', action: noOperation };
  const said = ids.slice(0, dimensions);
  const action = toLibero(unnormalizeAction(decodeAction(said, vocabulary), statistics));
  return { kind: 'action', action, strangers: said.filter((id) => !isActionToken(id, vocabulary)).length };
}

/** Reads and counts a batch of answers. Errors: `usage` for an invalid penalty. */
export function readAnswers(batch: readonly (readonly number[])[], rules: AnswerRules): ReadAnswers {
  const { penalty = -1 } = rules;
  if (!Number.isFinite(penalty))
    throw new EmacError('usage', `penalty: must be a finite number, got ${penalty}`);
  const answers = batch.map((ids) => readAnswer(ids, rules));
  return {
    actions: answers.map(({ action }) => action),
    penalties: answers.map(({ kind }) => (kind === 'malformed' ? penalty : 0)),
    malformed: answers.filter(({ kind }) => kind === 'malformed').length,
    strangers: answers.reduce((sum, answer) => sum + (answer.kind === 'action' ? answer.strangers : 0), 0),
  };
}
