import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { miniGridIds } from './catalogue.ts';
import { canBeEntered, cellOf, door, empty, goal, lava, wall, type Cell } from './cell.ts';
import { actionWords, miniGrid, type MiniGrid } from './minigrid.ts';
import type { MiniGridState } from './state.ts';

const [key, ball, box] = [cellOf('key', 'yellow'), cellOf('ball', 'red'), cellOf('box', 'blue')];

/** A room of 5 × 5, with the agent at (1, 1) facing the content of (2, 1). */
function facing(front: Cell, changes: Partial<MiniGridState> = {}): MiniGrid {
  const environment = miniGrid('MiniGrid-Empty-5x5-v0');
  environment.reset(0);
  const state = environment.state();
  const cells = state.cells.map((cell, place) => (place === 7 ? front : cell));
  environment.restore({ ...state, cells, ...changes });
  return environment;
}

function after(environment: MiniGrid, word: (typeof actionWords)[number]) {
  const outcome = environment.step(actionWords.indexOf(word));
  const { agent, cells, carrying } = environment.state();
  return { ...outcome, agent, front: cells[7], carrying };
}

describe('turning', () => {
  it('changes the direction by a quarter', () => {
    const environment = facing(empty);
    const directions = (['turn left', 'turn left', 'turn right', 'turn right', 'turn right'] as const).map(
      (word) => after(environment, word).agent[2],
    );
    expect(directions).toEqual([3, 2, 3, 0, 1]);
  });
});

describe('moving forward', () => {
  it.each([
    ['an empty cell', empty, true],
    ['a floor tile', cellOf('floor', 'blue'), true],
    ['an open door', door('red', 'open'), true],
    ['a closed door', door('red', 'closed'), false],
    ['a locked door', door('red', 'locked'), false],
    ['a wall', wall, false],
    ['a key', key, false],
    ['a ball', ball, false],
    ['a box', box, false],
  ])('into %s', (_what, front, enters) => {
    expect(after(facing(front), 'move forward')).toMatchObject({
      agent: [enters ? 2 : 1, 1, 0],
      reward: 0,
      terminated: false,
    });
  });

  it('onto the goal ends the episode with a reward that falls with time', () => {
    // the limit is 4 · 5² = 100, this is step 31: 1 − 0.9 · 31/100
    const outcome = after(facing(goal, { taken: 30 }), 'move forward');
    expect(outcome).toMatchObject({ reward: 0.721, terminated: true, truncated: false, info: { won: true } });
  });

  it('into lava ends it for nothing', () => {
    expect(after(facing(lava), 'move forward')).toMatchObject({
      reward: 0,
      terminated: true,
      agent: [2, 1, 0],
      info: { won: false },
    });
  });

  it('onto the goal with the last step of the limit is an end in both ways', () => {
    // 1 − 0.9 · 100/100
    const outcome = after(facing(goal, { taken: 99 }), 'move forward');
    expect(outcome.reward).toBeCloseTo(0.1, 12);
    expect(outcome).toMatchObject({ terminated: true, truncated: true });
  });
});

describe('the limit of steps', () => {
  it('is counted in all actions', () => {
    const environment = miniGrid('MiniGrid-Empty-5x5-v0', { maxSteps: 3 });
    environment.reset(0);
    const cut = [6, 0, 3].map((action) => environment.step(action).truncated);
    expect(cut).toEqual([false, false, true]);
  });
});

describe('picking up', () => {
  it.each([
    ['key', key],
    ['ball', ball],
    ['box', box],
  ])('takes a %s', (_kind, thing) => {
    expect(after(facing(thing), 'pick up')).toMatchObject({ carrying: thing, front: empty });
  });

  it('takes nothing while carrying, and no fixed object', () => {
    expect(after(facing(key, { carrying: ball }), 'pick up')).toMatchObject({ carrying: ball, front: key });
    expect(after(facing(door('red', 'open')), 'pick up').carrying).toBeNull();
    expect(after(facing(goal), 'pick up').carrying).toBeNull();
  });
});

describe('dropping', () => {
  it('puts the carried object only into an empty cell', () => {
    expect(after(facing(empty, { carrying: key }), 'drop')).toMatchObject({ carrying: null, front: key });
    expect(after(facing(goal, { carrying: key }), 'drop')).toMatchObject({ carrying: key, front: goal });
    expect(after(facing(empty), 'drop')).toMatchObject({ carrying: null, front: empty });
  });
});

