import { EmacError } from '@emac/core';
import fc from 'fast-check';
import { Packr } from 'msgpackr';
import { describe, expect, it } from 'vitest';
import { pack, unpack } from './msgpack.ts';

const typedArrays = fc.oneof(
  fc.int8Array(),
  fc.uint8Array(),
  fc.uint8ClampedArray(),
  fc.int16Array(),
  fc.uint16Array(),
  fc.int32Array(),
  fc.uint32Array(),
  fc.float32Array(),
  fc.float64Array(),
  fc.bigInt64Array(),
  fc.bigUint64Array(),
);
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, undefined),
    fc.double({ noNaN: true }).map((number) => number + 0),
    fc.maxSafeInteger(),
    fc.bigInt(),
    fc.string({ unit: 'grapheme' }),
    typedArrays,
    fc.array(tie('value')),
    fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      tie('value'),
      { noNullPrototype: true },
    ),
  ),
})).value;

describe('packing', () => {
  it('restores every typed array, bit for bit and of the same kind', () => {
    fc.assert(
      fc.property(typedArrays, (array) => {
        const back = unpack(pack({ array })) as { array: typeof array };
        expect(back.array.constructor).toBe(array.constructor);
        expect(Buffer.from(back.array.buffer)).toEqual(Buffer.from(array.slice().buffer));
      }),
      { numRuns: 500 },
    );
  });

  it('stores the bytes of a view, not those around it', () => {
    const view = Float32Array.of(1, 2, 3, 4).subarray(1, 3);
    expect([...(unpack(pack(view)) as Float32Array)]).toEqual([2, 3]);
  });

  it('restores every value', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(unpack(pack(value))).toEqual(value === undefined ? undefined : value);
      }),
      { numRuns: 500 },
    );
  });

  it('gives the same bytes regardless of earlier messages', () => {
    const value = {
      step: 3,
      reference: Float32Array.of(0.1, -7),
      text: 'go to shelf 1',
      rows: [{ a: 1 }, { a: 2 }],
    };
    const first = Buffer.from(pack(value));
    fc.assert(
      fc.property(values, (other) => {
        pack(other);
        expect(Buffer.from(pack(structuredClone(value))).equals(first)).toBe(true);
      }),
    );
  });

  it("does not use msgpackr's defaults, which lose a Float32Array", () => {
    // When this fails, msgpackr has fixed its defaults and the warning in msgpack.ts can go.
    const back = new Packr().unpack(new Packr().pack(Float32Array.of(1.5, 2.5))) as Uint8Array;
    const floats = new Float32Array(Uint8Array.from(back).buffer.slice(0, 8));
    expect([...floats]).not.toEqual([1.5, 2.5]);
  });
});

describe('unpacking hostile bytes', () => {
  const cases: [string, number[], RegExp][] = [
    ['nothing', [], /1 bytes are announced/],
    ['a text cut short', [0xa5, 0x61], /5 bytes are announced, 1 are there/],
    ['four thousand million values', [0xdd, 0xff, 0xff, 0xff, 0xff], /4294967295 values/],
    ['four thousand million keys', [0xdf, 0xff, 0xff, 0xff, 0xff], /8589934590 values/],
    ['a gigabyte of bytes', [0xc6, 0x40, 0, 0, 0], /1073741824 bytes are announced/],
    ['deep nesting', new Array<number>(200).fill(0x91), /deeper than/],
    ['more after the value', [0xc0, 0xc0], /1 bytes follow/],
    ['a record definition', [0xd4, 0x72, 0x40, 0x91, 0xa1, 0x61, 0x01], /extension 114/],
    ['an error object', [0xd4, 0x65, 0x00, 0x90], /extension 101/],
    ['a reference', [0xd6, 0x69, 0, 0, 0, 1, 0x90], /extension 105/],
    ['a regular expression', [0xd4, 0x78, 0x00, 0x92, 0xa1, 0x61, 0xa0], /extension 120/],
    ['a typed array of half an element', [0xc7, 4, 0x74, 7, 1, 2, 3], /code 7 with 3 bytes/],
    ['a key that is a number', [0x81, 0x01, 0x01], /a key must be a text/],
    ['a key named __proto__', [0x81, 0xa9, ...Buffer.from('__proto__'), 0x80], /__proto__ is not allowed/],
    ['the same, written longer', [0x81, 0xd9, 9, ...Buffer.from('__proto__'), 0x80], /__proto__ is not/],
    ['a token without meaning', [0xc1], /0xc1 is not used/],
  ];
  it.each(cases)('rejects %s', (_, bytes, rule) => {
    expect(() => unpack(Uint8Array.from(bytes))).toThrow(rule);
    expect(() => unpack(Uint8Array.from(bytes))).toThrow(EmacError);
  });

  it('gives a value or an EmacError for any bytes, and works afterwards', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          unpack(bytes);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(EmacError);
        }
        expect(unpack(pack({ still: 'here' }))).toEqual({ still: 'here' });
      }),
      { numRuns: 5000 },
    );
  });

  it('reads no more of a long hostile message than needed to reject it', () => {
    // lists of two in lists of two: the nesting limit is exceeded after 100 bytes of two million
    expect(() => unpack(new Uint8Array(2e6).fill(0x92))).toThrow('byte 100: nesting is deeper than 100');
  });

  it('reads every byte of a long message once: if each list read the rest again, it would take minutes', () => {
    // 16-bit lists of 60,000 empty lists, 20 in a list
    const lists = Uint8Array.from([0xdc, 60_000 >> 8, 60_000 & 0xff, ...new Uint8Array(60_000).fill(0x90)]);
    const message = new Uint8Array(1 + 15 * lists.length);
    message[0] = 0x9f;
    for (let at = 0; at < 15; at++) message.set(lists, 1 + at * lists.length);
    expect(unpack(message)).toHaveLength(15);
  });
});
