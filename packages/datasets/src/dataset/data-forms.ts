/**
 * The forms of a record that training tools share, beside the published one: `text`, `messages`, `prompt` with `completion` (and `label`), `prompt` with
 * `chosen` and `rejected`, or `chosen` and `rejected` that begin with the same prompt. Each of prompt, completion, chosen and rejected is a text, which
 * is used as it stands, or a list of messages, which go through the model's chat template. `tools` are schemas of functions for that template.
 */
import type { SpokenMessage } from '@emac/backbone';
import { EmacError } from '@emac/core';
import { z } from 'zod';
import { noSchemas, schemasOf, withoutNulls } from './without-nulls.ts';

/** A text as it stands, or messages. */
export type Said = string | readonly SpokenMessage[];

/** What is said in a record. */
export interface SaidRecord {
  /** nothing in it is learned */
  readonly before: Said;
  readonly after: Said;
  /** the worse alternative; null without one */
  readonly worse: Said | null;
  /** whether the completion is a good one; null if the record does not say */
  readonly label: boolean | null;
  /** schemas of functions; null without any */
  readonly tools: readonly unknown[] | null;
  /** true: pictures belong to what is said, so that a model that reads texts alone cannot read it; absent: no */
  readonly isSeen?: boolean;
}

const part = z.looseObject({ type: z.string(), text: z.string().nullish().transform(given) });
const message = z.looseObject({
  role: z.string().min(1),
  content: z.union([z.string(), z.array(part)]).nullish(),
});
const said = z.union([z.string(), z.array(message).min(1)]);

const fields = {
  text: z.string().min(1),
  messages: z.array(message).min(1),
  prompt: said,
  completion: said,
  chosen: said,
  rejected: said,
  label: z.union([z.boolean(), z.literal(0), z.literal(1)]).transform(Boolean),
} as const;

type Field = keyof typeof fields;

interface Form {
  readonly fields: readonly Field[];
  read(
    record: Readonly<Record<Field, Said>> & { readonly label: boolean },
  ): Omit<SaidRecord, 'tools' | 'label'>;
}

const pairForms: readonly Form[] = [
  {
    fields: ['prompt', 'chosen', 'rejected'],
    read: ({ prompt, chosen, rejected }) => ({ before: prompt, after: chosen, worse: rejected }),
  },
  {
    fields: ['chosen', 'rejected'],
    read: ({ chosen, rejected }) => {
      const shared = sharedLength(chosen, rejected);
      const rest = (whole: Said) => whole.slice(shared);
      return { before: chosen.slice(0, shared), after: rest(chosen), worse: rest(rejected) };
    },
  },
];

const answerForms: readonly Form[] = [
  { fields: ['messages'], read: ({ messages }) => ({ before: [], after: messages, worse: null }) },
  {
    fields: ['prompt', 'completion', 'label'],
    read: ({ prompt, completion }) => ({ before: prompt, after: completion, worse: null }),
  },
  {
    fields: ['prompt', 'completion'],
    read: ({ prompt, completion }) => ({ before: prompt, after: completion, worse: null }),
  },
  { fields: ['text'], read: ({ text }) => ({ before: '', after: text, worse: null }) },
];

const knownForms = [...answerForms, ...pairForms].map((form) => `{${form.fields.join(', ')}}`);

/** A record in one of the forms; a pair's where both are there and pairs are asked for. Errors: `data` naming the place and the field, or the known forms. */
export function saidRecord(
  record: Readonly<Record<string, unknown>>,
  { place, pairs }: { readonly place: string; readonly pairs: boolean },
): SaidRecord {
  const forms = pairs ? [...pairForms, ...answerForms] : [...answerForms, ...pairForms];
  const form = forms.find((each) => each.fields.every((field) => given(record[field]) !== undefined));
  if (!form) throw unknownForm(record, place);
  const tools = toolsOf(record['tools'], place);
  const schemas = schemasOf(tools);
  const read = Object.fromEntries(
    form.fields.map((field) => [field, parsed(withoutNulls(record[field], schemas), field, place)]),
  );
  const { label } = read as { readonly label?: boolean };
  return {
    ...form.read(read as Parameters<Form['read']>[0]),
    label: label ?? null,
    tools,
  };
}

/** Whether a record is in the published form. */
export function isPublished(record: Readonly<Record<string, unknown>>): boolean {
  return given(record['text_input']) !== undefined || given(record['text_output']) !== undefined;
}

function unknownForm(record: Readonly<Record<string, unknown>>, place: string): EmacError {
  if (given(record['prompt']) !== undefined && given(record['completion'] ?? record['chosen']) === undefined)
    return new EmacError(
      'data',
      `${place}: has a prompt without an answer to learn; add completion, or chosen and rejected. A method that samples answers itself takes prompts as the tasks of an environment: --env FILE, or --agent FILE --tasks FILE.jsonl`,
    );
  const keys = Object.keys(record);
  const listed = keys.length === 0 ? 'no keys' : `the keys ${keys.join(', ')}`;
  return new EmacError(
    'data',
    `${place}: must have one of the forms {image, text_input, text_output}, ${knownForms.join(', ')}, got ${listed}; rename its fields`,
  );
}

function parsed(value: unknown, field: Field, place: string): unknown {
  const found = fields[field].safeParse(value);
  if (found.success) return found.data;
  const [issue] = found.error.issues;
  const inside = issue?.path.length ? `.${issue.path.join('.')}` : '';
  const rule =
    field === 'label' ? 'true or false' : field === 'text' ? 'a text' : 'a text or messages {role, content}';
  throw new EmacError('data', `${place}: ${field}${inside}: must be ${rule} (${issue?.message})`);
}

/** A list, or its JSON text, as columns of tables have it. Errors: `data`. */
function toolsOf(value: unknown, place: string): readonly unknown[] | null {
  if (given(value) === undefined) return null;
  const list: unknown = typeof value === 'string' ? readJson(value) : value;
  if (Array.isArray(list)) return list.length === 0 ? null : (withoutNulls(list, noSchemas) as unknown[]);
  throw new EmacError(
    'data',
    `${place}: tools: must be a list of JSON schemas of functions, or its JSON text`,
  );
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function given<T>(value: T | null | undefined): T | undefined {
  return value ?? undefined;
}

/** Messages, or characters, that both begin with; a blank at the end belongs to what follows. */
function sharedLength(one: Said, other: Said): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && JSON.stringify(one[length]) === JSON.stringify(other[length])) length++;
  return length > 0 && one[length - 1] === ' ' ? length - 1 : length;
}

/** A text that people read: messages by their roles. */
export function saidText(given: Said): string {
  if (typeof given === 'string') return given;
  return given.map((each) => `${each.role}: ${contentText(each)}${callsText(each)}`).join('\n');
}

/** The text of a message, without pictures. */
export function contentText({ content }: SpokenMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text = '' }) => text).join('');
}

function callsText({ tool_calls: calls }: SpokenMessage): string {
  return Array.isArray(calls) && calls.length > 0 ? ` ${JSON.stringify(calls)}` : '';
}
