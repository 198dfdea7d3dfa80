/** Options of `emac train` that belong to training on a dataset. */
import { EmacError } from '@emac/core';
import { openDataset, type Dataset } from './offline-dataset.ts';
import { integer, text } from './option.ts';
import type { PhaseValues } from './train-options.ts';

export const offlineOptions = {
  data: text({
    help: 'train on a dataset in place of games: a JSON list of {image, text_input, text_output}, for dpo also text_output_neg',
    default: null,
  }),
  images: text({
    help: '--data: folder of its pictures, PNG or JPEG',
    default: null,
    defaultText: 'the folder of the JSON file',
  }),
  val: text({
    help: '--data: another dataset, measured after each epoch; its lowest loss makes the best checkpoint',
    default: null,
  }),
  epochs: integer([1, 10_000], {
    help: '--data: passes, each over all samples in an order of its own',
    default: 6,
  }),
  'checkpoint-every': integer([1, 1_000_000], {
    help: '--data: updates after which a checkpoint is written within an epoch',
    default: 50,
  }),
};

export interface OfflineSets {
  readonly data: Dataset;
  readonly validation: Dataset | null;
  /** one sentence on what is left out; null where nothing is */
  readonly note: string | null;
  close(): void;
}

/** The datasets that the flags name; null where training is on games. Errors: `usage`, `missing`, `data`. */
export function openOfflineSets(values: PhaseValues, equalPairs: 'drop' | 'keep'): OfflineSets | null {
  if (values.data === null) {
    requireDefaults(values);
    return null;
  }
  const pairs = values.phase === 'dpo' ? ({ pairs: `${equalPairs}-equal` } as const) : {};
  const { images } = values;
  const data = openDataset(values.data, { flag: '--data', images, ...pairs });
  const validation =
    values.val === null ? null : openDataset(values.val, { flag: '--val', images, ...pairs });
  const left = data.equalPairs + (validation?.equalPairs ?? 0);
  return {
    ...{ data, validation },
    note: left === 0 ? null : `pairs left out, as both outputs are the same: ${left}`,
    close() {
      data.close();
      validation?.close();
    },
  };
}

function requireDefaults(values: PhaseValues): void {
  for (const name of ['images', 'val', 'epochs', 'checkpoint-every'] as const)
    if (values[name] !== offlineOptions[name].default)
      throw new EmacError('usage', `--${name}: belongs to --data, which was not given`);
}
