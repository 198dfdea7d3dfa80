import { LostEpisode, Random, type Environment, type Task } from '@emac/core';
import { fetching, taskIds } from '@emac/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate, summarize, type EvaluatedGame, type Evaluation } from './evaluate.ts';
import { answering, fetchesA, setup } from './setups.test.support.ts';
import { wilsonInterval } from './wilson.ts';

function evaluation(parts: Partial<Evaluation> = {}): Evaluation {
  const { policy, texts, sampling } = setup();
  return {
    policy,
    environment: fetching(),
    texts,
    sampling,
    maxSteps: 6,
    admissibleOnly: false,
    parallel: 1,
    random: Random.fromSeed(0),
    checkpoint: '00000012',
    trainedOn: new Set(),
    ...parts,
  };
}

describe('evaluate', () => {
  it.each([1, 2, 8])(
    'gives each game one attempt and counts training games apart, %i at once',
    async (parallel) => {
      const environment = fetching();
      const trainedOn = new Set(['fetch/b']);
      const result = await evaluate(evaluation({ environment, trainedOn, parallel }));
      expect(result).toMatchObject({
        v: 1,
        checkpoint: '00000012',
        games: [
          { id: 'fetch/a', type: null, won: true, steps: 2, seen_in_training: false },
          { id: 'fetch/b', type: null, won: false, steps: 6, seen_in_training: true },
          { id: 'fetch/c', type: null, won: false, steps: 6, seen_in_training: false },
        ],
        success: 0.5,
        mean_steps: 4,
        by_type: { unknown: { games: 2, won: 1, success: 0.5, mean_steps: 4 } },
        seen: { success: 0, mean_steps: 6 },
      });
      expect(environment.played.map(({ taskId }) => taskId)).toEqual([...taskIds]);
      expect(environment.played.map(({ commands }) => commands.length)).toEqual([2, 6, 6]);
    },
  );

  it('excludes games lost by their environment from all counts and names them', async () => {
    const inner = fetching();
    const environment: Environment = {
      ...inner,
      begin: (task, seed) =>
        task.id === 'fetch/b'
          ? Promise.reject(new LostEpisode('fetch/b: does not begin'))
          : inner.begin(task, seed),
    };
    const starts: string[] = [];
    const result = await evaluate(
      evaluation({
        environment,
        report: (event) => void (event.kind === 'episode-start' && starts.push(event.task.id)),
      }),
    );
    expect(result).toMatchObject({ games: [{ id: 'fetch/a' }, { id: 'fetch/c' }], success: 0.5 });
    expect(result.lost).toEqual([{ id: 'fetch/b', fault: 'fetch/b: does not begin' }]);
    expect(starts).toEqual([...taskIds]);
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
    const environment: Environment = {
      tasks,
      begin: (task, seed) => inner.begin(task, seed),
      arrivals: { count: 2, next: (isWanted) => Promise.resolve(next(isWanted)) },
    };
    const { games } = await evaluate(evaluation({ environment }));
    expect(games.map(({ id }) => id)).toEqual(['fetch/c', 'fetch/a']);
  });

  it('has no rates without games', async () => {
    const result = await evaluate(evaluation({ environment: fetching([]) }));
    expect(result).toMatchObject({
      success: null,
      success_ci95: null,
      mean_steps: null,
      by_type: {},
      games: [],
    });
  });

  it('skips known games and gets the same result', async () => {
    const whole = await evaluate(evaluation());
    for (const id of taskIds) {
      const environment = fetching();
      const known = new Map(whole.games.filter((game) => game.id !== id).map((game) => [game.id, game]));
      const heard: string[] = [];
      const onGame = (game: EvaluatedGame): void => void heard.push(game.id);
      expect(await evaluate(evaluation({ environment, known, onGame }))).toEqual(whole);
      expect([environment.played.map(({ taskId }) => taskId), heard]).toEqual([[id], [id]]);
    }
  });

  it('stops when asked', async () => {
    const controller = new AbortController();
    const { policy } = answering((text) => {
      controller.abort();
      return fetchesA(text);
    });
    const stopped = evaluate(evaluation({ policy, signal: controller.signal }));
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('summarizes by task type', () => {
    const game = (type: EvaluatedGame['type'], won: boolean, steps: number): EvaluatedGame => ({
      id: 'x',
      type,
      won,
      steps,
      seen_in_training: false,
    });
    const games = [
      game('look_at_obj_in_light', true, 4),
      game('pick_and_place_simple', false, 50),
      game('look_at_obj_in_light', false, 50),
    ];
    // Wilson, z² = 3.8415: ½ ± z/(1 + z²/2)·√(1/8 + z²/16), and from 0 to z²/(1 + z²)
    expect(summarize(games).by_type).toEqual({
      look_at_obj_in_light: {
        games: 2,
        won: 1,
        success: 0.5,
        success_ci95: [expect.closeTo(0.0945, 4), expect.closeTo(0.9055, 4)],
        mean_steps: 27,
      },
      pick_and_place_simple: {
        games: 1,
        won: 0,
        success: 0,
        success_ci95: [0, expect.closeTo(0.7935, 4)],
        mean_steps: 50,
      },
    });
  });
});

describe('wilsonInterval', () => {
  it('agrees with published examples', () => {
    // Newcombe 1998, table I: 81 of 263: 0.2553–0.3662; 15 of 148: 0.0624–0.1605; 0 of 20: 0–0.1611; 1 of 29: 0.0061–0.1718
    const rounded = (successes: number, trials: number) =>
      wilsonInterval(successes, trials)!.map((bound) => Number(bound.toFixed(4)));
    expect(rounded(81, 263)).toEqual([0.2553, 0.3662]);
    expect(rounded(15, 148)).toEqual([0.0624, 0.1605]);
    expect(rounded(0, 20)).toEqual([0, 0.1611]);
    expect(rounded(1, 29)).toEqual([0.0061, 0.1718]);
    expect(wilsonInterval(0, 0)).toBeNull();
  });

  it('contains the rate and stays within 0 and 1 for any counts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(500), (trials, some) => {
        const successes = Math.min(some, trials);
        const [low, high] = wilsonInterval(successes, trials)!;
        expect(low).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(successes / trials);
        expect(high).toBeGreaterThanOrEqual(successes / trials);
        expect(high).toBeLessThanOrEqual(1);
      }),
    );
  });
});
