/**
 * Typed reading of the JSON files of a model folder. Missing keys take Hugging Face's default. Keys of the wrong kind
 * are an error naming file and key, because a wrong size would only show up as a wrong answer.
 */

import { EmacError, messageOf } from '@emac/core';
import { isThere, readText } from '@emac/files';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The object in a JSON file. Errors: `missing` if there is no such file, `config` if it is not a JSON object. */
export function readJsonObject(file: string): JsonObject {
  const text = textOf(file);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw new EmacError('config', `${file}: must be JSON, got ${messageOf(thrown)}`);
  }
  if (!isObject(value))
    throw new EmacError('config', `${file}: must hold a JSON object, got ${kindOf(value)}`);
  return value;
}

function textOf(file: string): string {
  if (!isThere(file))
    throw new EmacError(
      'missing',
      `${file}: cannot be read (it does not exist); give a complete model folder`,
    );
  return readText(file);
}

/** the deepest published models have about 130 */
const mostLayers = 1000;

export interface Fields {
  positiveInteger(key: string, fallback: number | null): number;
  /** a count of layers: a positive integer up to 1000, for each layer takes memory before a file is seen to lack it */
  layers(key: string, fallback: number | null): number;
  number(key: string, fallback: number): number;
  boolean(key: string, fallback: boolean): boolean;
  text(key: string, fallback: string): string;
  /** a non-negative integer, or null when the key is missing or null */
  tokenId(key: string): number | null;
  object(key: string): JsonObject | null;
  /** non-negative integers */
  integers(key: string, fallback: readonly number[] | null): readonly number[];
  texts(key: string, fallback: readonly string[] | null): readonly string[];
  /** a value of any kind; null where the key is missing */
  given(key: string): unknown;
  /** whether the key is there, as null */
  isNull(key: string): boolean;
  fail(key: string, rule: string): never;
}

/** Readers of one object's keys; `place` starts every error message. A key set to null counts as missing. */
export function fieldsOf(object: JsonObject, place: string): Fields {
  const fail = (key: string, rule: string): never => {
    throw new EmacError(
      'config',
      `${place}: ${key} ${rule}, got ${JSON.stringify(object[key]) ?? 'nothing'}`,
    );
  };
  const read = <T>(
    key: string,
    fallback: T | null,
    [accepts, rule]: readonly [(value: unknown) => boolean, string],
  ): T => {
    const value = object[key] ?? fallback;
    if (value === null || !accepts(value)) return fail(key, rule);
    return value as T;
  };
  return {
    positiveInteger: (key, fallback) =>
      read(key, fallback, [(v) => Number.isInteger(v) && (v as number) > 0, 'must be a positive integer']),
    layers: (key, fallback) =>
      read(key, fallback, [
        (v) => Number.isInteger(v) && (v as number) > 0 && (v as number) <= mostLayers,
        `must be an integer from 1 to ${mostLayers}`,
      ]),
    number: (key, fallback) => read(key, fallback, [(v) => Number.isFinite(v), 'must be a number']),
    boolean: (key, fallback) => read(key, fallback, [(v) => typeof v === 'boolean', 'must be true or false']),
    text: (key, fallback) => read(key, fallback, [(v) => typeof v === 'string', 'must be a text']),
    tokenId: (key) => {
      const value = object[key] ?? null;
      if (value === null || (Number.isInteger(value) && (value as number) >= 0))
        return value as number | null;
      return fail(key, 'must be a token id (an integer from 0)');
    },
    object: (key) => {
      const value = object[key] ?? null;
      return value === null || isObject(value)
        ? (value as JsonObject | null)
        : fail(key, 'must be an object');
    },
    integers: (key, fallback) =>
      read(key, fallback, [
        (v) => Array.isArray(v) && v.every((each) => Number.isInteger(each) && each >= 0),
        'must be a list of integers from 0',
      ]),
    texts: (key, fallback) =>
      read(key, fallback, [
        (v) => Array.isArray(v) && v.every((each) => typeof each === 'string'),
        'must be a list of texts',
      ]),
    given: (key) => object[key] ?? null,
    isNull: (key) => object[key] === null,
    fail,
  };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`;
}
