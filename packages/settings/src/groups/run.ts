/** Settings of every run, stated once for all methods. */
import { given, text, textOrNull, whole } from '@emac/algorithms';
import { z } from 'zod';
import { checkpointEvery } from './checkpoint-every.ts';
import { gamesText } from './model.ts';
import { worldSchema } from './world.ts';

const environment = text.describe(
  'environment: alfworld, an id such as gym_cards/NumberLine-v0, MiniGrid-Empty-5x5-v0, tabletop/spatial/0 or lewis, remote/ID with --world http, a file of your own such as ./mine.mjs, mcp:COMMAND for a server of tools, or agent:FILE for an agent, which --agent FILE also names',
);

const seed = whole(0, 999_999_999_999_999)
  .default(0)
  .describe('seed of every random draw')
  .meta(given('seed'));

const policy = text
  .describe(
    'policy to train: emma-tiny, rl-tiny, lewis-tiny, vla-tiny, a Hugging Face model folder, or a JSON file naming its parts; a small network over the environment’s arrays (mlp) or picture (cnn); or an .onnx file with outputs logits and value',
  )
  .meta(given('policy', { aliases: ['model'], path: 'existing' }));

const init = textOrNull
  .describe(
    'run, RUN@best or checkpoint to start from, of any method for a model; without it fresh parameters',
  )
  .meta(given('init', { path: 'existing' }));

const trainingTasks = textOrNull
  .describe(
    `alfworld: games to train on: ${gamesText}; an agent or mcp:…: its tasks (JSONL); other environments of words: their source of tasks`,
  )
  .meta(
    given('games', {
      aliases: ['tasks'],
      when: ['tasks', 'words', 'here'],
      otherwise: 'its own',
      path: 'existing',
    }),
  );

const heldOutTasks = textOrNull
  .describe('held-out tasks for evaluations, in the form of --games')
  .meta(given('eval-on', { when: ['tasks', 'words'], otherwise: 'its own', path: 'existing' }));

/** `otherwise`: the default in words. */
export const evaluation = (episodes: number, otherwise: string) =>
  z.strictObject({
    episodes: whole(0, 1_000_000)
      .default(episodes)
      .describe('held-out tasks to play before and after training; 0: none')
      .meta(given('eval-episodes', { aliases: ['eval-games'], otherwise })),
    on: heldOutTasks,
  });

const keep = whole(1, 999_999_999)
  .nullable()
  .default(5)
  .describe(
    'newest checkpoints to keep, beside the best (and of bc and dpo each round’s last). From 2 on a run survives a damaged newest one',
  )
  .meta(given('keep', { none: 'all' }));

const traces = z
  .boolean()
  .default(false)
  .describe(
    'write traces.jsonl: every episode as a conversation, with its reward, token ids and log-probabilities',
  )
  .meta(given('traces', { when: 'played' }));

const out = text.default('runs').describe('parent folder of the run folder').meta(given('out'));

const world = worldSchema.prefault({});

/** What a configuration of any method begins and ends with; a method may refine defaults and words. */
export const beginning = { env: environment, policy, init, games: trainingTasks, seed };
export const ending = { world, traces, keep, out };
/** Of a method whose checkpoints are counted in updates. */
export const endingInUpdates = { world, traces, checkpointEvery, keep, out };
