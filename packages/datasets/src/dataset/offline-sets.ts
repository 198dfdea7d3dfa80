/** Opens and checks the configured datasets. */
import { learnsPairs, takesLabels } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import type { TrainConfig } from '@emac/settings';
import { openDataset, withoutRecords, type Dataset, type DatasetOptions } from './offline-dataset.ts';
import { nothingLeftOut, type LeftOut } from './offline-left-out.ts';
import { tooLong, tooLongRecords, type Lengths } from './offline-lengths.ts';

export interface OfflineSets {
  readonly data: Dataset;
  readonly validation: Dataset | null;
  /** the assistant's turns that are learned */
  readonly turns: Lengths['turns'];
  /** of conversations and texts; null without one */
  readonly limit: Lengths['limit'];
  /** one sentence on skipped records; null without any */
  readonly note: string | null;
  /** As a dataset's, of both. */
  requirePictures(isNeeded: boolean): void;
  close(): void;
}

/** Datasets whose records fit the model's limits. */
export interface FittingSets extends OfflineSets {
  /** number of all records, skipped ones included */
  readonly lengths: Readonly<Record<'data' | 'val', number | null>>;
  /** overlong records; later discoveries are added */
  readonly leftOut: LeftOut;
}

/** Skips pairs that are cut to equal sides, and overlong records if requested (`skip`). Errors: `data` naming the first one otherwise. */
export async function fittingSets(
  sets: OfflineSets,
  { skip, ...limits }: Omit<Lengths, 'turns' | 'limit'> & { readonly skip: boolean },
): Promise<FittingSets> {
  const leftOut = nothingLeftOut();
  const lengths = { ...limits, turns: sets.turns, limit: sets.limit };
  const fitting = async (set: 'data' | 'val', dataset: Dataset): Promise<Dataset> => {
    const remedy = 'shorten it, raise the limit, or skip such records with --skip-bad-records';
    const left = new Set<number>();
    for await (const found of tooLongRecords(dataset, lengths)) {
      const { index, reason, isEqual = false } = found;
      if (!skip && !isEqual) throw tooLong(dataset, found, remedy);
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

/** The datasets; null for training on games. Errors: `missing`, `data`. */
export function openOfflineSets({ dataset, phase, samples }: TrainConfig): OfflineSets | null {
  if (dataset === null) return null;
  const equal = samples.agreed === 'keep' ? 'keep-equal' : 'drop-equal';
  const how = {
    images: dataset.images,
    ...(learnsPairs(phase) && ({ pairs: equal, labels: takesLabels(phase) } as const)),
  };
  const { maxLength, longer } = dataset;
  if (longer !== null && maxLength === null)
    throw new EmacError(
      'usage',
      '--longer: says what happens above --max-record-tokens; give it too, or leave it out',
    );
  const data = openDataset(dataset.data, { flag: '--data', ...how });
  if (maxLength !== null) requireSaid(data);
  const validation = openValidation(dataset.validation, how, data);
  const left = data.equalPairs + (validation?.equalPairs ?? 0);
  const bad = data.badOnes + (validation?.badOnes ?? 0);
  const whole = maxLength === null ? 0 : data.published + (validation?.published ?? 0);
  const notes = [
    left === 0 ? null : `pairs skipped, as both outputs are equal: ${left}`,
    bad === 0 ? null : `records skipped, as their completions are labelled as bad ones: ${bad}`,
    whole === 0
      ? null
      : `records with text_input, which --max-record-tokens leaves as they are: ${whole}; --max-prompt-tokens and --max-new-tokens apply to them`,
  ].filter((each) => each !== null);
  return {
    data,
    validation,
    turns: dataset.assistantTurns,
    limit:
      maxLength === null
        ? null
        : { tokens: maxLength, longer: longer ?? 'cut', equal: samples.agreed === 'keep' ? 'keep' : 'drop' },
    note: notes.length === 0 ? null : notes.join('; '),
    requirePictures(isNeeded) {
      data.requirePictures(isNeeded);
      validation?.requirePictures(isNeeded);
    },
    close() {
      data.close();
      validation?.close();
    },
  };
}

/** Errors: `usage` for records whose prompts have a limit of their own. */
function requireSaid(data: Dataset): void {
  if (data.published < data.length) return;
  data.close();
  throw new EmacError(
    'usage',
    `--max-record-tokens: is for conversations and texts, and ${data.path} has text_input and text_output; use --max-prompt-tokens and --max-new-tokens`,
  );
}

/** Closes everything on an error. */
function openValidation(
  path: string | null,
  how: Omit<DatasetOptions, 'flag'>,
  data: Dataset,
): Dataset | null {
  try {
    return path === null ? null : openDataset(path, { flag: '--val', ...how });
  } catch (thrown) {
    data.close();
    throw thrown;
  }
}
