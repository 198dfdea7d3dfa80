/** Damages copies of bodies: flips, cuts, doubles or inserts bytes, or draws them all. */
import type { Random } from '@emac/core';

const pieces = [
  '[#OBSERVATION]',
  '[#IMAGE]',
  '[#DONE]',
  '"',
  "'",
  '\\',
  '\\x',
  '{',
  '[',
  ')',
  ',',
  ':',
  '\u0000',
  '\u001b[31m',
  '\ud800',
  'None',
  '1e999',
  '-1',
  '"__proto__":{"a":1},',
  '['.repeat(5000),
  '{"a":'.repeat(2000),
  '9'.repeat(400),
].map((piece) => Buffer.from(piece));

/** A body that was one to three times damaged. */
export function damaged(body: Uint8Array, random: Random): Uint8Array<ArrayBuffer> {
  let result = Buffer.from(body);
  for (let left = 1 + random.integer(3); left > 0; left--) result = damagedOnce(result, random);
  return result;
}

function damagedOnce(body: Buffer<ArrayBuffer>, random: Random): Buffer<ArrayBuffer> {
  const at = random.integer(body.length + 1);
  const to = Math.min(body.length, at + 1 + random.integer(20));
  switch (random.integer(5)) {
    case 0:
      return Buffer.concat([body.subarray(0, at), Buffer.of(random.integer(256)), body.subarray(at + 1)]);
    case 1:
      return Buffer.concat([body.subarray(0, at), body.subarray(to)]);
    case 2:
      return Buffer.concat([body.subarray(0, to), body.subarray(at)]);
    case 3:
      return Buffer.concat([body.subarray(0, at), pieces[random.integer(pieces.length)]!, body.subarray(at)]);
    default:
      return Buffer.from(Array.from({ length: random.integer(40) }, () => random.integer(256)));
  }
}
