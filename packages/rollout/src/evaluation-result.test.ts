import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluatedGame, passRate, summarize, type EvaluatedGame } from './evaluation-result.ts';

describe('a summary', () => {
  it('gives avg@k and pass@k of several attempts', () => {
    const games = [
      [true, true],
      [true, true],
      [false, false],
      [true, false],
    ].flatMap((won, id) =>
      won.map((each, place) => ({
        id: `game ${id}`,
        type: null,
        won: each,
        steps: 5,
        seen_in_training: false,
        attempt: place + 1,
      })),
    );
    // between games: mean 5/8, variance of the mean (2·(3/8)² + (5/8)² + (1/8)²)/3/4 = 0.05729, so (5/8·3/8)/0.05729 =
    // 4.0909 independent attempts, and Wilson's interval of 0.625 with as many
    const near = (value: number): unknown => expect.closeTo(value, 3);
    expect(summarize(games)).toMatchObject({
      success: 0.625,
      success_ci95: [near(0.2222), near(0.9068)],
      by_type: { unknown: { games: 8, won: 5 } },
      pass_at: [
        { k: 1, rate: 0.625, ci95: [near(0.2222), near(0.9068)] },
        // 3 of 4: Wilson
        { k: 2, rate: 0.75, ci95: [near(0.3006), near(0.9544)] },
      ],
    });
  });

  it('summarizes by task type', () => {
    const game = (type: EvaluatedGame['type'], won: boolean, steps: number): EvaluatedGame => ({
      id: String(steps) + String(won),
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

describe('a summary of hand-made cases', () => {
  const game = (task: number, sum: number, attempt?: number): EvaluatedGame => ({
    id: `task ${task}`,
    type: null,
    won: sum > 0,
    steps: 1,
    seen_in_training: false,
    return: sum,
    ...(attempt !== undefined && { attempt }),
  });
  const near = (value: number): unknown => expect.closeTo(value, 3);

  it.each<[string, EvaluatedGame[], object]>([
    [
      // Wilson for 3 of 9, z² = 3.8415: (1/3 + z²/18 ± z·√(2/81 + z²/324))/(1 + z²/9); t of 8 degrees of freedom is 2.306, s² = 1/4
      'nine deterministic tasks',
      [1, 1, 1, 0, 0, 0, 0, 0, 0].map((sum, task) => game(task, sum)),
      {
        tasks: 9,
        success: 1 / 3,
        success_ci95: [near(0.1206), near(0.6458)],
        return_ci95: [near(-0.051), near(0.718)],
      },
    ],
    [
      // the same played three times over: as wide
      'nine deterministic tasks repeated',
      [1, 2, 3].flatMap((attempt) =>
        [1, 1, 1, 0, 0, 0, 0, 0, 0].map((sum, task) => game(task, sum, attempt)),
      ),
      {
        tasks: 9,
        success: 1 / 3,
        success_ci95: [near(0.1206), near(0.6458)],
        return_ci95: [near(-0.051), near(0.718)],
      },
    ],
    [
      // between tasks: means 1, ½, ½, 0, variance of the mean (½/3)/4 = 1/24, so ¼ · 24 = 6 independent attempts; t of 3 is 3.1824
      'four tasks with two drawn attempts',
      [1, 1, 1, 0, 0, 1, 0, 0].map((sum, place) => game(Math.floor(place / 2), sum, (place % 2) + 1)),
      {
        tasks: 4,
        success: 0.5,
        success_ci95: [near(0.1876), near(0.8124)],
        mean_return: 0.5,
        standard_error: near(Math.sqrt(1 / 24)),
        return_ci95: [near(0.5 - 3.1824 * Math.sqrt(1 / 24)), near(0.5 + 3.1824 * Math.sqrt(1 / 24))],
      },
    ],
    [
      // a task that lost an attempt weighs as much as the others in the mean return
      'a task with an attempt lost by its environment',
      [game(0, 2, 1), game(0, 4, 2), game(1, 0, 1)],
      { tasks: 2, mean_return: 1.5, standard_error: 1.5 },
    ],
    ['one task', [game(0, 3)], { tasks: 1, mean_return: 3, standard_error: 0, return_ci95: null }],
  ])('%s', (_, games, expected) => {
    expect(summarize(games)).toMatchObject(expected);
  });
});

describe('passRate', () => {
  it('is the share of sets of k attempts with a won one', () => {
    // of the 10 pairs among 5 attempts, 3 are of the 3 lost ones; no set of 4 is
    expect([1, 2, 4].map((k) => passRate(5, 2, k))).toEqual([
      expect.closeTo(0.4, 12),
      expect.closeTo(0.7, 12),
      1,
    ]);
    expect([passRate(5, 0, 5), passRate(5, 5, 1)]).toEqual([0, 1]);
  });

  it('agrees with counting every set', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.nat(9), fc.nat(8), (attempts, some, size) => {
        const [won, k] = [Math.min(some, attempts), Math.min(size + 1, attempts)];
        const sets = Array.from({ length: 2 ** attempts }, (_, bits) =>
          Array.from({ length: attempts }, (_, place) => (bits >> place) & 1),
        ).filter((set) => set.reduce((sum, each) => sum + each, 0) === k);
        const passed = sets.filter((set) => set.some((isIn, place) => isIn === 1 && place < won));
        expect(passRate(attempts, won, k)).toBeCloseTo(passed.length / sets.length, 12);
      }),
    );
  });
});

it('counts the steps that a lost episode took, not the limit', () => {
  const step = { result: { reward: -1 } };
  const trajectory = (won: boolean, steps: number) =>
    ({
      task: { id: `${steps} ${won}`, type: null },
      won,
      steps: Array.from({ length: steps }, () => step),
    }) as never;
  const games = [trajectory(false, 10), trajectory(false, 8), trajectory(true, 3)].map((each) =>
    evaluatedGame(each, { trainedOn: new Set() }),
  );
  // (10 + 8 + 3) / 3
  expect(summarize(games)).toMatchObject({ mean_steps: 7, mean_return: -7 });
});
