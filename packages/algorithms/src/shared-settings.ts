/** Settings shared by methods: sampling, clipping, AdamW and its learning rate, gradient shards, staleness. */
import { optimizerNames } from '@emac/optim';
import { z } from 'zod';
import { leastTemperature } from '@emac/core';
import { coefficient, given, positive, share } from './setting.ts';

const sampled = z.number().min(leastTemperature).max(1_000_000);

export const temperature = sampled
  .describe('sampling temperature: divides the logits, both when acting and when scoring')
  .meta(given('temperature'));

export const finalTemperature = sampled
  .optional()
  .describe(
    'sampling temperature of the last update, to which it goes evenly; a low one teaches the likeliest action, since chance no longer makes up for its mistakes',
  )
  .meta(given('final-temperature', { otherwise: '--temperature' }));

interface Temperatures {
  readonly temperature: number;
  readonly finalTemperature?: number | undefined;
}

/** The sampling temperature of an update, from 0, of so many; the first one of a single update. */
export function temperatureOf(
  { temperature: first, finalTemperature: last = first }: Temperatures,
  update: number,
  updates: number,
): number {
  // a constant stays as it is, to the last bit
  if (updates === 1 || last === first) return first;
  const passed = update / (updates - 1);
  return first * (1 - passed) + last * passed;
}

/** Clip range of a probability ratio, 1 − low to 1 + high; `aliases`: published names of the upper end. */
export const clipRange = (aliases: readonly string[]) =>
  z.strictObject({
    low: positive.max(1).describe('lower clip range'),
    high: positive
      .describe('upper clip range')
      .meta(given('clip-high', { aliases, otherwise: 'the --clip' })),
  });

/** How a learning rate falls. */
export const rateSchedule = {
  schedule: z
    .enum(['constant', 'linear', 'cosine'])
    .describe('learning-rate schedule')
    .meta(given('schedule')),
  finalShare: share
    .describe('share of the learning rate left at the end of the schedule')
    .meta(given('lr-final-share')),
};

const decay = z.number().min(0).lt(1);

const gradientShards = z
  .number()
  .int()
  .min(1)
  .max(1024)
  .default(1)
  .describe(
    'parts of a gradient, added in order (changes results in the last bits); with --queue workers compute them',
  )
  .meta(given('gradient-shards'));

/** The optimizer and its gradient. */
export const adamSettings = {
  optimizer: z
    .enum(optimizerNames)
    .default('adamw')
    .describe('optimizer: AdamW, or Muon for matrices beside AdamW for other tensors, at the same rate')
    .meta(given('optimizer')),
  clipNorm: positive
    .nullable()
    .describe('largest gradient norm over all parameters')
    .meta(given('max-grad-norm', { aliases: ['clip-norm'], none: 'none' })),
  betas: z
    .tuple([
      decay.describe('Adam: decay of the running mean').meta(given('adam-beta1')),
      decay.describe('Adam: decay of the running mean square').meta(given('adam-beta2')),
    ])
    .readonly(),
  epsilon: positive
    .describe('Adam: ε, added to the root of the mean square')
    .meta(given('adam-epsilon', { aliases: ['eps'] })),
  weightDecay: coefficient
    .describe('AdamW: decoupled weight decay; none on biases')
    .meta(given('weight-decay')),
  gradientShards,
};

/** Most updates that the acting policy may lag behind. */
const stalenessAtMost = 16;

export const maxStaleness = z
  .number()
  .int()
  .min(0)
  .max(stalenessAtMost)
  .default(0)
  .describe(
    'updates the acting policy may lag behind (0: synchronous); with --queue workers play ahead instead of waiting',
  )
  .meta(given('max-staleness'));
