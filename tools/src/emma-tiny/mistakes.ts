/**
 * The mistakes of players of mixed competence. A player follows the hand-coded expert, but errs about some classes of
 * things and places: it walks past closed drawers, takes another thing, forgets to clean a fork.
 * The chance depends on skill and class alone and is the same in all plays. So the beginning of a play does not tell
 * how it goes on, and a model of these plays has the habits of the average player.
 */
import { Random, type History } from '@emac/core';
import { handcodedCommand, objectClasses, type VisibleState } from '@emac/world';

/** Lowest and highest chance that a player is right, by skill. */
export const skills = {
  /** opens what is closed */
  opens: [0.7, 0.97],
  /** goes where the object may be */
  finds: [0.7, 0.95],
  /** takes the object and no other */
  takes: [0.7, 0.97],
  /** cleans, heats or cools it first */
  prepares: [0.7, 0.95],
  /** goes for the second of two */
  counts: [0.7, 0.95],
  /** brings it to the lamp */
  lights: [0.7, 0.95],
  /** carries it to the place of the task */
  delivers: [0.7, 0.97],
} as const;

export type Skill = keyof typeof skills;

/** Chance that a player is right where this skill meets a class of things or places. */
export function competenceIn(skill: Skill, of: string): number {
  const [least, most] = skills[skill];
  return least + (most - least) * Random.fromSeed('competence').stream(skill).stream(of).uniform();
}

export interface Player {
  readonly random: Random;
  readonly competence: typeof competenceIn;
}

export interface Situation {
  readonly admissible: readonly string[];
  readonly visible: VisibleState;
}

/** The expert's command, or the mistake that players make there. */
export function playerCommand(
  history: History,
  situation: Situation,
  { random, competence }: Player,
): string {
  const { admissible, visible } = situation;
  const right = handcodedCommand(history, { admissible }) ?? 'look';
  const mistake =
    visible.held === null
      ? emptyHandedMistake(history, { ...situation, right })
      : carryingMistake(history, { ...situation, right });
  if (!mistake || !admissible.includes(mistake.command)) return right;
  return random.uniform() < competence(mistake.skill, mistake.of) ? right : mistake.command;
}

interface Mistake {
  readonly skill: Skill;
  readonly of: string;
  readonly command: string;
}

interface Moment extends Situation {
  readonly right: string;
}

function emptyHandedMistake(history: History, { admissible, visible, right }: Moment): Mistake | null {
  const object = wantedObject(history.initial);
  const onward = `go to ${nextPlace(history.initial, visible.facing[0]?.name)}`;
  const [verb] = right.split(' ');
  if (verb === 'open') return { skill: 'opens', of: classOf(right.slice(5)), command: onward };
  if (verb === 'take') {
    const others = admissible.filter((command) => command.startsWith('take '));
    const other = others.find((command) => !command.startsWith(`take ${object} `));
    return { skill: 'takes', of: object, command: other ?? onward };
  }
  if (verb !== 'go') return null;
  const put = new RegExp(`^(?:put|move) ${object} `);
  const isHalfDone =
    /two/.test(taskIn(history.initial)) && history.turns.some(({ command }) => put.test(command));
  if (isHalfDone) return { skill: 'counts', of: object, command: 'inventory' };
  return { skill: 'finds', of: object, command: onward };
}

function carryingMistake(history: History, { admissible, visible, right }: Moment): Mistake | null {
  const { class: held, name } = visible.held!;
  if (held !== wantedObject(history.initial)) return null;
  const task = taskIn(history.initial);
  const untreated = withoutTreatment(task);
  if (untreated !== null) {
    const initial = history.initial.replace(task, untreated);
    const command = handcodedCommand({ ...history, initial }, { admissible });
    if (command !== null && command !== right) return { skill: 'prepares', of: held, command };
  }
  if (/look at|examine the/.test(task)) return { skill: 'lights', of: held, command: `examine ${name}` };
  const down = admissible.find((command) => /^(?:put|move) /.test(command));
  if (!right.startsWith('go ') || down === undefined) return null;
  return { skill: 'delivers', of: classOf(right.slice(6)), command: down };
}

function classOf(name: string): string {
  return name.replace(/ \d+$/, '');
}

function taskIn(initial: string): string {
  return /Your task is to: (.+)/.exec(initial)?.[1] ?? '';
}

const things = new Set(objectClasses.map((name) => name.toLowerCase()));

/** The class of the object that the task names, '' for none. */
export function wantedObject(initial: string): string {
  return (
    taskIn(initial)
      .split(/\W+/)
      .find((word) => things.has(word)) ?? ''
  );
}

/** The task without cleaning, heating or cooling; null if there is none. */
function withoutTreatment(task: string): string | null {
  const treated = /^(?:clean|heat|cool) some (\S+) and put it (in|on) (\S+?)\.?$/.exec(task);
  if (treated) return `put a ${treated[1]} ${treated[2]} ${treated[3]}.`;
  const put = /^put (an?|some) (?:clean|hot|cool) (.+)$/.exec(task);
  return put && `put ${put[1]} ${put[2]}`;
}

/** The place listed after this one, the first after none or the last. */
function nextPlace(initial: string, here: string | undefined): string {
  const list = /Looking quickly around you, you see (.+)/.exec(initial)?.[1] ?? '';
  const places = Array.from(list.matchAll(/an? ([a-z]+ \d+)/g), ([, name]) => name!);
  const at = here === undefined ? -1 : places.indexOf(here);
  return places[(at + 1) % places.length] ?? 'nowhere';
}
