/**
 * What a policy that samples has said, as actions. Seven action tokens and the end: where the end stands elsewhere the answer is no action,
 * the robot does nothing, and the step costs a penalty (VLA-RL's `non_stop_penalty`).
 */
import { EmacError } from '@emac/core';
import type { ActionStatistics } from '../statistics/dataset-statistics.ts';
import { unnormalizeAction } from '../statistics/normalize.ts';
import { decodeAction, isActionToken, openVlaVocabulary } from './action-tokens.ts';
import { noOperation, toLibero } from './gripper.ts';

export interface AnswerRules {
  /** of the data set that the policy was fine-tuned on */
  readonly statistics: ActionStatistics;
  /** 2 by default, LLaMA's */
  readonly endToken?: number;
  /** 32000 by default */
  readonly vocabulary?: number;
  /** added to the reward of a step without an action; −1 by default */
  readonly penalty?: number;
}

export type ReadAnswer =
  | {
      readonly kind: 'action';
      /** as LIBERO takes it, the gripper −1 open and 1 closed */
      readonly action: readonly number[];
      /** tokens before the end that are no action tokens; they count as the nearest, as published */
      readonly strangers: number;
    }
  | { readonly kind: 'malformed'; readonly action: readonly number[] };

export interface ReadAnswers {
  /** one for each answer, as LIBERO takes them */
  readonly actions: readonly (readonly number[])[];
  /** 0 or the penalty, for each answer */
  readonly penalties: readonly number[];
  /** answers without an action */
  readonly malformed: number;
  /** tokens that were no action tokens in the others */
  readonly strangers: number;
}

/** The ids after the prompt, with the end and what follows it. The first end must stand behind as many ids as the data has dimensions. */
export function readAnswer(ids: readonly number[], rules: AnswerRules): ReadAnswer {
  const { statistics, endToken = 2, vocabulary = openVlaVocabulary } = rules;
  const dimensions = statistics.q01.length;
  if (ids.indexOf(endToken) !== dimensions) return { kind: 'malformed', action: noOperation };
  const said = ids.slice(0, dimensions);
  const action = toLibero(unnormalizeAction(decodeAction(said, vocabulary), statistics));
  return { kind: 'action', action, strangers: said.filter((id) => !isActionToken(id, vocabulary)).length };
}

/** Answers of a batch, counted. Errors: `usage` for a penalty that is no number. */
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