describe('toggling', () => {
  it.each([
    ['opens a closed door', door('red', 'closed'), null, door('red', 'open')],
    ['closes an open one', door('red', 'open'), null, door('red', 'closed')],
    ['opens a locked one with its key', door('yellow', 'locked'), key, door('yellow', 'open')],
    ['leaves a locked one to the key of another', door('red', 'locked'), key, door('red', 'locked')],
    ['leaves a locked one to a ball', door('red', 'locked'), ball, door('red', 'locked')],
    ['opens a box, which is empty', box, null, empty],
    ['leaves a ball', ball, null, ball],
    ['leaves a wall', wall, null, wall],
  ])('%s', (_what, front, carrying, then) => {
    expect(after(facing(front, { carrying }), 'toggle')).toMatchObject({ front: then, carrying });
  });
});

describe('a mission', () => {
  it('to fetch an object ends with any carried object', () => {
    const aim = { kind: 'fetch', thing: key } as const;
    const right = after(facing(key, { aim }), 'pick up');
    // 1 − 0.9 · 1/100
    expect(right).toMatchObject({ reward: 0.991, terminated: true });
    expect(after(facing(ball, { aim }), 'pick up')).toMatchObject({ reward: 0, terminated: true });
    expect(after(facing(empty, { aim }), 'done')).toMatchObject({ reward: 0, terminated: false });
  });

  it('to pick something up ends with that alone', () => {
    const aim = { kind: 'pick-up', thing: box } as const;
    expect(after(facing(key, { aim }), 'pick up')).toMatchObject({ reward: 0, terminated: false });
    expect(after(facing(box, { aim }), 'pick up')).toMatchObject({ reward: 0.991, terminated: true });
  });

  it('to open a door ends when it is open', () => {
    // (2, 1) in a grid with a margin of six walls
    const aim = { kind: 'open', door: (1 + 6) * (5 + 12) + 2 + 6 } as const;
    const locked = door('yellow', 'locked');
    expect(after(facing(locked, { aim }), 'toggle')).toMatchObject({ reward: 0, terminated: false });
    expect(after(facing(locked, { aim, carrying: key }), 'toggle')).toMatchObject({
      reward: 0.991,
      terminated: true,
    });
  });

  it.each([
    ['the red door, then the blue one', ['closed', 'closed'], 'red', [0, false]],
    ['the blue door alone', ['closed', 'closed'], 'blue', [0, true]],
    ['the blue door after the red one', ['open', 'closed'], 'blue', [0.991, true]],
    ['the red door after the blue one', ['closed', 'open'], 'red', [0, true]],
  ] as const)('to open doors in order: %s', (_what, states, opened, [reward, terminated]) => {
    const placeOf = (x: number, y: number) => (y + 6) * (5 + 12) + x + 6;
    const red = door('red', states[0]);
    const blue = door('blue', states[1]);
    // the opened one is ahead, the other at (1, 2)
    const environment = facing(opened === 'red' ? red : blue);
    const state = environment.state();
    const cells = state.cells.map((cell, place) => (place === 11 ? (opened === 'red' ? blue : red) : cell));
    const [ahead, below] = [placeOf(2, 1), placeOf(1, 2)];
    const [first, second] = opened === 'red' ? [ahead, below] : [below, ahead];
    environment.restore({ ...state, cells, aim: { kind: 'open-in-order', first, second } });
    expect(after(environment, 'toggle')).toMatchObject({ reward, terminated });
  });
});

describe('obstacles', () => {
  const started = (x: number, y: number, direction: number) => {
    const environment = miniGrid('MiniGrid-Dynamic-Obstacles-5x5-v0');
    environment.reset(0);
    environment.restore({ ...environment.state(), agent: [x, y, direction] });
    return environment;
  };

  it('and walls that are run into end the episode with −1', () => {
    expect(started(1, 1, 3).step(2)).toMatchObject({ reward: -1, terminated: true, info: { won: false } });
    const environment = started(1, 1, 0);
    const state = environment.state();
    const ahead = cellOf('ball', 'blue');
    environment.restore({
      ...state,
      cells: state.cells.map((cell, place) => (place === 7 ? ahead : cell === ahead ? empty : cell)),
      aim: { kind: 'dodge', obstacles: [(1 + 6) * 17 + 2 + 6] },
    });
    expect(environment.step(2)).toMatchObject({ reward: -1, terminated: true });
  });

  it('have three actions; the others turn left', () => {
    expect(miniGrid('MiniGrid-Dynamic-Obstacles-5x5-v0').actions).toEqual(actionWords.slice(0, 3));
    const environment = started(1, 1, 0);
    environment.step(5);
    expect(environment.state().agent).toEqual([1, 1, 3]);
  });

  it('move at every step to a neighbouring cell, and none is lost', () => {
    const environment = started(1, 1, 0);
    const balls = () =>
      [...environment.state().cells.entries()].filter(([, cell]) => cell === cellOf('ball', 'blue'));
    for (let step = 0; step < 20; step++) {
      const before = balls();
      environment.step(0);
      const now = balls();
      expect(now).toHaveLength(before.length);
      for (const [place] of now) {
        const isNear = ([old]: readonly [number, Cell]) =>
          Math.abs((old % 5) - (place % 5)) <= 1 &&
          Math.abs(Math.floor(old / 5) - Math.floor(place / 5)) <= 1;
        expect(before.some(isNear)).toBe(true);
      }
    }
  });
});

