import { EmacError, Random } from '@emac/core';
import { describe, expect, it } from 'vitest';
import type { ProgressEvent } from './progress.ts';
import { newLessons } from './reflections.ts';
import type { Running } from './training-run.ts';
import { addLesson, initialState, type FailedEpisode } from './training-state.ts';

const failed = (gameId: string): FailedEpisode => ({
  ...{ gameId, taskType: null, round: 0, history: { initial: '', turns: [] }, expertCommands: [] },
});

/** A round that failed at so many games, and what it tells. */
function failedRound(count: number, reflect: Running['reflect'], signal?: AbortSignal) {
  const state = initialState('bc', Random.fromSeed(0).path);
  state.failures = Array.from({ length: count }, (_, place) => failed(`game ${place}`));
  const events: ProgressEvent[] = [];
  const report = (event: ProgressEvent) => void events.push(event);
  return { run: { state, reflect, report, signal } as unknown as Running, events, state };
}

const after = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

describe('newLessons', () => {
  it('asks for several at a time and gives them in the order of the failures', async () => {
    let [now, most] = [0, 0];
    const { run } = failedRound(20, async ({ gameId }) => {
      most = Math.max(most, ++now);
      // later games answer sooner
      await after(20 - Number(gameId.slice(5)));
      now--;
      return gameId === 'game 3' ? null : `lesson of ${gameId}`;
    });
    const lessons = await newLessons(run);
    expect(most).toBe(8);
    const expected = Array.from({ length: 20 }, (_, place) => `game ${place}`).filter(
      (id) => id !== 'game 3',
    );
    expect(lessons).toEqual(expected.map((gameId) => ({ gameId, lesson: `lesson of ${gameId}` })));
  });

  it('loses one lesson to one failure of the service, and says so', async () => {
    const { run, events } = failedRound(3, async ({ gameId }) => {
      if (gameId === 'game 1') throw new EmacError('unavailable', 'no reply in time');
      return 'a lesson';
    });
    expect((await newLessons(run)).map(({ gameId }) => gameId)).toEqual(['game 0', 'game 2']);
    expect(events.filter(({ kind }) => kind === 'reflection-failed')).toEqual([
      { kind: 'reflection-failed', round: 0, gameId: 'game 1', reason: 'no reply in time' },
    ]);
  });

  it.each([new EmacError('interrupted', 'three calls failed in a row'), new Error('a bug')])(
    'lets other faults through when nothing is in flight any more, and asks for nothing after them: %s',
    async (fault) => {
      let [now, asked] = [0, 0];
      const { run } = failedRound(20, async ({ gameId }) => {
        asked++;
        if (gameId === 'game 2') throw fault;
        now++;
        await after(5);
        now--;
        return 'a lesson';
      });
      await expect(newLessons(run)).rejects.toBe(fault);
      expect([now, asked]).toEqual([0, 8]);
    },
  );

  it('tells each reflection the lessons before it, and stops when asked to', async () => {
    const controller = new AbortController();
    const seen: (readonly string[])[] = [];
    const reflect: Running['reflect'] = ({ lessons }) => {
      seen.push(lessons);
      controller.abort();
      return Promise.resolve('a lesson');
    };
    const { run, state } = failedRound(1, reflect, controller.signal);
    addLesson(state, 'game 0', 'the first');
    await expect(newLessons(run)).rejects.toMatchObject({ code: 'interrupted' });
    expect(seen).toEqual([['the first']]);
  });
});
