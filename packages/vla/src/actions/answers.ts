/**
 * Reads a sampling policy's answers as actions: seven action tokens and the end token. If the end token is elsewhere, the answer is
 * malformed: the robot does nothing, and the step costs a penalty (VLA-RL's `non_stop_penalty`).
 */
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
