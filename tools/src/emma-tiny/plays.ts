/** Plays for training: players of mixed competence, some aimless plays, and aimless steps in all of them. */
import type { History, Random, Turn } from '@emac/core';
import { initialObservation } from '@emac/prompt';
import { World, type Game, type VisibleState } from '@emac/world';
import { competenceIn, playerCommand, wantedObject } from './mistakes.ts';

export interface Play {
  /** the student's text of the initial observation */
  readonly initial: string;
  readonly turns: readonly Turn[];
  /** the visible state before each command */
  readonly seen: readonly VisibleState[];
}

/** Chances that a play is aimless from start to end, that a step of another play is, and of a repetition in either. */
const aimless = { plays: 0.08, steps: 0.05, repetitions: 0.1 } as const;

export interface PlayOptions {
  readonly maxSteps: number;
  readonly competence?: typeof competenceIn;
}

/** One play of a game. */
export function playGame(
  game: Game,
  random: Random,
  { maxSteps, competence = competenceIn }: PlayOptions,
): Play {
  const isAimless = random.uniform() < aimless.plays;
  const world = new World(game);
  const start = world.reset();
  const turns: Turn[] = [];
  const seen: VisibleState[] = [];
  const limit = isAimless ? 4 + random.integer(9) : maxSteps;
  let { admissible } = start;
  while (turns.length < limit) {
    const visible = world.visible();
    const history: History = { initial: start.observation, turns };
    const command =
      isAimless || random.uniform() < aimless.steps
        ? aimlessCommand(admissible, habitsAt(history, visible), random)
        : playerCommand(history, { admissible, visible }, { random, competence });
    const state = world.step(command);
    seen.push(visible);
    turns.push({ command, observation: state.observation });
    if (state.won) break;
    ({ admissible } = state);
  }
  return { initial: initialObservation(start.observation), turns, seen };
}

interface AimlessHabits {
  readonly last?: string | undefined;
  /** chance of repeating it */
  readonly again: number;
  /** the object a hasty player tries to take from its place, present or not */
  readonly missed?: { readonly thing: string; readonly place: string } | null;
}

function habitsAt({ initial, turns }: History, { facing }: VisibleState): AimlessHabits {
  const thing = wantedObject(initial);
  const place = facing[0]?.name;
  const missed = thing !== '' && place !== undefined ? { thing, place } : null;
  return { last: turns.at(-1)?.command, again: aimless.repetitions, missed };
}

/** An aimless player's command: repeats `last`, wanders, opens, takes and looks; some commands are refused. */
export function aimlessCommand(
  admissible: readonly string[],
  { last, again, missed }: AimlessHabits,
  random: Random,
): string {
  if (random.uniform() < again && last) return last;
  if (missed && random.uniform() < 0.15)
    return `take ${missed.thing} ${1 + random.integer(3)} from ${missed.place}`;
  if (random.uniform() < 0.09) return refusedCommand(admissible, random);
  const verbs: readonly [string, number][] = [
    ['go to', 5],
    ['open', 1.5],
    ['take', 2],
    ['put', 1.5],
    ['move', 1.5],
    ['close', 0.7],
    ['use', 0.5],
    ['heat', 1],
    ['cool', 1],
    ['clean', 1],
    ['examine', 0.4],
    ['look', 0.2],
    ['inventory', 0.2],
  ];
  const possible = verbs.filter(([verb]) => admissible.some((command) => command.startsWith(verb)));
  const [verb] = possible[random.weightedIndex(possible.map(([, weight]) => weight))]!;
  return random.pick(admissible.filter((command) => command.startsWith(verb)));
}

/** A command in the right form that the world will refuse: a command for a thing that is somewhere else. */
function refusedCommand(admissible: readonly string[], random: Random): string {
  const places = admissible
    .filter((command) => command.startsWith('go to '))
    .map((command) => command.slice(6));
  if (places.length === 0) return 'look';
  const place = random.pick(places);
  return random.pick([
    `open ${place}`,
    `close ${place}`,
    `examine ${place}`,
    `take ${random.pick(places)} from ${place}`,
  ]);
}
