import { Random } from '@emac/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseGame } from './game/game.ts';
import { generateGame } from './generate/generate-game.ts';
import { miniGame, miniGameWith } from './mini-game.test.data.ts';
import { World } from './world.ts';

const game = parseGame(miniGame(), { id: 'pick_two_obj_and_place-Ball/trial' });

function play(...commands: string[]): { world: World; observations: string[] } {
  const world = new World(game);
  world.reset();
  return { world, observations: commands.map((command) => world.step(command).observation) };
}

// Expected texts are derived by hand from the mini game's rules. Ids in order: crate…, shelf_bar_a, shelf_bar_b.
// Numbers run downwards, so shelf_bar_a is shelf 2, and ball_bar_1 … 3 are balls 3, 2, 1.
describe('the text world', () => {
  it('introduces the game with all receptacles in id order, names numbered from the highest', () => {
    const state = new World(game).reset();
    expect(state.observation).toBe(
      'Welcome.\n\nAround you: a cratebasin 1, a shelf 2, and a shelf 1.\n\nYour task is to: put two balls on shelf b.',
    );
    expect(state.admissible).toEqual([
      'go to cratebasin 1',
      'go to shelf 1',
      'go to shelf 2',
      'look',
      'wait',
    ]);
    expect({ score: state.score, done: state.done, won: state.won }).toEqual({
      score: 0,
      done: false,
      won: false,
    });
  });

  it('sees nothing when looking around before the first move, because the place is bound then', () => {
    expect(play('look').observations).toEqual(['Around you: nothing.']);
  });

  it('separates even two items by ", and "', () => {
    expect(play('go to shelf 1').observations).toEqual(['You reach shelf 1. On it: a lamp 1.']);
    expect(play('go to shelf 2').observations).toEqual([
      'You reach shelf 2. On it: a ball 3, a ball 2, and a lamp 1.',
    ]);
    expect(
      play(
        'go to shelf 2',
        'take ball 3 from shelf 2',
        'go to shelf 1',
        'put ball 3 on shelf 1',
        'go to shelf 2',
      ).observations.at(-1),
    ).toBe('You reach shelf 2. On it: a ball 2, and a lamp 1.');
  });

  it('cannot go to any receptacle at the present place', () => {
    const { world } = play('go to shelf 2');
    expect(world.admissible).toEqual([
      'go to shelf 1',
      'look',
      'open cratebasin 1',
      'take ball 2 from shelf 2',
      'take ball 3 from shelf 2',
      'use lamp 1',
      'wait',
    ]);
    expect(world.step('go to cratebasin 1').observation).toBe('Nothing happens.');
  });

  it('can examine the held object only: a type with a comma in its name has no objects', () => {
    const { world } = play('go to shelf 2');
    expect(world.admissible.filter((command) => command.startsWith('examine'))).toEqual([]);
    world.step('take ball 2 from shelf 2');
    expect(world.admissible.filter((command) => command.startsWith('examine'))).toEqual(['examine ball 2']);
  });

  it('hides the contents of a closed receptacle until it is opened', () => {
    const { observations } = play(
      'go to cratebasin 1',
      'take ball 1 from cratebasin 1',
      'open cratebasin 1',
      'take ball 1 from cratebasin 1',
    );
    expect(observations).toEqual([
      'You reach cratebasin 1. The cratebasin 1 is closed.',
      'Nothing happens.',
      'You open the cratebasin 1. In it: a ball 1.',
      'Taken',
    ]);
  });

  it('lists an object moved to another receptacle at the same place beside the first receptacle', () => {
    const { observations } = play(
      'go to shelf 2',
      'look',
      'open cratebasin 1',
      'take ball 3 from shelf 2',
      'put ball 3 on cratebasin 1',
      'look',
    );
    expect(observations[1]).toBe(
      'You are facing the cratebasin 1, and shelf 2. Next to it, you see nothing.',
    );
    expect(observations[5]).toBe('You are facing the cratebasin 1, and shelf 2. Next to it, you see ball 3.');
  });

  it('judges conditional effects on the state before the action', () => {
    expect(play('go to shelf 1', 'use lamp 1', 'use lamp 1', 'use lamp 1').observations.slice(1)).toEqual([
      'On.',
      'Off.',
      'On.',
    ]);
  });

  it('drops leading white space of a text and keeps the rest', () => {
    expect(play('wait').observations).toEqual(['Time passes.\n']);
  });

  it('accepts outer white space, and no other deviation', () => {
    expect(play('  look\n').observations[0]).not.toBe('Nothing happens.');
    for (const command of ['Look', 'look.', '', 'go  to shelf 1', 'unsaid'])
      expect(play(command).observations).toEqual(['Nothing happens.']);
  });

  it('wins, continues after winning, and can lose the win again', () => {
    const { world } = play(
      'go to shelf 2',
      'take ball 3 from shelf 2',
      'go to shelf 1',
      'put ball 3 on shelf 1',
      'go to shelf 2',
      'take ball 2 from shelf 2',
      'go to shelf 1',
    );
    expect(world.won).toBe(false);
    expect(world.step('put ball 2 on shelf 1')).toMatchObject({ won: true, done: true, score: 1 });
    expect(world.step('nonsense')).toMatchObject({ won: true, score: 1 });
    expect(world.step('take ball 3 from shelf 1')).toMatchObject({ won: false, done: false, score: 0 });
  });

  it('states its facts with display names, made-false ones as not_…', () => {
    const { world } = play('go to shelf 2', 'take ball 3 from shelf 2');
    const facts = world.facts();
    expect(facts).toContain('holds(agent1 , ball 3)');
    expect(facts).toContain('not_inreceptacle(ball 3, shelf 2)');
    expect(facts).not.toContain('inreceptacle(ball 3, shelf 2)');
  });

  it('shows visible contents only: not those of closed receptacles', () => {
    const { world } = play('go to shelf 2', 'take ball 3 from shelf 2', 'use lamp 1');
    const lamp = {
      name: 'lamp 1',
      class: 'lamp',
      hot: false,
      cool: false,
      clean: false,
      sliced: false,
      on: true,
    };
    const ball = { ...lamp, class: 'ball', on: false };
    expect(world.visible()).toEqual({
      facing: [
        { name: 'cratebasin 1', class: 'cratebasin', openable: true, open: false, contents: [] },
        {
          name: 'shelf 2',
          class: 'shelf',
          openable: false,
          open: false,
          contents: [{ ...ball, name: 'ball 2' }, lamp],
        },
      ],
      held: { ...ball, name: 'ball 3' },
      room: null,
    });
  });

  it('answers the same after restoring a snapshot that went through JSON', () => {
    const walk = fc.array(fc.nat(), { maxLength: 12 });
    fc.assert(
      fc.property(walk, walk, (before, after) => {
        const world = new World(game);
        world.reset();
        wander(world, before);
        const snapshot = JSON.parse(JSON.stringify(world.snapshot())) as ReturnType<World['snapshot']>;
        const first = wander(world, after);
        world.restore(snapshot);
        expect(wander(world, after)).toEqual(first);
      }),
      { numRuns: 50 },
    );
  });

  it('forgets commands in time: a restored world, which has only facts, gives the same list', () => {
    const made = generateGame({
      random: Random.fromSeed('fresh'),
      split: 'train',
      dialect: 'put',
      room: 'K1',
    });
    const kitchen = parseGame(made.file, { id: made.id });
    const random = Random.fromSeed('walk');
    for (const each of [game, kitchen]) {
      const world = new World(each);
      for (let step = 0; step < 30; step++) {
        const fresh = new World(parseGame(each === game ? miniGame() : made.file, { id: each.id }));
        fresh.restore(world.snapshot());
        expect({ admissible: world.admissible, won: world.won }).toEqual({
          admissible: fresh.admissible,
          won: fresh.won,
        });
        const verbs = [...new Set(world.admissible.map((command) => command.split(' ')[0]!))];
        const verb = random.pick(verbs);
        world.perform(random.pick(world.admissible.filter((command) => command.startsWith(verb))));
      }
    }
  });

  it('refuses a command exactly when it is not admissible, and then changes nothing', () => {
    const words = [
      'look',
      'wait',
      'open cratebasin 1',
      'take ball 1 from cratebasin 1',
      'go to shelf 1',
      'put ball 2 on shelf 1',
      'use lamp 1',
      'examine ball 3',
    ];
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(), fc.constantFrom(...words)), { maxLength: 20 }), (moves) => {
        const world = new World(game);
        let state = world.reset();
        for (const move of moves) {
          const command = typeof move === 'string' ? move : state.admissible[move % state.admissible.length]!;
          const before = world.snapshot();
          const next = world.step(command);
          const accepted = state.admissible.includes(command);
          expect(next.observation !== 'Nothing happens.').toBe(accepted);
          if (!accepted)
            expect({ facts: world.snapshot(), admissible: next.admissible }).toEqual({
              facts: before,
              admissible: state.admissible,
            });
          expect([...new Set(next.admissible)].sort()).toEqual(next.admissible);
          state = next;
        }
      }),
      { numRuns: 50 },
    );
  });

  it('keeps two worlds of one game apart', () => {
    const left = new World(game);
    const right = new World(game);
    left.step('go to shelf 2');
    left.step('take ball 3 from shelf 2');
    expect(right.step('go to shelf 2').observation).toContain('ball 3');
    expect(left.reset().observation).toBe(right.reset().observation);
  });

  it('refuses snapshots of other games and damaged ones', () => {
    const world = new World(game);
    const snapshot = world.snapshot();
    expect(() => world.restore({ ...snapshot, gameId: 'other' })).toThrow(/was taken in the game other/);
    expect(() => world.restore({ ...snapshot, facts: { holds: [-1] } })).toThrow(/do not fit/);
    expect(() => world.restore({ ...snapshot, facts: { openable: [1] } })).toThrow(/do not fit/);
  });

  it('ends in an error, not in a loop, when the grammar refers to itself', () => {
    const cyclic = miniGameWith(
      'grammar',
      '"rhs": "{r.indefinite} {r.name or r.id}"',
      '"rhs": "#overview(r)# #overview(r)#"',
    );
    expect(() => new World(parseGame(cyclic)).reset()).toThrow(/does not end/);
  });
});

function wander(world: World, choices: readonly number[]): unknown[] {
  return choices.map((choice) => {
    const { admissible } = world;
    return world.step(admissible[choice % admissible.length]!);
  });
}
