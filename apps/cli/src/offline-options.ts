/** Options of `emac train` that belong to training on a dataset. */
import { EmacError } from '@emac/core';
import { openDataset, withoutRecords, type Dataset } from './offline-dataset.ts';
import { nothingLeftOut, type LeftOut } from './offline-left-out.ts';
import { requireLengths, tooLongRecords, type Lengths } from './offline-lengths.ts';
import { integer, text, toggle } from './option.ts';
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
  'skip-bad-records': toggle(
    '--data: leaves out records that are too long for the model or whose pictures cannot be decoded, counted and named; may be given with --resume',
  ),
};

export interface OfflineSets {
  readonly data: Dataset;
  readonly validation: Dataset | null;
  /** one sentence on what is left out; null where nothing is */
  readonly note: string | null;
  close(): void;
}

/** Datasets whose records the model can read and say in full. */
export interface FittingSets extends OfflineSets {
  /** records, whatever is left out */
  readonly lengths: Readonly<Record<'data' | 'val', number | null>>;
  /** those that were too long; what is found later is added */
  readonly leftOut: LeftOut;
}

/**
 * Leaves out the records that are too long, where that was asked for (`skip`). Errors: `data` naming the first of them
 * where it was not.
 */
export async function fittingSets(
  sets: OfflineSets,
  { skip, ...lengths }: Lengths & { readonly skip: boolean },
): Promise<FittingSets> {
  const leftOut = nothingLeftOut();
  const fitting = async (set: 'data' | 'val', dataset: Dataset): Promise<Dataset> => {
    const remedy = 'shorten it, allow more, or leave such records out with --skip-bad-records';
    if (!skip) await requireLengths(dataset, lengths, remedy);
    const left = new Set<number>();
    if (skip)
      for await (const { index, reason } of tooLongRecords(dataset, lengths)) {
        leftOut.add({ set, record: dataset.number(index), reason });
        left.add(index);
      }
    return left.size === 0 ? dataset : withoutRecords(dataset, left);
  };
  const { data, validation } = sets;
  return {
    ...sets,
    data: await fitting('data', data),
    validation: validation && (await fitting('val', validation)),
    lengths: { data: data.length, val: validation?.length ?? null },
    leftOut,
  };
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
  for (const name of ['images', 'val', 'epochs', 'checkpoint-every', 'skip-bad-records'] as const)
    if (values[name] !== offlineOptions[name].default)
      throw new EmacError('usage', `--${name}: belongs to --data, which was not given`);
}
