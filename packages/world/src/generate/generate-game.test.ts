import { Random } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { parseGame } from '../game/game.ts';
import { World } from '../world.ts';
import { generateGame, generatedTaskName } from './generate-game.ts';
import type { GeneratedGame } from './generate-game.ts';
import { roomByName, roomNames } from './room.ts';
import type { Split } from './room.ts';
import { taskTypes } from '../task-type.ts';

const splits: readonly Split[] = ['train', 'valid_seen', 'valid_unseen'];
const load = (game: GeneratedGame) => parseGame(JSON.stringify(game.file), { id: game.id });

function game(seed: number, dialect: 'put' | 'move' = 'move'): GeneratedGame {
  const taskType = taskTypes[seed % 6]!;
  return generateGame({ random: Random.fromSeed(seed), dialect, taskType, split: splits[seed % 3]! });
}

/** Plays commands from the start; the won flag after each, null for a refused command. */
function play(world: World, commands: readonly string[]): (boolean | null)[] {
  world.reset();
  return commands.map((command) => (world.perform(command) === null ? null : world.won));
}

describe('generated games', () => {
  it('have the wished task type in a room that had other types before', () => {
    const kitchenTypes = taskTypes.filter((type) => type !== 'look_at_obj_in_light');
    for (const taskType of [...kitchenTypes, ...kitchenTypes]) {
      const random = Random.fromSeed(1);
      const made = generateGame({ random, dialect: 'move', split: 'train', room: 'K1', taskType });
      expect(made.taskType).toBe(taskType);
    }
  });

  it.each(['move', 'put'] as const)(
    'are won exactly at the last command of the walkthrough (%s dialect)',
    (dialect) => {
      for (let seed = 0; seed < (dialect === 'move' ? 54 : 36); seed++) {
        const made = game(seed, dialect);
        const world = new World(load(made));
        expect(world.won, made.id).toBe(false);
        const flags = play(world, made.file.walkthrough);
        expect(flags, made.id).toEqual(flags.map((_, index) => index === flags.length - 1));
      }
    },
  );

  it('have no superfluous walkthrough command', () => {
    for (let seed = 0; seed < 18; seed++) {
      const made = game(seed);
      const world = new World(load(made));
      made.file.walkthrough.forEach((_, left) => {
        const shorter = made.file.walkthrough.filter((__, index) => index !== left);
        expect(play(world, shorter).includes(true), `${made.id} without command ${left}`).toBe(false);
      });
    }
  });

  it('have walkthroughs as long as in real games', () => {
    // Shortest and longest over ALFWorld's train games; a two-object task in one place needs at least five.
    const limits = { simple: [3, 6], look: [3, 5], place: [4, 8], two: [5, 11] } as const;
    for (let seed = 0; seed < 120; seed++) {
      const { taskType, file, id } = game(seed);
      const [least, most] =
        taskType === 'pick_and_place_simple'
          ? limits.simple
          : taskType === 'look_at_obj_in_light'
            ? limits.look
            : taskType === 'pick_two_obj_and_place'
              ? limits.two
              : limits.place;
      expect(file.walkthrough.length, id).toBeGreaterThanOrEqual(least);
      expect(file.walkthrough.length, id).toBeLessThanOrEqual(most);
    }
  });

  it('begin with all receptacles of the room in sight and the task in words', () => {
    const made = generateGame({
      random: Random.fromSeed('words'),
      split: 'train',
      dialect: 'move',
      room: 'B3',
      taskType: 'look_at_obj_in_light',
    });
    const [welcome, room, task] = new World(load(made)).reset().observation.split('\n\n');
    expect(welcome).toBe('-= Welcome to TextWorld, ALFRED! =-');
    // B3: 'Bed; Desk; 3 Drawer+; GarbageCan; LaundryHamper; 2 Shelf; SideTable', numbered downwards
    expect(room).toBe(
      'You are in the middle of a room. Looking quickly around you, you see a bed 1, a desk 1, a drawer 3, ' +
        'a drawer 2, a drawer 1, a garbagecan 1, a laundryhamper 1, a shelf 2, a shelf 1, and a sidetable 1.',
    );
    expect(task).toMatch(
      /^Your task is to: (look at \w+ under the desklamp|examine the \w+ with the desklamp)\.$/,
    );
  });

  it('use the requested dialect', () => {
    const world = (dialect: 'put' | 'move') => new World(load(game(0, dialect)));
    const [take] = game(0).file.walkthrough;
    expect(world('move').admissible).toContain('help');
    expect(world('put').admissible).not.toContain('help');
    const place = take!.slice('go to '.length);
    expect(world('move').perform(take!)).toMatch(new RegExp(`^You arrive at ${place}\\. `));
    expect(world('put').perform(take!)).toMatch(/^You arrive at loc \d+\. /);
    expect(world('move').perform('help')).toMatch(/^Available commands:\n {2}look: .*\n$/s);
  });

  it.each([
    ['move', /^move (.+) to (.+)$/, 'put $1 in/on $2'],
    ['put', /^put (.+) in\/on (.+)$/, 'move $1 to $2'],
  ] as const)(
    'are won in their own form of putting (%s); in the other nothing happens',
    (dialect, own, other) => {
      const made = game(0, dialect);
      const world = new World(load(made));
      world.reset();
      let others = 0;
      for (const command of made.file.walkthrough) {
        if (own.test(command)) {
          expect(world.step(command.replace(own, other)).observation).toBe('Nothing happens.');
          others++;
        }
        world.step(command);
      }
      expect([others > 0, world.won]).toEqual([true, true]);
    },
  );

  it('keep ALFRED’s rules about targets', () => {
    const forbidden: Readonly<Record<string, readonly string[]>> = {
      pick_clean_then_place_in_recep: ['SinkBasin'],
      pick_heat_then_place_in_recep: ['Microwave'],
      pick_cool_then_place_in_recep: ['Fridge'],
      pick_two_obj_and_place: ['CoffeeMachine', 'ToiletPaperHanger', 'HandTowelHolder'],
    };
    for (let seed = 0; seed < 120; seed++) {
      const { id, taskType } = game(seed);
      expect(forbidden[taskType] ?? [], id).not.toContain(id.split('-')[3]);
    }
  });

  it('start the agent away from every receptacle', () => {
    for (let seed = 0; seed < 36; seed++) {
      const problem = game(seed).file.pddl_problem;
      const start = /\(atLocation agent1 (\S+)\)/.exec(problem)![1]!;
      expect(problem).not.toMatch(new RegExp(`receptacleAtLocation \\S+ ${start}\\)`));
    }
  });

  it('are the same for the same generator and different for another', () => {
    expect(game(7)).toEqual(game(7));
    expect(game(7).file.pddl_problem).not.toBe(game(13).file.pddl_problem);
  });

  it('can be named without being made', () => {
    for (let seed = 0; seed < 30; seed++) {
      const options = { split: 'train', dialect: 'move' } as const;
      const name = generatedTaskName({ ...options, random: Random.fromSeed(seed) });
      expect(generateGame({ ...options, random: Random.fromSeed(seed) }).id.split('/')[0]).toBe(name);
    }
  });

  it('never take a task that is excluded', () => {
    const options = {
      split: 'valid_unseen',
      dialect: 'move',
      taskType: 'pick_heat_then_place_in_recep',
    } as const;
    const excluded = new Set(
      Array.from({ length: 20 }, (_, seed) =>
        generatedTaskName({ ...options, random: Random.fromSeed(seed) }),
      ),
    );
    for (let seed = 0; seed < 20; seed++)
      expect(excluded).not.toContain(
        generatedTaskName({ ...options, random: Random.fromSeed(seed), exclude: excluded }),
      );
  });

  it('refuse a task type that the room has no use for', () => {
    const options = { random: Random.fromSeed(1), split: 'train', dialect: 'move', room: 'W1' } as const;
    expect(() => generateGame({ ...options, taskType: 'pick_heat_then_place_in_recep' })).toThrow(
      /not possible/,
    );
    expect(() => generateGame({ ...options, room: 'X9' })).toThrow(/no 'X9'/);
  });
});

