/**
 * Values made by their shape: JSON that stays JSON, in which one part has become a value of another type or an extreme one. Damaged bytes mostly end
 * in the parser of JSON; these reach what reads its values. The same random numbers, the same value.
 */
import type { Random } from '@emac/core';

/** `document`: one value; `lines`: a value a line. */
export type Shape = 'document' | 'lines';

const strange: readonly unknown[] = [
  ...[null, true, false, 0, -1, 0.5, 1e15, 2 ** 53, -(2 ** 31), 1e308, 5e-324],
  ...[
    '',
    ' ',
    '0',
    '-1',
    'NaN',
    '__proto__',
    '../../x',
    'a'.repeat(70_000),
    '\ud800',
    '\u0000',
    '{{',
    '(a+)+$',
  ],
  ...[[], {}, [[]], [null], { a: null }, Array.from({ length: 300 }, () => 0)],
];

const extraNames = ['__proto__', 'constructor', 'toString', 'length', '$', '', 'a'];

/** An input with one to three parts changed; null for one that is no JSON. */
export function shaped(
  input: Uint8Array,
  { shape, random }: { readonly shape: Shape; readonly random: Random },
): Uint8Array<ArrayBuffer> {
  const text = Buffer.from(input).toString('utf8');
  const parts = shape === 'lines' ? text.trimEnd().split('\n') : [text];
  for (let left = 1 + random.integer(3); left > 0; left--) {
    const at = random.integer(parts.length);
    parts[at] = JSON.stringify(changed(JSON.parse(parts[at]!), random)) ?? 'null';
  }
  return new Uint8Array(Buffer.from(parts.join('\n')));
}

/** The value with a part of it, drawn anywhere, replaced, left out, doubled or given a name more. */
function changed(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.integer(8) === 0) return other(value, random);
  const entries = Object.entries(value);
  if (entries.length === 0) return other(value, random);
  const at = random.integer(entries.length);
  const [name, inner] = entries[at]!;
  const made = random.integer(10);
  if (Array.isArray(value)) {
    const list = [...(value as unknown[])];
    if (made === 0) list.splice(at, 1);
    else if (made === 1) list.splice(at, 0, inner);
    else list[at] = changed(inner, random);
    return list;
  }
  if (made === 0) entries.splice(at, 1);
  else if (made === 1) entries.push([random.pick(extraNames), random.pick(strange)]);
  else if (made === 2) entries[at] = [random.pick(extraNames), inner];
  else entries[at] = [name, changed(inner, random)];
  return Object.fromEntries(entries);
}

/** Mostly one of the list; else one near to it. */
function other(value: unknown, random: Random): unknown {
  if (random.integer(3) > 0) return random.pick(strange);
  if (typeof value === 'number') return value * random.pick([-1, 2, 1e9, 1.5]);
  if (typeof value === 'string')
    return random.pick([value.toUpperCase(), value.repeat(50), `${value}\n`, value.slice(1)]);
  return [value, value];
}
