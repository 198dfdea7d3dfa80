/** Tasks from a client, and episodes lost by their environment. */
import { LostEpisode, type Environment } from '@emac/core';
import { fetching, numbersOf } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { brought } from './brought-tasks.test.support.ts';
import type { StoredCheckpoint } from './dagger-state.ts';
import { knowing, ofKind, told, trainSmall, type SmallRun } from './small-runs.test.support.ts';

async function trained(asked: SmallRun) {
  const saved: StoredCheckpoint[] = [];
  const small = await trainSmall({ ...asked, checkpoint: (at) => void saved.push(structuredClone(at)) });
  return { ...small, saved, result: { lines: small.lines, saved, parameters: numbersOf(small.policy) } };
}

const inOrder = ['fetch/a', 'fetch/b', 'fetch/c'];
const straight = { optimization: { schedule: 'linear' } } as const;

describe('tasks from a client', () => {
  it('teach the same as a list of equal tasks in equal order', async () => {
    const listed = await trained({ ...straight, play: { skipSolved: true }, policy: knowing('b') });
    const { environment, turnedAway } = brought(inOrder);
    const came = await trained({
      ...straight,
      play: { skipSolved: true },
      policy: knowing('b'),
      run: { environment },
    });
    expect(came.result).toEqual(listed.result);
    // solved in the first round, it is not wanted in the two that follow
    expect(listed.state.solved).toContain('fetch/b');
    expect(turnedAway).toContain('fetch/b');
  });

  it('may arrive in another order in later rounds', async () => {
    const { environment } = brought(['fetch/b', 'fetch/a', 'fetch/c', 'fetch/a']);
    const { events, lines } = await trained({ play: { rounds: 2 }, run: { environment } });
    const played = told(events, 'episode-end').map(({ round, place, taskId }) => [round, place, taskId]);
    expect(played).toEqual([
      [0, 0, 'fetch/b'],
      [0, 1, 'fetch/a'],
      [0, 2, 'fetch/c'],
      [1, 1, 'fetch/a'],
      [1, 0, 'fetch/b'],
      [1, 2, 'fetch/c'],
    ]);
    expect(ofKind(lines, 'round').map(({ played }) => played)).toEqual([3, 3]);
  });

  it('replace tasks that do not arrive any more', async () => {
    const ids = ['fetch/a', 'fetch/b', 'other/a', 'other/b', 'third/a'];
    const { environment } = brought(ids, { count: 2 });
    const { events } = await trained({ play: { rounds: 2 }, run: { environment } });
    const played = told(events, 'episode-end').map(({ round, taskId }) => `${round} ${taskId}`);
    expect(played).toEqual(['0 fetch/a', '0 fetch/b', '1 other/a', '1 other/b']);
  });

  it('end a round early if only tasks already played in it arrive', async () => {
    const { environment } = brought(['fetch/a']);
    const { events, lines } = await trained({ play: { rounds: 2 }, run: { environment } });
    expect(told(events, 'episode-end').map(({ round }) => round)).toEqual([0, 1]);
    expect(ofKind(lines, 'round').map(({ played }) => played)).toEqual([1, 1]);
  });
});

describe('an episode that its environment loses', () => {
  /** One that loses the second attempt at its second task after a step. */
  function losing(): Environment {
    const inner = fetching();
    let attempts = 0;
    return {
      ...inner,
      begin: async (task, seed) => {
        const episode = await inner.begin(task, seed);
        const isLost = task.id === 'fetch/b' && ++attempts === 2;
        let steps = 0;
        const step = (command: string) =>
          isLost && ++steps === 2
            ? Promise.reject(new LostEpisode('fetch/b: the simulator has crashed'))
            : episode.step(command);
        return { ...episode, step };
      },
    };
  }

  it('teaches nothing, is in no rate, and is named', async () => {
    const { events, lines, state, transitions } = await trained({
      play: { rounds: 2, stopRepeating: false },
      run: { environment: losing() },
    });
    const lost = told(events, 'episode-end').filter(({ fault }) => fault !== undefined);
    expect(lost).toMatchObject([
      {
        round: 1,
        taskId: 'fetch/b',
        won: false,
        steps: 1,
        stored: 0,
        fault: 'fetch/b: the simulator has crashed',
      },
    ]);
    const rounds = ofKind(lines, 'round');
    expect(rounds.map(({ played, lost: count }) => [played, count])).toEqual([
      [3, undefined],
      [2, 1],
    ]);
    expect(state.episodes).toBe(6);
    expect(ofKind(lines, 'update').some(({ round, game }) => round === 1 && game === 'fetch/b')).toBe(false);
    expect(transitions.length).toBe(state.appended);
  });

  it('is not reflected on', async () => {
    const failed: string[] = [];
    await trained({
      play: { rounds: 2 },
      run: {
        environment: losing(),
        reflect: ({ taskId, round }) => {
          failed.push(`${round} ${taskId}`);
          return Promise.resolve(null);
        },
      },
    });
    expect(failed).toContain('0 fetch/b');
    expect(failed).not.toContain('1 fetch/b');
  });
});
