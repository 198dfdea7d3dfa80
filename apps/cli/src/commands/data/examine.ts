/** `emac data check`, `stats` and `view`: what a dataset holds, as its model reads it. */
import { EmacError, exitCodes } from '@emac/core';
import {
  datasetFile,
  examine,
  markedText,
  openDataset,
  recordReader,
  type Dataset,
  type Examination,
  type RecordReader,
  type Spread,
} from '@emac/datasets';
import { modelFilesOf } from '@emac/opening';
import { command } from '../../calling/command.ts';
import { choice, integer, text, toggle } from '../../options/option.ts';
import { say } from '../../terminal/io.ts';
import { table } from '../../terminal/table.ts';

const shared = {
  policy: text({ help: 'the model whose tokenizer and chat template read the records', default: null }),
  'assistant-turns': choice(['all', 'last'], {
    help: "the assistant's turns of a conversation that are learned",
    default: 'all',
  }),
};
const maxLength = {
  'max-record-tokens': integer([2, 1_000_000], {
    help: 'count the records with more tokens, pictures aside',
    default: null,
  }),
};
const json = toggle('print the result as JSON on standard output');

/** most numbers of records in a line */
const named = 10;

export const dataCheckCommand = command({
  options: { ...shared, ...maxLength, json },
  run: async (values, [path], io) => {
    const found = examined(path!, values);
    const { records, forms, duplicates, unusable } = found;
    if (values.json) say(io.stdout, JSON.stringify(found));
    else {
      say(
        io.stdout,
        `records: ${records} (${Object.entries(forms)
          .map(([form, count]) => `${count} of ${form}`)
          .join('; ')})`,
      );
      say(io.stdout, `duplicates: ${duplicates.count}${listed(duplicates)}`);
      if (values.policy === null) say(io.stdout, 'lengths: not checked; name a model with --policy');
      else say(io.stdout, `unusable: ${unusable.count}`);
      for (const line of longerThan(found, values)) say(io.stdout, line);
    }
    for (const { record, reason } of unusable.first.slice(0, named))
      say(io.stderr, `record ${record}: ${reason}`);
    return unusable.count === 0 ? 0 : exitCodes['check-failed'];
  },
});

export const dataStatsCommand = command({
  options: { ...shared, ...maxLength, json },
  run: async (values, [path], io) => {
    const found = examined(path!, values);
    if (values.json) say(io.stdout, JSON.stringify(found));
    else for (const line of [...statsOf(found), ...longerThan(found, values)]) say(io.stdout, line);
    return 0;
  },
});

export const dataViewCommand = command({
  options: {
    ...shared,
    record: integer([0, 1_000_000_000], { help: 'number of the record, from 0', default: 0 }),
  },
  run: async (values, [path], io) => {
    if (values.policy === null)
      throw new EmacError(
        'usage',
        '--policy: is required, as its chat template writes the record; give a model folder',
      );
    const reader = readerOf(values.policy)!;
    withDataset(path!, (dataset) => {
      // every record is used here, so that numbers are indices
      const index = values.record;
      if (index >= dataset.length)
        throw new EmacError(
          'usage',
          `--record: must be the number of a record of ${path}, got ${values.record}`,
        );
      say(io.stdout, markedText(reader.read(dataset.record(index), values['assistant-turns']), reader));
    });
    return 0;
  },
});

interface Asked {
  readonly policy: string | null;
  readonly 'assistant-turns': 'all' | 'last';
  readonly 'max-record-tokens': number | null;
}

function examined(
  path: string,
  { policy, 'assistant-turns': turns, 'max-record-tokens': maxLength }: Asked,
): Examination {
  if (maxLength !== null && policy === null)
    throw new EmacError('usage', '--max-record-tokens: counts tokens of a model; name one with --policy');
  const reader = policy === null ? null : readerOf(policy);
  return withDataset(path, (dataset) => examine(dataset, { reader, turns, maxLength }));
}

function withDataset<T>(path: string, use: (dataset: Dataset) => T): T {
  const dataset = openDataset(datasetFile(path), { flag: 'data', images: null, labels: true });
  try {
    return use(dataset);
  } finally {
    dataset.close();
  }
}

function readerOf(policy: string): RecordReader {
  const files = modelFilesOf(policy);
  if (files) return recordReader(files);
  throw new EmacError('usage', `--policy ${policy}: must be a language model, is a small network`);
}

function listed({ count, first }: Examination['duplicates']): string {
  if (count === 0) return '';
  const rest = count > named ? `, and ${count - named} more` : '';
  return ` (records ${first.slice(0, named).join(', ')}${rest})`;
}

function longerThan({ longer }: Examination, { 'max-record-tokens': limit }: Asked): readonly string[] {
  return longer === null ? [] : [`longer than ${limit} tokens: ${longer}`];
}

function statsOf({ records, forms, tokens }: Examination): readonly string[] {
  const counts = table(
    ['form', 'records'],
    [...Object.entries(forms).map(([form, count]) => [form, String(count)]), ['all', String(records)]],
  );
  if (!tokens) return [counts];
  const row = (name: string, { sum, least, median, most95, most }: Spread) =>
    [name, sum, least, median, most95, most].map(String);
  const head = ['tokens of a record', 'sum', 'least', 'median', '95 in 100 at most', 'most'];
  return [counts, table(head, [row('all', tokens.all), row('learned', tokens.targets)])];
}
