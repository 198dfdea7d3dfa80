/** The Lewis game as an environment of tasks: the influence of the run's seed. */
import type { OpenedKind, TaskSet } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { lewisKind } from './lewis-kind.ts';

/** Ids and pictures of the first tasks. */
async function shown(opened: OpenedKind, set: TaskSet, count: number) {
  const source = opened.tasks[set];
  const tasks = Array.from({ length: count }, (_, number) => source.at(number));
  const begun = await Promise.all(tasks.map((task) => opened.begin(task, '')));
  return begun.map(({ task, first }) => [
    task.id,
    first.text,
    Buffer.from(first.frames[0]!.data).toString('base64'),
  ]);
}

describe('the seed of a run', () => {
  it('decides training tasks, and no held-out ones', async () => {
    const of = (seed?: number) =>
      lewisKind.open('lewis/listener', { maxSteps: null, ...(seed !== undefined && { seed }) });
    const [none, zero, one, again] = await Promise.all([of(), of(0), of(1), of(1)]);
    expect(await shown(none, 'training', 12)).toEqual(await shown(zero, 'training', 12));
    expect(await shown(one, 'training', 12)).toEqual(await shown(again, 'training', 12));
    expect(await shown(one, 'training', 12)).not.toEqual(await shown(zero, 'training', 12));
    expect(await shown(one, 'heldOut', 12)).toEqual(await shown(zero, 'heldOut', 12));
  });
});
