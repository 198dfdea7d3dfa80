/**
 * The table as an environment kind, by words for the hand: for people, language models and small networks. A model that
 * writes a robot's seven numbers moves it by them (`moved`).
 */
import {
  invariant,
  openedWorld,
  requireMeant,
  type EnvironmentKind,
  type LocalSettings,
  type LocalWorld,
  type SeenInWords,
  type TaskSet,
  type TaskSource,
} from '@emac/core';
import { wordsSpeech } from '@emac/postprocess';
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

const words = { asksActionOnly: true, asksScores: false, isAllInText: false, prompt: promptOf };

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
    open: (settings) => openedWorld(world, settings, wordsSpeech({ ...world, words }, { maxSteps: null })),
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

/** No prompt is published; this one has the task, the words, and the answer's form. */
function promptOf({ text }: SeenInWords): string {
  return [
    `You see a robot's hand over a table. Your task is to ${text}.`,
    `Tell the hand one of: ${handWords.map((word) => `"${word}"`).join(', ')}.`,
    'Answer with JSON: {"action": "..."}',
  ].join('\n');
}
