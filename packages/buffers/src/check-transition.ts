/** Checks that a value from a file is a transition of a buffer's kind. */
import type { Completion } from '@emac/core';
import type { Keyed } from './keyed-transition.ts';
import type { Transition } from './transition.ts';

export type TransitionKind = 'imitation' | 'preference';

type Fields = Readonly<Record<string, unknown>>;

/** Checks that every field exists and has its type; values are not judged. */
export function isTransition(value: unknown, kind: TransitionKind): value is Keyed<Transition> {
  const fields = fieldsOf(value);
  if (!fields) return false;
  const { prompt, answer, chosen, rejected, reference } = fields;
  const isCount = (name: string) => Number.isSafeInteger(fields[name]);
  if (typeof fields['taskId'] !== 'string' || !['round', 'episode', 'step'].every(isCount)) return false;
  if (!Array.isArray(prompt) || !prompt.every(isPart)) return false;
  if (kind === 'imitation') return isCompletion(answer);
  return isCompletion(chosen) && isCompletion(rejected) && isReference(reference);
}

/** The fields of an object; undefined for anything else. */
export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
}

function isPart(value: unknown): boolean {
  const { kind, text, key, name, values, tokens, before } = fieldsOf(value) ?? {};
  if (kind === 'text') return typeof text === 'string';
  if (kind === 'tokens') return isIntegers(tokens) && isIntegers(before);
  if (kind === 'image') return typeof key === 'string';
  return kind === 'array' && typeof name === 'string' && isNumberArray(values);
}

function isNumberArray(value: unknown): boolean {
  const { shape, data } = fieldsOf(value) ?? {};
  const isKnown = data instanceof Float32Array || data instanceof Int32Array || data instanceof Uint8Array;
  return isKnown && isIntegers(shape);
}

function isCompletion(value: unknown): value is Completion {
  return typeof value === 'string' || isIntegers(value);
}

function isIntegers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every(Number.isSafeInteger);
}

function isReference(value: unknown): boolean {
  if (value === null) return true;
  const { chosen, rejected, hash } = fieldsOf(value) ?? {};
  const isHash = hash === null || typeof hash === 'string';
  return typeof chosen === 'number' && typeof rejected === 'number' && isHash;
}
