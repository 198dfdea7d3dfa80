import { describe, expect, it } from 'vitest';
import {
  actedEpisodes,
  noveltiesOf,
  noveltyBonuses,
  sequenceOf,
  surprisals,
  temporalStateAfter,
  type ActedEpisode,
} from './novelty.ts';

const lost = { place: 0, return: 0, steps: 3, truncated: true };
const won = { place: 1, return: 1, steps: 2, truncated: false };
const own = (action: number) => ({ action, actionStart: 0 });
const fallback = { action: null, actionStart: 0 };

/**
 * Three steps of two environments, row by row. The first continues from an earlier update, is lost at its second step
 * and restarts; the second wins at its second step and restarts.
 */
const steps = {
  environments: 2,
  terminated: Uint8Array.of(0, 0, 0, 1, 0, 0),
  truncated: Uint8Array.of(0, 0, 1, 0, 0, 0),
  actions: [2, 5, 1, 5, 0, 3],
  readings: [2, 5, 1, 5, 0, 3].map(own),
  finished: [lost, won],
};
const before = [
  { environment: 0, episode: 3, actions: [4] },
  { environment: 1, episode: 0, actions: [] },
];

describe('the actions of episodes', () => {
  it('are collected from the first step for ended episodes, and continue for the others', () => {
    expect(actedEpisodes(steps, before)).toEqual({
      ended: [
        { environment: 0, episode: 3, actions: [4, 2, 1], places: [0, 2], return: 0 },
        { environment: 1, episode: 0, actions: [5, 5], places: [1, 3], return: 1 },
      ],
      running: [
        { environment: 0, episode: 4, actions: [0] },
        { environment: 1, episode: 1, actions: [3] },
      ],
    });
    // inputs are unchanged
    expect(before[0]!.actions).toEqual([4]);
  });

  it('begins with the first episodes at the beginning of a run', () => {
    const { ended } = actedEpisodes(steps, null);
    expect(ended.map(({ episode, actions }) => [episode, actions])).toEqual([
      [0, [2, 1]],
      [0, [5, 5]],
    ]);
  });

  it('is kept of the 160 episodes that ended last', () => {
    const kept = Array.from({ length: 159 }, (_, episode): ActedEpisode => {
      return { environment: 0, episode, actions: [0] };
    });
    const after = temporalStateAfter({ kept, running: before }, actedEpisodes(steps, before));
    expect(after.kept).toHaveLength(160);
    // 159 and 2: the oldest is gone
    expect(after.kept[0]).toEqual({ environment: 0, episode: 1, actions: [0] });
    expect(after.kept.slice(-2)).toEqual([
      { environment: 0, episode: 3, actions: [4, 2, 1] },
      { environment: 1, episode: 0, actions: [5, 5] },
    ]);
    expect(after.running).toEqual([
      { environment: 0, episode: 4, actions: [0] },
      { environment: 1, episode: 1, actions: [3] },
    ]);
  });
});

describe('a sequence of actions', () => {
  const words = { actions: [[7], [8, 9]], separator: [1, 1] };

  it("has separators between actions, and finds the actions' tokens again", () => {
    const sequence = sequenceOf([0, 1, 0], words, 8);
    expect(sequence.tokens).toEqual([7, 1, 1, 8, 9, 1, 1, 7]);
    // −Σ over 7, over 8 and 9, over 7
    expect(surprisals(sequence, [-1, -50, -50, -2, -3, -50, -50, -0.5])).toEqual([1, 5, 0.5]);
  });

  it.each([
    [7, [7, 1, 1, 8, 9]],
    [5, [7, 1, 1, 8, 9]],
    [4, [7]],
    [0, []],
  ])('ends with the last whole action in a room of %d', (room, tokens) => {
    expect(sequenceOf([0, 1, 0], words, room).tokens).toEqual(tokens);
  });
});

describe('the novelty of a step', () => {
  const [episode] = actedEpisodes(steps, before).ended;

  it("is the predictor's cost of an action, in the given episodes", () => {
    const scored = { ...episode!, surprisals: [1, 5, 0.5] };
    // the first action is of an earlier update
    expect(noveltiesOf(steps, [scored])).toEqual([5, null, 0.5, null, null, null]);
  });

  it('is null for unnamed actions and sequences that are too long', () => {
    const readings = [fallback, ...steps.readings.slice(1)];
    expect(noveltiesOf({ readings }, [{ ...episode!, surprisals: [1, 5] }])).toEqual(Array(6).fill(null));
  });

  it.each([
    // excluded steps have 0, the minimum
    [
      [null, 1, 4, null, 2],
      [0, 0.25, 1, 0, 0.5],
    ],
    [
      [2, 4, 3],
      [0, 1, 0.5],
    ],
    [
      [null, null],
      [0, 0],
    ],
  ])('of %j nats is stretched to %j of the scale', (novelties, shares) => {
    const bonuses = noveltyBonuses(novelties, 0.6);
    expect(bonuses).toHaveLength(shares.length);
    shares.forEach((share, place) => expect(bonuses[place]).toBeCloseTo(0.6 * share, 7));
  });
});
