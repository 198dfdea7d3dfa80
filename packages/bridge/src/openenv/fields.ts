/**
 * How an environment's own fields are read: which field of an action holds the policy's text, and where an answer has its
 * text, picture and accepted actions. A mapping decides; without one, these rules do, from the schemas of the server.
 */
import { EmacError, type NumberArray } from '@emac/core';
import type { Mapping } from './address.ts';

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** The data of an answer of type `observation`. */
export type Data = Readonly<Record<string, unknown>>;

export interface Fields {
  /** The action for a policy's text; null if the text is none, such as a word for a number. */
  actionOf(text: string): Data | null;
  textOf(data: Data): string;
  /** null for none */
  pictureOf(data: Data): unknown;
  /** by name; null for none */
  arraysOf(data: Data): Readonly<Record<string, NumberArray>> | null;
  /** null if unknown */
  admissibleOf(data: Data): readonly string[] | null;
  /** null where the data do not say */
  wonOf(data: Data): boolean | null;
}

export interface ServedSchemas {
  readonly action: Schema;
  readonly observation: Schema;
}

/** Errors: `usage` for an action with several fields that the text could be. */
export function fieldsOf(name: string, { action, observation }: ServedSchemas, mapping: Mapping): Fields {
  const field = mapping.action ?? actionField(name, action);
  const form = field === '.' ? null : formOf(propertiesOf(action)[field], action);
  const offered = form === null ? null : actionsIn(form);
  const texts = mapping.text ?? textPlaces(observation);
  const picture = mapping.picture ?? placeAmong(observation, pictureNames);
  const actions = mapping.actions ?? placeAmong(observation, actionsNames);
  return {
    actionOf: (text) => (form === null ? objectIn(text) : actionWith(field, form, text)),
    textOf: (data) =>
      texts.length > 0
        ? texts.map((place) => wordsOf(at(data, place))).join('\n')
        : everything(data, picture),
    pictureOf: (data) => (picture === null ? null : at(data, picture)),
    arraysOf: (data) => arraysIn(at(data, 'observation.arrays')),
    admissibleOf(data) {
      const listed = actions === null ? null : at(data, actions);
      if (!Array.isArray(listed)) return offered;
      return listed.length > 0 ? [...new Set(listed.map(wordsOf))].sort() : null;
    },
    wonOf: (data) => {
      const said = at(data, mapping.won ?? 'metadata.won');
      return typeof said === 'boolean' ? said : null;
    },
  };
}

const textNames = ['text'];
const pictureNames = ['pictures', 'picture', 'images', 'image', 'frames', 'frame', 'screenshot', 'screen'];
const actionsNames = [
  'admissible',
  'admissible_actions',
  'admissible_commands',
  'legal_actions',
  'valid_actions',
  'available_actions',
];
/** with every answer, and no part of what is seen */
const common = ['reward', 'done', 'metadata'];

/** The only required field that takes a text or a number, or the only one. Errors: `usage`. */
function actionField(name: string, schema: Schema): string {
  const properties = propertiesOf(schema);
  const simple = Object.keys(properties).filter(
    (each) => each !== 'metadata' && isSimple(formOf(properties[each], schema)),
  );
  const required = listOf(schema['required']);
  const needed = Object.keys(properties).filter((each) => required.includes(each));
  const [only, ...others] = needed.length > 0 ? needed : simple;
  if (only !== undefined && others.length === 0 && simple.includes(only)) return only;
  const fields = Object.keys(properties).filter((each) => each !== 'metadata');
  throw new EmacError(
    'usage',
    `--env ${name}: its actions have the fields ${fields.join(', ') || 'none'}; add #action=FIELD for the one that takes the policy's text, or #action=. for texts that are whole actions in JSON`,
  );
}

function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  return (schema['properties'] ?? {}) as Record<string, Schema>;
}

/** references that lead to each other; a schema may have circles */
const mostReferences = 100;

/** A property without references and without its null; nothing is known of one that refers to itself. */
function formOf(given: Schema | null | undefined, schema: Schema, depth = 0): Schema {
  if (depth > mostReferences) return {};
  const property = given ?? {};
  const { $ref: reference, anyOf } = property;
  if (typeof reference === 'string') {
    const found = reference
      .split('/')
      .slice(1)
      .reduce<unknown>((part, key) => (part as Schema)?.[key], schema);
    return formOf((found ?? {}) as Schema, schema, depth + 1);
  }
  const [first] = (Array.isArray(anyOf) ? (anyOf as Schema[]) : []).filter(({ type }) => type !== 'null');
  return first ? formOf(first, schema, depth + 1) : property;
}

