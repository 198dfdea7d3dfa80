/**
 * JSON with bytes that depend on the value alone: keys are sorted by code unit, so equal states give equal files and
 * hashes. Values that JSON cannot carry exactly (NaN, infinities, typed arrays, maps, big integers) are rejected.
 */
import { EmacError } from '@emac/core';

/** The canonical JSON text of a plain value; `indent` spaces make it readable. Errors: `internal` with the place. */
export function canonicalJson(value: unknown, indent = 0): string {
  return JSON.stringify(sorted(value, '$'), null, indent);
}

function sorted(value: unknown, place: string): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((item, index) => sorted(item, `${place}[${index}]`));
  if (!isPlainObject(value))
    throw new EmacError('internal', `canonicalJson at ${place}: cannot carry ${describe(value)} exactly`);
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return Object.fromEntries(keys.sort().map((key) => [key, sorted(value[key], `${place}.${key}`)]));
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function describe(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'object' ? `a ${value!.constructor.name}` : `a value of type ${typeof value}`;
}
