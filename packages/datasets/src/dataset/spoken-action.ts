/** Records whose output is a robot's action: its tokens depend on the model that learns them. */
import { EmacError } from '@emac/core';
import type { ModelFiles } from '@emac/backbone';
import type { Student } from '@emac/model';
import { actionTokens, actionWordsOf, type ActionWords } from '@emac/opening';
import type { DatasetRecord } from './offline-dataset.ts';

export interface Speaker {
  readonly model: { readonly files: Pick<ModelFiles, 'folder' | 'family' | 'config'> };
  readonly student: Pick<Student, 'endToken'>;
}

/** Ids of an action and the end. Errors: `data` for a record that names no environment, or another number of dimensions; `missing` where the model has no statistics of it. */
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
