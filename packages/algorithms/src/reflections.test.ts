import { EmacError, Random } from '@emac/core';
import { describe, expect, it } from 'vitest';
import type { Running } from './dagger-run.ts';
import { addLesson, initialState, type FailedEpisode } from './dagger-state.ts';
import type { ProgressEvent } from './progress.ts';
import { newLessons } from './reflections.ts';

const failed = (taskId: string): FailedEpisode => {
  return { taskId, taskType: null, round: 0, history: { initial: '', turns: [] }, expertCommands: [] };
};

/** A round with so many failed tasks, and its events. */
function failedRound(count: number, reflect: Running['reflect'], signal?: AbortSignal) {
  const state = initialState('bc', Random.fromSeed(0).path);
  state.failures = Array.from({ length: count }, (_, place) => failed(`task ${place}`));
  const events: ProgressEvent[] = [];
  const report = (event: ProgressEvent) => void events.push(event);
  return { run: { state, reflect, report, signal } as unknown as Running, events, state };
}

/** So many turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('newLessons', () => {
  it('asks for several at a time and gives them in the order of the failures', async () => {
    let [now, most] = [0, 0];
    const { run } = failedRound(20, async ({ taskId }) => {
      most = Math.max(most, ++now);
      // later tasks answer sooner
      await turns(20 - Number(taskId.slice(5)));
      now--;
      return taskId === 'task 3' ? null : `lesson of ${taskId}`;
    });
    const lessons = await newLessons(run);
    expect(most).toBe(8);
    const all = Array.from({ length: 20 }, (_, place) => `task ${place}`);
    const expected = all.filter((id) => id !== 'task 3');
    expect(lessons).toEqual(expected.map((taskId) => ({ taskId, lesson: `lesson of ${taskId}` })));
  });

  it('loses one lesson to one service failure, and reports it', async () => {
    const { run, events } = failedRound(3, async ({ taskId }) => {
      if (taskId === 'task 1') throw new EmacError('unavailable', 'no reply in time');
      return 'a lesson';
    });
    expect((await newLessons(run)).map(({ taskId }) => taskId)).toEqual(['task 0', 'task 2']);
    expect(events.filter(({ kind }) => kind === 'reflection-failed')).toEqual([
      { kind: 'reflection-failed', round: 0, taskId: 'task 1', reason: 'no reply in time' },
    ]);
  });

  it.each([new EmacError('interrupted', 'three calls failed in a row'), new Error('a bug')])(
    'lets other faults through when nothing is in flight any more, and asks for nothing after them: %s',
    async (fault) => {
      let [now, asked] = [0, 0];
      const { run } = failedRound(20, async ({ taskId }) => {
        asked++;
        if (taskId === 'task 2') throw fault;
        now++;
        await turns(5);
        now--;
        return 'a lesson';
      });
      await expect(newLessons(run)).rejects.toBe(fault);
      expect([now, asked]).toEqual([0, 8]);
    },
  );

  it('gives each reflection the lessons before it, and stops when asked to', async () => {
    const controller = new AbortController();
    const seen: (readonly string[])[] = [];
    const reflect: Running['reflect'] = ({ lessons }) => {
      seen.push(lessons);
      controller.abort();
      return Promise.resolve('a lesson');
    };
    const { run, state } = failedRound(1, reflect, controller.signal);
    addLesson(state, 'task 0', 'the first');
    await expect(newLessons(run)).rejects.toMatchObject({ code: 'interrupted' });
    expect(seen).toEqual([['the first']]);
  });
});
