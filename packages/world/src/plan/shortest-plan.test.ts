import { Random } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { parseGame } from '../game/game.ts';
import type { Game } from '../game/game.ts';
import { domainText } from '../generate/domain-text.ts';
import type { PlacedObject } from '../generate/furnish.ts';
import { grammarText } from '../generate/grammar-text.ts';
import { problemText } from '../generate/problem-text.ts';
import type { RoomReceptacle } from '../generate/room.ts';
import { World } from '../world.ts';
import type { TaskType } from '../task-type.ts';

// A room small enough for a search over all states: seven receptacles at five places, two of them shared.
const receptacle = (name: string, location: string, openable = false): RoomReceptacle => {
  return { id: `${name}_bar_${location}_bar_0`, class: name, openable, location: `loc_bar_${location}` };
};
const room = {
  fridge: receptacle('Fridge', '1', true),
  microwave: receptacle('Microwave', '2', true),
  counter: receptacle('CounterTop', '2'),
  drawer: receptacle('Drawer', '3', true),
  desk: receptacle('Desk', '3'),
  sink: receptacle('Sink', '4'),
  shelf: receptacle('Shelf', '5'),
};
const sink = { ...room.sink, id: 'Sink_bar_4_bar_0_bar_SinkBasin', class: 'SinkBasin' };
const receptacles = [...Object.values(room).filter((each) => each !== room.sink), sink];

/** 'Mug counter drawer': a mug that lies in both. */
function lies(text: string, index: number): PlacedObject {
  const [name, ...places] = text.split(' ') as [string, ...(keyof typeof room)[]];
  const at = places.map((place) => (place === 'sink' ? sink : room[place]));
  return { id: `${name}_bar_${index}`, class: name, places: at, location: at[0]!.location, cool: false };
}

function contentOf(type: TaskType, object: string, target: string, things: readonly string[]) {
  const kitchen = {
    name: 'K',
    kind: 'kitchen',
    receptacles,
    freeLocations: ['loc_bar_9'],
    objectClasses: [],
  } as const;
  const task = { type, object, target, room: kitchen };
  const objects = things.map(lies);
  return {
    pddl_domain: domainText('move'),
    grammar: grammarText('do it', 'move'),
    pddl_problem: problemText({ trial: 't', task, objects, start: 'loc_bar_9' }),
  };
}

const game = (...parts: Parameters<typeof contentOf>): Game => parseGame(contentOf(...parts));

const useless = /^(look|inventory|help|examine|close|slice)/;

/** Commands to the nearest win, by trying everything; null when it is farther than `limit`. */
function distance(world: World, limit: number): number | null {
  const start = world.snapshot();
  const seen = new Set<string>();
  let front = [start];
  for (let depth = 0; depth <= limit; depth++) {
    const next: typeof front = [];
    for (const snapshot of front) {
      world.restore(snapshot);
      if (world.won) {
        world.restore(start);
        return depth;
      }
      for (const command of world.admissible.filter((each) => !useless.test(each))) {
        world.restore(snapshot);
        world.perform(command);
        const after = world.snapshot();
        const state = JSON.stringify(
          Object.entries(after.facts).filter(([name]) => !/^not_|^checked/.test(name)),
        );
        if (!seen.has(state)) next.push(after);
        seen.add(state);
      }
    }
    front = next;
  }
  world.restore(start);
  return null;
}

const games: Readonly<Record<string, Game>> = {
  place: game('pick_and_place_simple', 'Pen', 'Drawer', ['Pen shelf', 'Mug desk']),
  look: game('look_at_obj_in_light', 'Pen', 'DeskLamp', ['Pen drawer', 'Mug shelf', 'DeskLamp desk']),
  clean: game('pick_clean_then_place_in_recep', 'Mug', 'Shelf', ['Mug shelf counter', 'Mug fridge']),
  heat: game('pick_heat_then_place_in_recep', 'Mug', 'CounterTop', ['Mug fridge', 'Mug desk counter']),
  cool: game('pick_cool_then_place_in_recep', 'Mug', 'Microwave', ['Mug microwave', 'Pen drawer']),
  two: game('pick_two_obj_and_place', 'Pen', 'Desk', ['Pen shelf', 'Pen drawer', 'Mug desk']),
};

describe('the shortest plan', () => {
  it.each(Object.keys(games))('wins, and nothing wins sooner, from states of any walk: %s', (name) => {
    const world = new World(games[name]!);
    const random = Random.fromSeed(`plan/${name}`);
    let searched = 0;
    for (let walk = 0; walk < 30 && searched < 8; walk++) {
      world.reset();
      for (let steps = random.integer(12); steps > 0; steps--) {
        const [next = 'look'] = world.shortestPlan() ?? [];
        world.perform(random.uniform() < 0.5 ? next : random.pick(world.admissible));
      }
      const plan = world.shortestPlan();
      expect(plan).not.toBeNull();
      // farther wins cost too much to search for here; those of real games are as long as their walkthroughs
      if (plan!.length > 0 && plan!.length <= 4) {
        expect(distance(world, 4)).toBe(plan!.length);
        searched++;
      }
      for (const command of plan!) expect([command, world.perform(command)]).not.toEqual([command, null]);
      expect(world.won).toBe(true);
    }
    expect(searched).toBeGreaterThan(3);
  });

  it('is empty when the game is won', () => {
    const world = new World(games['place']!);
    for (const command of world.shortestPlan()!) world.perform(command);
    expect(world.shortestPlan()).toEqual([]);
  });

  it('need not put down an object that also lies in the target', () => {
    const world = new World(game('pick_heat_then_place_in_recep', 'Mug', 'CounterTop', ['Mug desk counter']));
    expect(world.shortestPlan()).toEqual([
      'go to countertop 1',
      'take mug 1 from countertop 1',
      'heat mug 1 with microwave 1',
      'move mug 1 to countertop 1',
    ]);
    world.perform('go to desk 1');
    expect(world.shortestPlan()).toEqual([
      'take mug 1 from desk 1',
      'go to microwave 1',
      'heat mug 1 with microwave 1',
    ]);
  });

  it("is null if the goal has no task type's form", () => {
    const content = contentOf('pick_and_place_simple', 'Pen', 'Desk', ['Pen shelf']);
    const opened = content.pddl_problem.replace(
      /\(:goal .*\)/,
      '(:goal (exists (?r - receptacle) (opened ?r)))',
    );
    expect(opened).toContain('(opened ?r)');
    expect(new World(parseGame({ ...content, pddl_problem: opened })).shortestPlan()).toBeNull();
  });
});
