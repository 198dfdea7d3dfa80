/** What a dataset holds, as its model reads it: counts, lengths, records that do not fit, duplicates, and one record with its targets marked. No weight is read. */
import {
  hasNoConversations,
  loadTokenizer,
  needsPicture,
  writtenText,
  type ModelFiles,
  type Writing,
  type Written,
} from '@emac/backbone';
import { EmacError } from '@emac/core';
import { duplicateFinder } from './duplicates.ts';
import type { Dataset, DatasetRecord } from './offline-dataset.ts';
import { outputTexts, wholePrompt } from './offline-text.ts';
import { writtenAs, type Writer } from './said-sample.ts';

/** Reads records as a model does, without its weights. */
export interface RecordReader {
  /** ids of a record, its targets marked; of a pair those of the better side */
  read(record: DatasetRecord, turns: Writing['turns']): Written;
  /** texts of pieces of ids, special tokens included */
  textOf(ids: readonly number[]): string;
  /** positions of the model */
  readonly positions: number;
}

/** Errors: those of the folder. */
export function recordReader(files: ModelFiles): RecordReader {
  const { tokenizer: file, beginToken } = files.companions;
  const tokenizer = loadTokenizer(file, beginToken);
  const form = files.family.prompts(files, tokenizer);
  const writer: Writer = {
    writtenConversation: (messages, writing) => {
      if (form.conversation === null) throw hasNoConversations(form, 'data', files);
      return form.conversation.written(messages, writing);
    },
    writtenText: (text) => writtenText(text, { tokenizer, endToken: form.endToken }),
  };
  return {
    positions: files.config.llama.maxPositions,
    textOf: (ids) => tokenizer.decode([...ids], { special: true }),
    read: (record, turns) => {
      const pictures = files.family.vision ? record.pictures.length : 0;
      if (record.said) return writtenAs(writer, record.said, { turns, pictures });
      const prompt = wholePrompt(record, {});
      const { tokens, before } = form.turn(
        prompt,
        Math.max(needsPicture(files.config.llama) ? 1 : 0, pictures),
      );
      const answer = [...form.answer(prompt, outputTexts(record).target(record.text_output)), form.endToken];
      const scored = [...tokens.map(() => false), ...answer.map(() => true)];
      return { tokens: [...tokens, ...answer], before, scored };
    },
  };
}

export interface Examination {
  readonly records: number;
  /** records by the keys that they are read from */
  readonly forms: Readonly<Record<string, number>>;
  /** records equal to an earlier one, by number */
  readonly duplicates: Some<number>;
  /** records that the model cannot learn from, with the reason */
  readonly unusable: Some<{ readonly record: number; readonly reason: string }>;
  /** of the usable records; null without a model, or without any */
  readonly tokens: { readonly all: Spread; readonly targets: Spread } | null;
  /** how many have more tokens than were asked about; null if none were, or without a model */
  readonly longer: number | null;
}

/** How many there are, and the first hundred. */
export interface Some<T> {
  readonly count: number;
  readonly first: readonly T[];
}

const mostNamed = 100;

export interface Spread {
  readonly sum: number;
  readonly least: number;
  readonly median: number;
  /** at most this in 95 of 100 records */
  readonly most95: number;
  readonly most: number;
}

/** Reads all records once, with memory that does not grow with their number. Errors: `cannot-create`, `io` of a temporary file. */
export function examine(
  dataset: Dataset,
  {
    reader,
    turns,
    maxLength = null,
  }: {
    readonly reader: RecordReader | null;
    readonly turns: Writing['turns'];
    /** tokens; what is longer is counted */
    readonly maxLength?: number | null;
  },
): Examination {
  const forms: Record<string, number> = {};
  const equal = duplicateFinder();
  const unusable = { count: 0, first: [] as { record: number; reason: string }[] };
  const [all, targets] = [tally(), tally()];
  let longer = 0;
  try {
    for (let index = 0; index < dataset.length; index++) {
      const record = dataset.record(index);
      const number = dataset.number(index);
      const form = formOf(record);
      forms[form] = (forms[form] ?? 0) + 1;
      equal.add(JSON.stringify(record.said ? [record.said, record.pictures] : record), number);
      if (!reader) continue;
      const found = lengthsOf(record, reader, turns);
      if (typeof found === 'string') {
        if (unusable.count++ < mostNamed) unusable.first.push({ record: number, reason: found });
      } else {
        all.add(found.tokens);
        if (maxLength !== null && found.tokens > maxLength) longer++;
        targets.add(found.targets);
      }
    }
    const tokens = all.count() === 0 ? null : { all: all.spread(), targets: targets.spread() };
    return {
      records: dataset.length,
      forms,
      duplicates: equal.found(mostNamed),
      unusable,
      tokens,
      longer: maxLength === null || !reader ? null : longer,
    };
  } finally {
    equal.close();
  }
}

function formOf({ said, text_output_neg }: DatasetRecord): string {
  if (!said)
    return text_output_neg === undefined
      ? 'text_input, text_output'
      : 'text_input, text_output, text_output_neg';
  if (said.worse !== null) return 'prompt, chosen, rejected';
  if (said.label !== null) return 'prompt, completion, label';
  if (said.before === '' && typeof said.after === 'string') return 'text';
  return said.before.length === 0 ? 'messages' : 'prompt, completion';
}

/** Tokens of a record, and its targets; or why the model cannot learn from it. */
function lengthsOf(record: DatasetRecord, reader: RecordReader, turns: Writing['turns']) {
  try {
    const { tokens, scored } = reader.read(record, turns);
    const targets = scored.filter(Boolean).length;
    if (targets === 0) return 'has no answer of the assistant to learn from';
    if (tokens.length <= reader.positions) return { tokens: tokens.length, targets };
    return `has ${tokens.length} tokens, the model ${reader.positions} positions`;
  } catch (thrown) {
    if (thrown instanceof EmacError && thrown.code === 'data') return thrown.message;
    throw thrown;
  }
}

/** Numbers, counted by their value. */
function tally() {
  const counts = new Map<number, number>();
  const count = () => [...counts.values()].reduce((sum, each) => sum + each, 0);
  return {
    count,
    add: (number: number) => void counts.set(number, (counts.get(number) ?? 0) + 1),
    spread(): Spread {
      const sorted = [...counts].sort(([one], [other]) => one - other);
      const total = count();
      const at = (share: number) => {
        let left = Math.max(1, Math.ceil(share * total));
        return sorted.find(([, each]) => (left -= each) <= 0)![0];
      };
      const sum = sorted.reduce((whole, [number, each]) => whole + number * each, 0);
      return { sum, least: at(0), median: at(0.5), most95: at(0.95), most: at(1) };
    },
  };
}

/** A record as its model reads it, each piece that is a target between ⟦ and ⟧. Errors: as `RecordReader.read`. */
export function markedText({ tokens, scored }: Written, reader: Pick<RecordReader, 'textOf'>): string {
  let text = '';
  for (let start = 0; start < tokens.length;) {
    const change = scored.findIndex((each, place) => place > start && each !== scored[start]);
    const end = change === -1 ? tokens.length : change;
    const piece = reader.textOf(tokens.slice(start, end));
    text += scored[start] ? `⟦${piece}⟧` : piece;
    start = end;
  }
  return text;
}