const ids = fc.constantFrom(...miniGridIds);
const walks = fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 60 });
const seeds = fc.nat();

function take(environment: MiniGrid, action: number) {
  const outcome = environment.step(action);
  if (outcome.terminated || outcome.truncated) environment.reset(null);
  return { outcome, observed: environment.observe(), text: environment.text() };
}

describe('any walk', () => {
  it('keeps the agent in allowed cells, and rewards from −1 to 1', () => {
    fc.assert(
      fc.property(ids, seeds, walks, (id, seed, actions) => {
        // a tile is one pixel
        const environment = miniGrid(id, { tileSize: 1 });
        environment.reset(seed);
        const { width } = environment.frame();
        for (const action of actions) {
          const { reward, terminated, info } = environment.step(action);
          const { agent, cells } = environment.state();
          expect(canBeEntered(cells[agent[1] * width + agent[0]]!)).toBe(true);
          expect(reward === -1 || (reward >= 0 && reward < 1)).toBe(true);
          expect(info.won).toBe(reward > 0);
          if (terminated) environment.reset(null);
        }
      }),
    );
  });

  it('continues from a stored state exactly, the next levels included', () => {
    fc.assert(
      fc.property(ids, seeds, fc.tuple(walks, walks), (id, seed, [before, following]) => {
        const environment = miniGrid(id);
        environment.reset(seed);
        for (const action of before) take(environment, action);
        const state = JSON.parse(JSON.stringify(environment.state())) as MiniGridState;
        const again = miniGrid(id);
        again.restore(state);
        expect(Buffer.compare(again.frame().data, environment.frame().data)).toBe(0);
        for (const action of following) expect(take(again, action)).toEqual(take(environment, action));
        expect(again.state()).toEqual(environment.state());
      }),
      { numRuns: 50 },
    );
  });
});

describe('an environment', () => {
  it('has its published id; -v0 is optional', () => {
    expect(miniGrid('MiniGrid-DoorKey-6x6').id).toBe('MiniGrid-DoorKey-6x6-v0');
    expect(miniGrid('MiniGrid-MultiRoom-N4-S5-v1').id).toBe('MiniGrid-MultiRoom-N4-S5-v1');
    expect(() => miniGrid('DoorKey-6x6')).toThrow(
      /there is no DoorKey-6x6; there are MiniGrid-Empty-5x5-v0, /,
    );
  });

  it.each([{ maxSteps: 0 }, { maxSteps: 1.5 }, { tileSize: 0 }])('refuses the options %o', (options) => {
    expect(() => miniGrid('MiniGrid-Empty-5x5', options)).toThrow(/positive whole number/);
  });

  it('refuses invalid actions, steps before the first reset, and a first reset without a seed', () => {
    const environment = miniGrid('MiniGrid-Empty-5x5');
    expect(() => environment.step(0)).toThrow(/first reset needs a seed/);
    expect(() => environment.reset(null)).toThrow(/first reset needs a seed/);
    environment.reset(0);
    for (const action of [7, -1, 0.5]) expect(() => environment.step(action)).toThrow(/actions are 0 to 6/);
  });

  it('refuses states of other levels', () => {
    const environment = miniGrid('MiniGrid-Empty-5x5');
    environment.reset(0);
    const state = environment.state();
    expect(() => miniGrid('MiniGrid-Empty-6x6').restore(state)).toThrow(
      /the state is of MiniGrid-Empty-5x5-v0/,
    );
    expect(() => miniGrid('MiniGrid-Empty-5x5', { maxSteps: 9 }).restore(state)).toThrow(
      /limit of 100 steps/,
    );
    expect(() => environment.restore({ ...state, cells: [] })).toThrow(/has 25 cells, this one 0/);
  });

  it('gives arrays and frames that stay as they are', () => {
    const environment = miniGrid('MiniGrid-Empty-5x5', { tileSize: 4 });
    environment.reset(0);
    const [observed, frame] = [environment.observe(), environment.frame()];
    const copies = structuredClone([observed, frame]);
    environment.step(2);
    expect(environment.observe()).not.toEqual(observed);
    expect(environment.frame()).not.toEqual(frame);
    expect([observed, frame]).toEqual(copies);
  });
});
