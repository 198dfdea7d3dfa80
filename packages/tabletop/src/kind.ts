/**
 * The table as an environment kind. Opened, it takes a robot's seven numbers, separated by blanks, as
 * vision-language-action models write them. Stepped by number, it takes words for the hand, for people and small
 * networks.
 */
import {
  EmacError,
  commandedEpisodes,
  invariant,
  requireMeant,
  type EnvironmentKind,
  type KindSettings,
  type LocalSettings,
  type LocalWorld,
  type OpenedKind,
  type Speech,
  type TaskSet,
  type TaskSource,
} from '@emac/core';
import { vlaPrompt } from '@emac/vla';
import type { Action } from './motion.ts';
import { tasksOf, type Split } from './starts.ts';
import { choicesOf, stepLimitOf, tabletop, tabletopIds, type TabletopOptions } from './tabletop.ts';
import { handWords, tabletopByWords, wordLimitOf, type WordedTabletop } from './words.ts';

export const tabletopKind: EnvironmentKind & { local(id: string): LocalWorld<WordedTabletop> } = {
  name: 'tabletop',
  about:
    'a robot arm over a table: forty tasks in four suites as in LIBERO; add /0 to /9 to an id for one task',
  ids: tabletopIds,
  policy: 'vla-tiny',
  robot: { suiteOf: (id) => id.split('/').slice(0, 2).join('/') },
  idOf: (name) => (tabletopIds.includes(name.replace(/\/\d$/, '')) ? name : null),
  local: worldOf,
  open: async (id, settings) => worldOf(id).open(settings),
};

/** picture side in pixels for a convolutional network, whose layers then have 12 × 12 and 5 × 5, as for cards */
const smallPicture = 64;
const convolutions = [
  { filters: 16, kernel: 12, stride: 12 },
  { filters: 32, kernel: 5, stride: 5 },
];

const rewards: readonly [number, number] = [0, 1];

/** Errors: `usage` for an unknown id. */
function worldOf(id: string): LocalWorld<WordedTabletop> {
  const { suite } = choicesOf(id, 'all');
  const tasks = { training: startTasks(id, 'train'), heldOut: startTasks(id, 'held-out') };
  const world: LocalWorld<WordedTabletop> = {
    id,
    actions: handWords,
    offered: [...handWords.keys()],
    maxSteps: wordLimitOf(suite),
    tasks,
    rewards,
    make: (settings) => tabletopByWords(id, optionsOf(id, settings)),
    open: (settings) => opened(id, settings, tasks),
    expert: (table) => table.expert(),
    numbers: { frameSize: smallPicture, convolutions },
    moved: {
      maxSteps: stepLimitOf(suite),
      frameSize: 256,
      make: (settings) => tabletop(id, optionsOf(id, settings)),
    },
  };
  return world;
}

function optionsOf(id: string, settings: LocalSettings): TabletopOptions {
  requireMeant(id, settings, { frameSize: true });
  const { maxSteps, frameSize, starts } = settings;
  return {
    ...(maxSteps !== null && { maxSteps }),
    ...(frameSize !== undefined && { size: frameSize }),
    ...(starts && { split: splits[starts.set], starts: starts.isCounted ? 'counted' : 'drawn' }),
  };
}

const splits = { training: 'train', heldOut: 'held-out' } as const satisfies Record<TaskSet, Split>;

/** The starts of an id as tasks, in numbered order; results are grouped by instruction. */
function startTasks(id: string, split: Split): TaskSource {
  const { suite, choices } = choicesOf(id, split);
  const texts = tasksOf(suite).map(({ text }) => text);
  return {
    count: choices.length,
    at(number) {
      const start = choices[Number(number)];
      invariant(start, `${id}: has ${choices.length} initial states in ${split}, got number ${number}`);
      return { id: `tabletop/${suite}/${start.task}/${start.state}`, type: texts[start.task]! };
    },
  };
}

/** Errors: `internal`, when begun, for a task of another suite. */
function opened(id: string, settings: KindSettings, tasks: OpenedKind['tasks']): OpenedKind {
  const options = optionsOf(id, settings);
  const { suite } = choicesOf(id, 'all');
  return {
    id,
    maxSteps: settings.maxSteps ?? stepLimitOf(suite),
    tasks,
    rewards,
    speech: (policy, form) => speechOf(id, policy, form),
    ...commandedEpisodes({
      start({ id: task }) {
        invariant(task.startsWith(`tabletop/${suite}/`), `${id}: ${task} is not one of its tasks`);
        return { made: tabletop(task, options), seed: 0 };
      },
      commands: null,
      actionOf: numbersIn,
      label: (table) => ({ kind: 'action', command: written(table.expert()) }),
    }),
  };
}

function numbersIn(command: string): Action | null {
  const numbers = command.trim().split(/\s+/).map(Number);
  return numbers.length === 7 && numbers.every(Number.isFinite) ? numbers : null;
}

function written(action: readonly number[]): string {
  return action.join(' ');
}

/** OpenVLA's question; the answer is tokens that stand for numbers. */
function speechOf(id: string, ...[{ motionOf }, form]: Parameters<OpenedKind['speech']>): Speech {
  if (!motionOf || form.observe === 'text')
    throw new EmacError(
      'usage',
      `${id}: needs a policy that reads pictures and answers in action tokens, such as vla-tiny`,
    );
  const { malformedPenalty: penalty } = form;
  return {
    prompt: ({ observation }) => vlaPrompt(observation.text),
    target: (action) => action,
    read({ tokens }) {
      const { motion, isMalformed } = motionOf(tokens);
      const action = { action: written(motion), actionStart: 0 };
      return isMalformed && penalty !== undefined ? { ...action, penalty } : action;
    },
  };
}
