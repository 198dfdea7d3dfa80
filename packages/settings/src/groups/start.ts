/** What a policy starts from. */
import { given, textOrNull, whole } from '@emac/algorithms';
import { z } from 'zod';

export const startSchema = z.strictObject({
  ref: textOrNull
    .describe('dpo: reference policy: a run folder, RUN@best, a checkpoint, a model or a published .pth')
    .meta(given('ref', { when: ['pairs', 'judged'], path: 'existing' })),
  projection: z
    .enum(['linear', 'mlp', 'mlp3'])
    .nullable()
    .default(null)
    .describe('trainable projection: one, two or three layers')
    .meta(given('projection', { when: 'model', otherwise: 'from --init, else linear' })),
  hidden: whole(1, 65_536)
    .nullable()
    .default(null)
    .describe('mlp, mlp3: hidden width')
    .meta(given('projection-hidden', { when: ['model', 'deep'], otherwise: 'width of the language model' })),
  carry: z
    .enum(['memories'])
    .nullable()
    .default(null)
    .describe('dpo: start with the reflections on failed attempts of --ref’s run')
    .meta(given('carry', { when: ['pairs', 'judged', 'alfworld', 'played'] })),
});
