/** Which games are played, how long, and who acts in them. */
import { leastTemperature } from '@emac/core';
import { given, labelPlay } from '@emac/algorithms';
import { z } from 'zod';
import { parallelSchema } from './model.ts';

export const playSchema = labelPlay.extend({
  parallelEpisodes: parallelSchema
    .describe('training episodes played in parallel, per policy version; affects speed only')
    .meta(
      given('parallel-episodes', {
        when: 'always',
        also: ['evaluation.parallelEpisodes'],
        otherwise: 'up to 8, or 1 with streamed layers',
      }),
    ),
  sampleTemperature: z
    .number()
    .min(leastTemperature)
    .max(100)
    .nullable()
    .default(null)
    .describe(
      'training episodes: sample answers at this temperature instead of a beam search; dpo rejects the sampled answer',
    )
    .meta(given('sample-temperature', { otherwise: 'a search' })),
  policyMemory: z
    .boolean()
    .default(false)
    .describe('show the policy the reflections on failed attempts')
    .meta(given('student-memory', { when: 'alfworld' })),
});