function isSimple({ type, enum: choices }: Schema): boolean {
  return choices !== undefined || ['string', 'integer', 'number', 'boolean'].includes(String(type));
}

/** Every action, where the schema lists them. */
function actionsIn({ type, enum: choices, minimum, maximum }: Schema): readonly string[] | null {
  if (Array.isArray(choices)) return choices.map(String).sort();
  if (type === 'boolean') return ['false', 'true'];
  const count = Number(maximum) - Number(minimum) + 1;
  if (type !== 'integer' || !(count >= 1 && count <= 1000)) return null;
  return Array.from({ length: count }, (_, place) => String(Number(minimum) + place)).sort();
}

function actionWith(field: string, { type, enum: choices }: Schema, text: string): Data | null {
  const word = text.trim();
  if (Array.isArray(choices)) {
    const chosen: unknown = choices.find((each) => String(each) === word);
    return chosen === undefined ? null : { [field]: chosen };
  }
  if (type === 'boolean') return /^(true|false)$/.test(word) ? { [field]: word === 'true' } : null;
  if (type !== 'integer' && type !== 'number') return { [field]: text };
  const value = Number(word);
  const isNumber = word !== '' && (type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value));
  return isNumber ? { [field]: value } : null;
}

function objectIn(text: string): Data | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Data) : null;
  } catch {
    return null;
  }
}

/** `text`, or the only field of texts; none: everything is shown. */
function textPlaces(schema: Schema): readonly string[] {
  const properties = propertiesOf(schema);
  const texts = Object.keys(properties).filter(
    (each) => !common.includes(each) && formOf(properties[each], schema)['type'] === 'string',
  );
  const [only, ...others] = textNames.some((each) => texts.includes(each)) ? textNames : texts;
  return only !== undefined && others.length === 0 ? [`observation.${only}`] : [];
}

/** The first of these names that the observations have; null for none. */
function placeAmong(schema: Schema, names: readonly string[]): string | null {
  const properties = propertiesOf(schema);
  const found = names.find((each) => Object.hasOwn(properties, each));
  return found === undefined ? null : `observation.${found}`;
}

/** A line for each field: its name and value. */
function everything(data: Data, picture: string | null): string {
  const fields = Object.entries((data['observation'] ?? {}) as Data).filter(
    ([name]) => !common.includes(name) && `observation.${name}` !== picture,
  );
  return fields.map(([name, value]) => `${name}: ${wordsOf(value)}`).join('\n');
}

/** Texts as they are, those of lists on lines of their own, the content of messages; anything else as JSON. */
function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  if (Array.isArray(value) && value.some((each) => typeof each === 'object' || typeof each === 'string'))
    return value.map(wordsOf).join('\n');
  if (typeof value === 'object' && 'content' in value && typeof value.content === 'string')
    return value.content;
  return JSON.stringify(value);
}

/** Those that are numbers, in nested lists of equal lengths. */
function arraysIn(value: unknown): Readonly<Record<string, NumberArray>> | null {
  if (typeof value !== 'object' || value === null) return null;
  const found = Object.entries(value).flatMap(([name, nested]) => {
    const array = arrayIn(nested);
    return array ? [[name, array] as const] : [];
  });
  return found.length > 0 ? Object.fromEntries(found) : null;
}

function arrayIn(nested: unknown): NumberArray | null {
  const shape: number[] = [];
  for (let part = nested; Array.isArray(part); part = (part as readonly unknown[])[0])
    shape.push(part.length);
  const numbers = [nested].flat(Infinity);
  const size = shape.reduce((product, each) => product * each, 1);
  if (numbers.length !== size || !numbers.every((each) => typeof each === 'number')) return null;
  return { shape, data: Float32Array.from(numbers as number[]) };
}

/** The value at a place such as `observation.text`; undefined for none. */
function at(data: Data, place: string): unknown {
  return place
    .split('.')
    .reduce<unknown>(
      (part, key) => (typeof part === 'object' && part !== null ? (part as Data)[key] : undefined),
      data,
    );
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
