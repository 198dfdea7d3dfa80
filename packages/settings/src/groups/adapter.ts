/** Which parameters learn, and the shape of an adapter. */
import { given, positive, textOrNull, whole } from '@emac/algorithms';
import { adapterTargets } from '@emac/backbone';
import { z } from 'zod';

/** null takes the starting adapter's value, else the default (`defaultAdapter`). */
export const trainedSchema = z.strictObject({
  parts: z
    .enum(['projection', 'lora', 'projection,lora'])
    .nullable()
    .default(null)
    .describe('parameters to train: the projection, a low-rank adapter of the language model (LoRA), or both')
    .meta(given('train', { when: 'model', otherwise: 'projection; lora for a model that reads text alone' })),
  rank: whole(1, 4096)
    .nullable()
    .default(null)
    .describe('--train lora: rank of the adapter')
    .meta(
      given('lora-rank', {
        when: ['model', 'lora'],
        otherwise: 'from --init, else 8, or from a published preset',
      }),
    ),
  alpha: positive
    .nullable()
    .default(null)
    .describe('--train lora: α; the adapter’s output is scaled by α / rank')
    .meta(
      given('lora-alpha', {
        when: ['model', 'lora'],
        otherwise: 'from --init, else 16, or from a published preset',
      }),
    ),
  dropout: z
    .number()
    .min(0)
    .max(0.99)
    .nullable()
    .default(null)
    .describe('--train lora: dropout probability of the adapter’s inputs')
    .meta(
      given('lora-dropout', {
        when: ['model', 'lora'],
        otherwise: 'from --init, else 0, or from a published preset',
      }),
    ),
  targets: textOrNull
    .describe(
      `--train lora: modules to adapt: all-linear, or some of ${adapterTargets.join(', ')}, separated by commas`,
    )
    .meta(
      given('lora-targets', {
        when: ['model', 'lora'],
        otherwise: 'from --init, else all-linear, or from a published preset',
      }),
    ),
});

/** The same where an adapter learns unless something else is asked for. */
export const learningAdapter = trainedSchema.extend({
  parts: trainedSchema.shape.parts
    .unwrap()
    .unwrap()
    .default('lora')
    .meta(given('train', { when: 'model' })),
});

/** Whether given settings, unchecked, speak of an adapter: of its shape, or that it learns. */
export function asksAdapter(trained: object | null | undefined): boolean {
  const { parts, ...shape } = (trained ?? {}) as Readonly<Record<string, unknown>>;
  return String(parts ?? '').includes('lora') || Object.values(shape).some((each) => each != null);
}
