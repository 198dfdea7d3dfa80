/** Training on a dataset in place of games. */
import { given, text, textOrNull, whole } from '@emac/algorithms';
import { z } from 'zod';
import { checkpointEverySetting } from './checkpoint-every.ts';

export const datasetSchema = z.strictObject({
  data: text
    .describe(
      'train on a dataset instead of games: a folder, a file or a pattern such as "data/*.jsonl", in one of the forms of docs/reference/data-forms.md',
    )
    .meta(given('data', { when: 'model', path: 'existing' })),
  images: textOrNull
    .describe('--data: folder of pictures, PNG or JPEG')
    .meta(given('images', { when: 'data', path: 'existing', otherwise: 'the folder of the JSON file' })),
  validation: textOrNull
    .describe(
      '--data: validation dataset, scored after each epoch; its lowest loss gives the best checkpoint',
    )
    .meta(given('val', { when: 'data', path: 'existing', otherwise: 'the held-out files of a folder' })),
  assistantTurns: z
    .enum(['all', 'last'])
    .default('all')
    .describe("--data: the assistant's turns of a conversation that are learned")
    .meta(given('assistant-turns', { when: 'data' })),
  maxLength: whole(2, 1_000_000)
    .nullable()
    .default(null)
    .describe('--data: tokens of a conversation or text that are read, pictures aside')
    .meta(given('max-record-tokens', { when: 'data', otherwise: "the model's positions" })),
  longer: z
    .enum(['cut', 'refuse'])
    .nullable()
    .default(null)
    .describe(
      '--max-record-tokens: cut what is longer at its end, as TRL does, or refuse it (with --skip-bad-records skip it)',
    )
    .meta(given('longer', { when: 'data', otherwise: 'cut' })),
  epochs: whole(1, 10_000)
    .default(6)
    .describe('--data: number of epochs, each in a new order')
    .meta(given('epochs', { when: 'data' })),
  checkpointEvery: checkpointEverySetting(
    50,
    '--data: updates between checkpoints within an epoch, or a time such as 60s',
  ).meta(given('checkpoint-every', { when: 'data' })),
  skipBadRecords: z
    .boolean()
    .default(false)
    .describe(
      '--data: skip, count and name overlong records and undecodable pictures in training and --val; also with --resume',
    )
    .meta(given('skip-bad-records', { when: 'data' })),
});