describe('rooms', () => {
  const kinds = ['kitchen', 'livingroom', 'bedroom', 'bathroom'] as const;
  const layout = (name: string) =>
    roomByName(name)
      .receptacles.map((receptacle) => receptacle.class + (receptacle.openable ? '+' : ''))
      .sort()
      .join(' ');

  it('of valid_unseen differ from training ones in name and contents', () => {
    for (const kind of kinds) {
      const train = new Set(roomNames('train', kind).map(layout));
      for (const name of roomNames('valid_unseen', kind)) expect(train, name).not.toContain(layout(name));
      expect(roomNames('valid_seen', kind)).toEqual(roomNames('train', kind));
    }
  });

  it('from number 100 on are drawn by name from parts of training rooms, and are not listed', () => {
    const listed = new Set(
      kinds.flatMap((kind) => [...roomNames('train', kind), ...roomNames('valid_unseen', kind)]).map(layout),
    );
    const drawn = ['K', 'L', 'B', 'W'].flatMap((letter) =>
      Array.from({ length: 30 }, (_, index) => `${letter}${100 + index}`),
    );
    for (const name of drawn) {
      expect(layout(name)).toBe(layout(name));
      expect(listed, name).not.toContain(layout(name));
    }
    expect(new Set(drawn.map(layout)).size).toBeGreaterThan(115);
    // the receptacles of every training kitchen
    for (const name of drawn.filter((name) => name.startsWith('K')))
      expect(layout(name)).toMatch(/CoffeeMachine.*Fridge\+.*Microwave\+.*SinkBasin/);
    for (const name of ['K14', 'K99', 'K099', 'X100', 'K1000000000'])
      expect(() => roomByName(name)).toThrow(`no '${name}'`);
  });

  it('can be won when drawn by name', () => {
    for (let seed = 0; seed < 12; seed++) {
      const random = Random.fromSeed(`drawn ${seed}`);
      const room = `${random.pick(['K', 'L', 'B', 'W'])}${100 + random.integer(1000)}`;
      const generated = generateGame({ random, split: 'train', dialect: 'move', room });
      const world = new World(load(generated));
      world.reset();
      const states = generated.file.walkthrough.map((command) => world.step(command));
      expect(states.at(-1)?.won, generated.id).toBe(true);
    }
  });

  it('have ids in ALFWorld’s form, all different', () => {
    const { receptacles, freeLocations } = roomByName('K1');
    const number = '(_(plus|minus))?_\\d\\d_dot_\\d\\d';
    for (const { id, class: name } of receptacles)
      expect(id).toMatch(
        name === 'SinkBasin'
          ? new RegExp(`^Sink(_bar_?${number}){3}_bar_SinkBasin$`)
          : new RegExp(`^${name}(_bar_?${number}){3}$`),
      );
    expect(new Set(receptacles.map((receptacle) => receptacle.id)).size).toBe(receptacles.length);
    const occupied = new Set(receptacles.map((receptacle) => receptacle.location));
    expect(freeLocations.some((location) => occupied.has(location))).toBe(false);
  });
});
