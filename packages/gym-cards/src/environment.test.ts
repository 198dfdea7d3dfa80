import { vectorOf, type Frame } from '@emac/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CardGameState } from './environment.ts';
import { gymCardsIds, makeGymCards } from './make.ts';

const isEqual = (one: Frame, other: Frame): boolean =>
  one.width === other.width && one.height === other.height && Buffer.compare(one.data, other.data) === 0;

describe('a game by its id', () => {
  it('is one of four, version optional', () => {
    expect(gymCardsIds).toEqual(
      ['NumberLine', 'EZPoints', 'Points24', 'Blackjack'].map((name) => `gym_cards/${name}-v0`),
    );
    for (const id of gymCardsIds) expect(makeGymCards(id.slice(0, -3)).id).toBe(id);
    expect(() => makeGymCards('gym_cards/Poker-v0')).toThrow(
      /has gym_cards\/NumberLine-v0.*got gym_cards\/Poker-v0/,
    );
    expect(() => makeGymCards('constructor')).toThrow(/got constructor/);
  });

  it('takes the options of its game', () => {
    const line = makeGymCards('gym_cards/NumberLine-v0', { maxPosition: 1, maxSteps: 2 });
    expect(line.reset(0)['Target']).toBeLessThan(2);
    expect(makeGymCards('gym_cards/Points24', { faceCardsAre10: false }).actions).toHaveLength(20);
  });

  it('refuses invalid actions and seeds, and steps before the first reset', () => {
    const game = makeGymCards('gym_cards/EZPoints-v0');
    expect(() => game.step(0)).toThrow(/reset/);
    expect(() => game.frame()).toThrow(/reset/);
    expect(() => game.reset(null)).toThrow(/first episode needs a seed/);
    expect(() => game.reset(-1)).toThrow(/whole number from 0, got -1/);
    game.reset(0);
    for (const action of [-1, 13, 0.5, NaN])
      expect(() => game.step(action)).toThrow(`from 0 to 12, got ${action}`);
  });

  it('is truncated after the given number of steps, and then counts anew', () => {
    const game = makeGymCards('gym_cards/EZPoints-v0', { maxSteps: 2 });
    for (const seed of [0, null]) {
      game.reset(seed);
      expect([10, 10].map((action) => game.step(action).truncated)).toEqual([false, true]);
    }
  });
});

describe.each(gymCardsIds)('%s', (id) => {
  const { actions } = makeGymCards(id);
  const walks = fc.array(fc.nat(actions.length - 1), { minLength: 1, maxLength: 30 });

  const play = (game: ReturnType<typeof makeGymCards>, walk: readonly number[]): unknown[] =>
    walk.map((action) => {
      const outcome = game.step(action);
      const seen = [outcome, game.text(), game.observe()];
      return outcome.terminated || outcome.truncated ? [...seen, game.reset(null)] : seen;
    });

  it('plays the same from the same seed, and continues the same from a stored state', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 80n), walks, walks, (seed, before, after) => {
        const [game, other] = [makeGymCards(id), makeGymCards(id)];
        expect(game.reset(seed)).toEqual(other.reset(seed));
        expect(play(game, before)).toEqual(play(other, before));
        const restored = makeGymCards(id);
        restored.restore(JSON.parse(JSON.stringify(game.state())) as CardGameState);
        expect(isEqual(restored.frame(), game.frame())).toBe(true);
        expect(restored.prompt()).toBe(game.prompt());
        expect(play(restored, after)).toEqual(play(game, after));
        expect(restored.state()).toEqual(game.state());
      }),
      { numRuns: 30 },
    );
  });

  it("pays only its rules' rewards", () => {
    const allowed = {
      NumberLine: [-1, 0, 1],
      Blackjack: [-1, 0, 1],
      EZPoints: [-1, 0, 10],
      Points24: [-1, 0, 10],
    };
    const rewards = allowed[/\/(\w+)-/.exec(id)![1] as keyof typeof allowed];
    fc.assert(
      fc.property(fc.nat(), walks, (seed, walk) => {
        const game = makeGymCards(id);
        game.reset(seed);
        for (const action of walk) {
          const { reward, terminated, truncated, info } = game.step(action);
          expect(rewards).toContain(reward);
          expect(terminated && truncated).toBe(false);
          expect(info.won).toBe(reward === Math.max(...rewards));
          if (terminated || truncated) return;
        }
      }),
    );
  });

  it('is unaffected by reading its data twice or writing to them', () => {
    const game = makeGymCards(id);
    game.reset(5);
    const [frame, state] = [game.frame(), JSON.stringify(game.state())];
    expect([frame.width, frame.height, frame.data.length]).toEqual([300, 300, 270_000]);
    const first = frame.data.slice();
    frame.data.fill(0);
    for (const { data } of Object.values(game.observe())) data.fill(-9);
    game.expert();
    expect(Buffer.compare(game.frame().data, first)).toBe(0);
    expect(JSON.stringify(game.state())).toBe(state);
    expect(Object.values(game.observe()).some(({ data }) => data.includes(-9))).toBe(false);
  });

  it('refuses the state of another game', () => {
    const game = makeGymCards(id);
    game.reset(0);
    expect(() => game.restore({ ...game.state(), id: 'gym_cards/Other-v0' })).toThrow(
      /of gym_cards\/Other-v0/,
    );
  });

  it('steps in a vector', () => {
    const vector = vectorOf([makeGymCards(id), makeGymCards(id)], { seedOf: (place) => place });
    vector.reset();
    expect(vector.step([0, 1])).toHaveLength(2);
  });
});
