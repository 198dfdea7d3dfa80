/** Which steps of the played episodes are learned from. */
import { given } from '@emac/algorithms';
import { z } from 'zod';
import { whole } from './numbers.ts';

export const samplesSchema = z.strictObject({
  trainAfter: z
    .enum(['every-episode', 'failed-episodes'])
    .describe('episodes to learn from')
    .meta(
      given('train-after', {
        when: 'played',
        words: { 'every-episode': 'every-episode', failed: 'failed-episodes' },
      }),
    ),
  selection: z
    .union([
      z.strictObject({ keep: z.enum(['all', 'distinct']) }),
      z.strictObject({
        keep: z.literal('departure'),
        after: whole(0, 10_000)
          .describe('--train-on departure: also keep so many steps after the first wrong one')
          .meta(given('departure-steps', { when: 'departure', otherwise: '0' })),
      }),
    ])
    .describe('steps to learn from: all, without repeated ones, or up to the first wrong one')
    .meta(
      given('train-on', {
        when: 'played',
        words: {
          all: { keep: 'all' },
          distinct: { keep: 'distinct' },
          departure: { keep: 'departure', after: 0 },
        },
      }),
    ),
  agreed: z
    .enum(['drop', 'keep', 'random'])
    .describe('dpo: if policy and expert agree: drop the pair, keep it, or pair with a random command')
    .meta(given('agreed', { when: 'pairs' })),
  trainOnUnusable: z
    .boolean()
    .describe("label if the expert's reply is unusable: none, or the policy's own command")
    .meta(given('unusable-labels', { when: 'played', words: { skip: false, own: true } })),
});
