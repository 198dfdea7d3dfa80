/** Settings of every run, whatever its method. */
import { given } from '@emac/algorithms';
import { z } from 'zod';
import { gamesText } from './model.ts';
import { whole } from './numbers.ts';

/** A text that says something. */
export const name = z.string().min(1);
export const nameOrNull = name.nullable().default(null);

export const environment = name.describe(
  'environment: alfworld, an id such as gym_cards/NumberLine-v0, MiniGrid-Empty-5x5-v0, tabletop/spatial/0 or lewis, remote/ID with --world http, or a file of your own such as ./mine.mjs',
);

export const seed = whole(0, 999_999_999_999_999)
  .default(0)
  .describe('seed of every random draw')
  .meta(given('seed'));

/** Of methods that count updates. */
export const init = nameOrNull
  .describe(
    'run, RUN@best or checkpoint to start from, of any method for a model; without it fresh parameters',
  )
  .meta(given('init'));

export const trainingTasks = nameOrNull
  .describe(`alfworld: games to train on: ${gamesText}; other environments of words: their source of tasks`)
  .meta(given('games', { when: ['tasks', 'words', 'here'], otherwise: 'its own' }));

export const heldOutTasks = nameOrNull
  .describe('held-out tasks for evaluations, in the form of --games')
  .meta(given('eval-on', { when: ['tasks', 'words'], otherwise: 'its own' }));

export const heldOutCount = whole(0, 1_000_000)
  .describe('held-out tasks to play before and after training; 0: none')
  .meta(given('eval-episodes', { aliases: ['eval-games'] }));

export const checkpointEvery = whole(1, 999_999_999)
  .default(10)
  .describe('updates from one checkpoint to the next')
  .meta(given('checkpoint-every'));

export const keep = whole(1, 999_999_999)
  .nullable()
  .default(5)
  .describe(
    'newest checkpoints to keep, beside the best (and of bc and dpo each round’s last). From 2 on a run survives a damaged newest one',
  )
  .meta(given('keep', { none: 'all' }));

export const out = name.default('runs').describe('parent folder of the run folder').meta(given('out'));
