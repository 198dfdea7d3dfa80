import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sokoban, type Sokoban, type SokobanState } from './sokoban.ts';
import { sokobanIds, variantOf } from './variant.ts';

const [up, down, left, right] = [0, 1, 2, 3];

/** A room of five columns from its letters, with the first reward still to come. */
function roomOf(text: string, id = 'Sokoban-5x5-1'): Sokoban {
  const game = sokoban(id);
  game.reset(0);
  const letters = [...text.replaceAll('\n', '')];
  const ground = letters.map((letter) => (letter === '#' ? 0 : 'O√S'.includes(letter) ? 2 : 1));
  const cells = letters.map((letter) => '#_O√XP'.indexOf(letter === 'S' ? 'P' : letter));
  const counted = letters.filter((letter) => letter === '√').length;
  game.restore({ ...game.state(), ground, cells, counted });
  return game;
}

describe('Sokoban', () => {
  it('pays −0.1 a step, and 11 more for the last box on its target, which ends the episode', () => {
    const game = roomOf('#####\n#P__#\n#_X_#\n#_O_#\n#####');
    expect(game.step(right)).toMatchObject({ reward: -0.1, terminated: false, info: { moved_box: false } });
    const { reward, ...end } = game.step(down);
    expect(reward).toBeCloseTo(10.9, 12);
    expect(end).toMatchObject({ terminated: true, won: true, info: { moved_player: true, moved_box: true } });
    expect(game.text()).toBe('#####\n#___#\n#_P_#\n#_√_#\n#####');
  });

  it('takes 1 for a box pushed off its target', () => {
    const game = roomOf('#####\n#P√_#\n#_X_#\n#_O_#\n#####', 'Sokoban-5x5-2');
    expect(game.step(right).reward).toBeCloseTo(-1.1, 12);
    expect(game.text()).toBe('#####\n#_SX#\n#_X_#\n#_O_#\n#####');
    expect(game.solve()).toBe(null);
  });

  it.each([
    ['a wall', '#####\n#PX##\n#___#\n#O__#\n#####'],
    ['another box', '#######\n#PXX__#\n#_OO__#\n#_____#\n#######'],
  ])('pushes no box into %s', (_, text) => {
    const game = roomOf(text, text.length > 30 ? 'Sokoban-5x7-2' : undefined);
    expect(game.step(right)).toMatchObject({ reward: -0.1, info: { moved_player: false, moved_box: false } });
    expect(game.text()).toBe(text);
  });

  it('has walking without pushing and waiting as actions of gym-sokoban alone', () => {
    const game = sokoban('Sokoban-small');
    expect(game.actions).toHaveLength(9);
    game.reset(1);
    const room = game.text();
    expect(game.step(0)).toMatchObject({ reward: -0.1, info: { moved_player: false } });
    expect(game.text()).toBe(room);
    let before = Infinity;
    for (let way = game.solve()!; way.length > 0; way = game.solve()!) {
      expect(way.length).toBeLessThan(before);
      before = way.length;
      game.step(way[0]!);
    }
    // every way of the search pushes: no walking action moves a box
    const walker = sokoban('Sokoban-small-v0');
    fc.assert(
      fc.property(fc.nat(1000), fc.array(fc.integer({ min: 5, max: 8 })), (seed, walk) => {
        walker.reset(seed);
        for (const action of walk) expect(walker.step(action).info['moved_box']).toBe(false);
      }),
      { numRuns: 10 },
    );
  });

  it('has a room that can be solved for every seed, with one player and every box off its target', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 70n), (seed) => {
        const game = sokoban('Sokoban-6x6-1');
        game.reset(seed);
        const way = game.solve()!;
        expect(way.length).toBeGreaterThan(0);
        expect(game.text().replaceAll(/[#_\n]/g, '').length).toBeLessThanOrEqual(3);
        const outcomes = way.map((action) => game.step(action));
        expect(outcomes.at(-1)!.won).toBe(true);
        expect(outcomes.slice(0, -1).some(({ won }) => won === true)).toBe(false);
      }),
      { numRuns: 30 },
    );
  });

  it('continues the same from a stored state, and then with the seed after next', () => {
    const walks = fc.array(fc.nat(3), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(fc.constantFrom(...sokobanIds), fc.nat(), walks, walks, (id, seed, before, after) => {
        const [game, restored] = [sokoban(id, { tileSize: 2 }), sokoban(id, { tileSize: 2 })];
        game.reset(seed);
        for (const action of before) game.step(action);
        restored.restore(JSON.parse(JSON.stringify(game.state())) as SokobanState);
        expect(restored.frame()).toEqual(game.frame());
        for (const action of after) expect(restored.step(action)).toEqual(game.step(action));
        restored.reset(null);
        game.reset(seed + 2);
        expect(restored.state()).toEqual(game.state());
      }),
      { numRuns: 15 },
    );
  });

  it('refuses invalid actions, options, states, and steps before the first reset', () => {
    const game = sokoban('Sokoban-6x6-1', { maxSteps: 2 });
    expect(() => game.step(0)).toThrow(/reset needs a seed/);
    expect(() => game.reset(-1)).toThrow(/whole number from 0/);
    game.reset(0);
    for (const action of [-1, 4, 0.5]) expect(() => game.step(action)).toThrow(`from 0 to 3, got ${action}`);
    expect(() => sokoban('Sokoban-6x6-1', { tileSize: 0.5 })).toThrow(/tileSize must be a positive/);
    expect(() => sokoban('Sokoban-6x6-1').restore(game.state())).toThrow(/limit of 2 steps, here it is 100/);
    expect([up, left].map((action) => game.step(action).truncated)).toEqual([false, true]);
  });
});

describe('an id of Sokoban', () => {
  it.each([
    ['Sokoban-6x6-1', 'Sokoban-6x6-1'],
    ['Sokoban-10x5-4/depth-300', 'Sokoban-10x5-4'],
    ['Sokoban-small', 'Sokoban-small-v0'],
  ])('%s means %s', (name, id) => expect(variantOf(name)?.id).toBe(id));

  it.each([
    'Sokoban',
    'Sokoban-v0',
    'Sokoban-4x6-1',
    'Sokoban-6x6-5',
    'Sokoban-6x6-1/depth-301',
    'Sokoban-small-v2',
  ])('%s means nothing', (name) => {
    expect(variantOf(name)).toBe(null);
    expect(() => sokoban(name)).toThrow(`got ${name}`);
  });
});
