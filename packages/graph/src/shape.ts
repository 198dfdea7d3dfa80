/**
 * Types and shapes of values, known before any run, so mistakes show while a graph is built. A dimension is a number or a
 * symbol ('B'); symbols with the same name have the same size at run time, and no symbol ever broadcasts.
 */
import { EmacError } from '@emac/core';
import { sameDimension } from './dimension.ts';

export type DataType = 'float32' | 'float16' | 'bfloat16' | 'int64' | 'int32' | 'int8' | 'uint8' | 'bool';
export type Dimension = number | string;
export type Shape = readonly Dimension[];

export function shapeText(shape: Shape): string {
  return `[${shape.join(', ')}]`;
}

export function sameShape(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((dimension, axis) => sameDimension(dimension, b[axis]));
}

/** Turns a negative axis into its positive form and checks it. */
export function normalizeAxis(place: string, axis: number, rank: number): number {
  const positive = axis < 0 ? axis + rank : axis;
  if (!Number.isInteger(positive) || positive < 0 || positive >= rank)
    throw new EmacError('internal', `${place}: axis must be within a rank of ${rank}, got ${axis}`);
  return positive;
}

/** The shape of an elementwise result: only a literal 1 stretches. */
export function broadcastShape(place: string, a: Shape, b: Shape): Shape {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, axis) => {
    const left = a[axis - rank + a.length] ?? 1;
    const right = b[axis - rank + b.length] ?? 1;
    if (right === 1 || sameDimension(left, right)) return left;
    if (left === 1) return right;
    throw new EmacError(
      'internal',
      `${place}: shapes must agree or be 1, got ${shapeText(a)} and ${shapeText(b)}`,
    );
  });
}

/** The product of dimensions: a number if all are numbers, else a symbol such as 'B*T'. */
export function productOf(dimensions: Shape): Dimension {
  const literal = dimensions.reduce<number>((p, d) => (typeof d === 'number' ? p * d : p), 1);
  const symbols = dimensions
    .filter((d) => typeof d === 'string')
    .map((d) => (d.includes('+') ? `(${d})` : d));
  if (symbols.length === 0) return literal;
  return [...(literal === 1 ? [] : [String(literal)]), ...symbols].join('*');
}

/** The sum of dimensions: a number if all are numbers, else a symbol such as '32+T'. */
export function sumOf(dimensions: Shape): Dimension {
  const literal = dimensions.reduce<number>((s, d) => (typeof d === 'number' ? s + d : s), 0);
  const symbols = dimensions.filter((d) => typeof d === 'string');
  if (symbols.length === 0) return literal;
  return [...(literal === 0 ? [] : [String(literal)]), ...symbols].join('+');
}
