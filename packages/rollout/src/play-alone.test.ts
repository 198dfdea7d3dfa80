import { Random, type Environment, type Task } from '@emac/core';
import { fetching, taskIds } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { evaluatedGame } from './evaluation-result.ts';
import { attemptName, playAlone, type PlayAlone } from './play-alone.ts';
import { answering, fetchesA, setup } from './setups.test.support.ts';

const random = Random.fromSeed(0);

/** Every attempt as an evaluation counts it, and the seeds of their environment. */
async function played(parts: Partial<PlayAlone>) {
  const seeds: string[] = [];
  const { policy, texts, sampling } = setup();
  const environment = fetching();
  const begin: Environment['begin'] = (task, seed) => {
    seeds.push(`${task.id} ${seed}`);
    return environment.begin(task, seed);
  };
  const trajectories = await playAlone({
    policy,
    texts,
    sampling,
    random,
    maxSteps: 6,
    admissibleOnly: false,
    parallel: 1,
    environment: { ...environment, begin },
    ...parts,
  });
  const trainedOn = new Set(['fetch/b']);
  return { games: trajectories.map((each) => evaluatedGame(each, { trainedOn })), seeds };
}

describe('playAlone', () => {
  it.each([1, 2, 8])('plays each task once, %i at once', async (parallel) => {
    const { games } = await played({ parallel });
    expect(games).toEqual([
      { id: 'fetch/a', type: null, won: true, steps: 2, seen_in_training: false, return: 1 },
      { id: 'fetch/b', type: null, won: false, steps: 6, seen_in_training: true, return: 0 },
      { id: 'fetch/c', type: null, won: false, steps: 6, seen_in_training: false, return: 0 },
    ]);
  });

  it('plays games from a client once each, in order of arrival', async () => {
    const inner = fetching();
    const coming = ['fetch/c', 'fetch/c', 'fetch/a', 'fetch/b'];
    const tasks: Task[] = [];
    const next = (isWanted: (task: Task) => boolean): number | null => {
      for (let id = coming.shift(); id !== undefined; id = coming.shift())
        if (isWanted({ id, type: null })) return tasks.push({ id, type: null }) - 1;
      return null;
    };
    const { games } = await played({
      environment: {
        tasks,
        begin: (task, seed) => inner.begin(task, seed),
        arrivals: { count: 2, next: (isWanted) => Promise.resolve(next(isWanted)) },
      },
    });
    expect(games.map(({ id }) => id)).toEqual(['fetch/c', 'fetch/a']);
  });

  it('stops when asked', async () => {
    const controller = new AbortController();
    const { policy } = answering((text) => {
      controller.abort();
      return fetchesA(text);
    });
    const stopped = played({ policy, signal: controller.signal });
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('plays several attempts, the first as a single one, all with one seed, and skips known ones', async () => {
    const { policy } = answering((text, { random }) => (random!.uniform() < 0.5 ? fetchesA(text) : 'look'));
    const drawn = { policy, sampling: { kind: 'sample', temperature: 1, topP: 1 } } as const;
    const single = await played(drawn);
    const { games, seeds } = await played({ ...drawn, attempts: 4, parallel: 5 });
    expect(games.map(({ id }) => id)).toEqual(taskIds.flatMap((id) => [id, id, id, id]));
    expect(games.filter((_, place) => place % 4 === 0)).toEqual(single.games);
    expect(new Set(seeds)).toEqual(new Set(single.seeds));
    expect(new Set(games.slice(0, 4).map(({ steps }) => steps)).size).toBeGreaterThan(1);
    // one attempt is left out: it is played again to the same result
    const known = { has: (name: string) => name !== attemptName('fetch/a', 2) };
    const again = await played({ ...drawn, attempts: 4, known });
    expect(again.games).toEqual([games[2]]);
    expect(again.seeds).toHaveLength(1);
  });
});
