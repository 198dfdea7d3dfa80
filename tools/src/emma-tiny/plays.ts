/**
 * Plays for training. A quality word selects the kind of play. After `good` the expert plays; its mistakes are shown
 * but not learned, so the model learns to recover. Without a quality word, or after `poor`, the play is aimless and
 * often repeats the last command. So the frozen model has the skill, and the visual tokens before the text select it.
 * Without the word, beam search finds the repeating habit, not the expert's command.
 */
import type { History, Random, Turn } from '@emac/core';
import { initialObservation } from '@emac/prompt';
import { objectClasses, World, handcodedCommand, type Game, type VisibleState } from '@emac/world';

export type Quality = 'good' | 'poor' | null;

export interface PlayTurn extends Turn {
  /** whether the command is worth learning */
  readonly learned: boolean;
}

export interface Play {
  readonly quality: Quality;
  /** the student's text of the initial observation */
  readonly initial: string;
  readonly turns: readonly PlayTurn[];
  /** the visible state before each command */
  readonly seen: readonly VisibleState[];
}

interface Manner {
  readonly quality: Quality;
  /** chance that a step is a mistake */
  readonly mistakes: number;
  /** steps from here on are mistakes, for a while */
  readonly badStretch: { readonly from: number; readonly length: number };
  /** no expert at all */
  readonly aimless: boolean;
}

/** How often an aimless player repeats its last command, and how often a good one does so by mistake. */
const repeats = { aimless: 0.4, mistake: 0.08 } as const;

/** Shares found by trial: 74 % good, 17 % unmarked, 9 % poor. */
function drawManner(random: Random): Manner {
  const kind = random.uniform();
  const none = { from: 0, length: 0 };
  if (kind < 0.74) {
    const stretch =
      random.uniform() < 0.22 ? { from: random.integer(8), length: 2 + random.integer(5) } : none;
    const mistakes = random.uniform() < 0.4 ? 0 : 0.35 * random.uniform();
    return { quality: 'good', mistakes, badStretch: stretch, aimless: false };
  }
  return { quality: kind < 0.91 ? null : 'poor', mistakes: 1, badStretch: none, aimless: true };
}

/** One play of a game. */
export function playGame(game: Game, random: Random, maxSteps: number): Play {
  const manner = drawManner(random);
  const world = new World(game);
  const start = world.reset();
  const turns: PlayTurn[] = [];
  const seen: VisibleState[] = [];
  const limit = manner.aimless ? 4 + random.integer(9) : maxSteps;
  let admissible = start.admissible;
  for (let step = 0; step < limit; step++) {
    const inStretch =
      step >= manner.badStretch.from && step < manner.badStretch.from + manner.badStretch.length;
    const mistaken = manner.aimless || inStretch || random.uniform() < manner.mistakes;
    const history: History = { initial: start.observation, turns };
    const again = manner.aimless ? repeats.aimless : repeats.mistake;
    const command = mistaken
      ? aimlessCommand(
          admissible,
          { last: turns.at(-1)?.command, again, missed: missedThing(world, start.observation) },
          random,
        )
      : (handcodedCommand(history, { admissible }) ?? 'look');
    seen.push(world.visible());
    const state = world.step(command);
    turns.push({
      command,
      observation: state.observation,
      learned: manner.quality === 'good' ? !mistaken : true,
    });
    admissible = state.admissible;
    if (state.won) break;
  }
  return { quality: manner.quality, initial: initialObservation(start.observation), turns, seen };
}

export interface AimlessHabits {
  readonly last?: string | undefined;
  /** number of repetitions */
  readonly again: number;
  /** the object a hasty player tries to take from its place, present or not */
  readonly missed?: { readonly thing: string; readonly place: string } | null | undefined;
}

/** A thing that the task names, and the place that is faced. */
function missedThing(world: World, observation: string): AimlessHabits['missed'] {
  const task = /Your task is to: (.+)/.exec(observation)?.[1]?.split(/\W+/) ?? [];
  const thing = task.find((word) => things.has(word));
  const place = world.visible().facing[0]?.name;
  return thing !== undefined && place !== undefined ? { thing, place } : null;
}

const things = new Set(objectClasses.map((name) => name.toLowerCase()));

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
