/** Records with a robot's action as output: its tokens depend on the trained model. */
import { EmacError } from '@emac/core';
import type { ModelFiles } from '@emac/backbone';
import type { Student } from '@emac/model';
import { actionTokens, actionWordsOf, type ActionWords } from '@emac/opening';
import type { DatasetRecord } from './offline-dataset.ts';

export interface Speaker {
  readonly model: { readonly files: Pick<ModelFiles, 'folder' | 'family' | 'config'> };
  readonly student: Pick<Student, 'endToken'>;
}

/**
 * Ids of an action and the end token. Errors: `data` for a record without an environment, or with another number of
 * dimensions; `missing` if the model has no statistics for it.
 */
export function actionSpeaker({ model, student }: Speaker, path: string) {
  const known = new Map<string, ActionWords>();
  return ({ task_type }: Pick<DatasetRecord, 'task_type'>, action: readonly number[]): readonly number[] => {
    if (task_type === undefined)
      throw new EmacError('data', `${path}: a record with an action needs its environment as task_type`);
    const words = known.get(task_type) ?? actionWordsOf(model.files, task_type);
    known.set(task_type, words);
    return [...actionTokens(action, words), student.endToken];
  };
}
