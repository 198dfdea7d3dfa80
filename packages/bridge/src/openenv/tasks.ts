/** The tasks of an environment as OpenEnv lists them: by split and number. */
import type { OpenedKind, Task, TaskSource } from '@emac/core';
import { OpenEnvError, splitNames, type SplitName } from './protocol.ts';

/** A task as clients see it. */
export interface ListedTask {
  readonly id: string;
  readonly type: string | null;
  readonly split: SplitName;
  readonly index: number;
}

const sets = { train: 'training', test: 'heldOut' } as const;

/** The tasks of a split. */
export function sourceOf({ tasks }: Pick<OpenedKind, 'tasks'>, split: SplitName): TaskSource {
  return tasks[sets[split]];
}

/** Its splits, with the protocol's types. */
export function listedSplits(): object[] {
  return splitNames.map((name) => ({ name, type: name }));
}

/** Errors: `VALIDATION_ERROR` for a number that the split does not have. */
export function taskAt(kind: Pick<OpenedKind, 'tasks'>, split: SplitName, index: number): Task {
  const { count, at } = boundSource(kind, split);
  if (count === null || index < count) return at(index);
  throw new OpenEnvError('VALIDATION_ERROR', `index: split ${split} has ${count} tasks, got ${index}`);
}

function boundSource(kind: Pick<OpenedKind, 'tasks'>, split: SplitName): TaskSource {
  const source = sourceOf(kind, split);
  return { count: source.count, at: (number) => source.at(number) };
}

/** The tasks from `start` to before `stop`, at most `mostListed`. Errors: as `taskAt`'s; `VALIDATION_ERROR` for a longer list. */
export function listedTasks(
  kind: Pick<OpenedKind, 'tasks'>,
  split: SplitName,
  {
    start = 0,
    stop = sourceOf(kind, split).count,
  }: { start?: number | undefined; stop?: number | null | undefined },
): ListedTask[] {
  if (stop === null)
    throw new OpenEnvError(
      'VALIDATION_ERROR',
      `split ${split} has a task for every number; give start and stop`,
    );
  if (stop - start > mostListed)
    throw new OpenEnvError(
      'VALIDATION_ERROR',
      `stop: a list has at most ${mostListed} tasks, got ${stop - start}`,
    );
  return Array.from({ length: Math.max(0, stop - start) }, (_, offset) => {
    const index = start + offset;
    const { id, type } = taskAt(kind, split, index);
    return { id, type, split, index };
  });
}

const mostListed = 20_000;
