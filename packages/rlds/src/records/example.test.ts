/** Expected bytes are assembled by hand from the description of the wire format; TensorFlow's own are in `../dataset/reference.test.ts`. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeExample, encodeExample, type ExampleFeature } from './example.ts';

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

// Example{1: Features{1: entry{1: "a", 2: Feature{…}}}}, each prefixed by key and length
const example = (feature: string) => {
  const size = (text: string) => (text.replaceAll(' ', '').length / 2).toString(16).padStart(2, '0');
  const wrapped = (key: string, text: string) => `${key}${size(text)}${text}`;
  return bytes(wrapped('0a', wrapped('0a', `0a0161${wrapped('12', feature)}`)));
};

const cases: readonly (readonly [string, string, ExampleFeature])[] = [
  [
    'two byte strings',
    '0a05 0a01ff 0a00',
    { kind: 'bytes', values: [Uint8Array.of(255), new Uint8Array(0)] },
  ],
  // 1 and −2 as IEEE 754 singles: 3f800000, c0000000
  ['floats', '120a 0a08 0000803f 000000c0', { kind: 'float', values: Float32Array.of(1, -2) }],
  // 300 = 0b10_0101100; −1 is ten bytes
  ['integers', '1a0e 0a0c ac02 ffffffffffffffffff01', { kind: 'int64', values: BigInt64Array.of(300n, -1n) }],
  ['no floats', '1200', { kind: 'float', values: new Float32Array(0) }],
  ['nothing', '', { kind: 'empty', values: [] }],
];

describe('an example of', () => {
  it.each(cases)('%s is read and written', (_, feature, expected) => {
    expect(decodeExample(example(feature)).get('a')).toEqual(expected);
    expect(Buffer.from(encodeExample(new Map([['a', expected]]))).toString('hex')).toBe(
      Buffer.from(example(feature)).toString('hex'),
    );
  });

  it.each([
    ['floats that are not packed', '120a 0d0000803f 0d000000c0', Float32Array.of(1, -2)],
    ['integers that are not packed', '1a05 08ac02 0801', BigInt64Array.of(300n, 1n)],
    ['a list in two parts', '1a04 0a0201 02 1a03 0a0103', BigInt64Array.of(1n, 2n, 3n)],
  ])('%s is read', (_, feature, values) => {
    expect(decodeExample(example(feature)).get('a')?.values).toEqual(values);
  });

  it('any values is restored to the bit', () => {
    const feature = fc.oneof(
      fc.array(fc.uint8Array()).map((values): ExampleFeature => ({ kind: 'bytes', values })),
      fc
        .float32Array()
        .map((values): ExampleFeature => ({ kind: 'float', values: Float32Array.from(values) })),
      fc
        .bigInt64Array()
        .map((values): ExampleFeature => ({ kind: 'int64', values: BigInt64Array.from(values) })),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), feature), (features) => {
        const given = new Map(Object.entries(features));
        expect(decodeExample(encodeExample(given))).toEqual(given);
      }),
    );
  });

  it('the same features has the same bytes in every order', () => {
    const one: ExampleFeature = { kind: 'float', values: Float32Array.of(1) };
    const forward = encodeExample(
      new Map([
        ['a', one],
        ['b', one],
      ]),
    );
    expect(forward).toEqual(
      encodeExample(
        new Map([
          ['b', one],
          ['a', one],
        ]),
      ),
    );
  });

  it.each([
    ['ends within a number', '0a80'],
    ['ends within a field', '0a05 0a01'],
    ['has groups', '0b'],
    ['has a number of eleven bytes', `08${'ff'.repeat(10)}01`],
    ['has a size beyond memory', '0affffffffffffff7f'],
    ['has half a float', '0a0d 0a0b 0a0161 1206 1204 0a02 0000'],
    ['has a name that is not UTF-8', '0a07 0a05 0a01ff 1200'],
  ])('damaged bytes that %s is an error that names the place', (_, hex) => {
    expect(() => decodeExample(bytes(hex), 'some.tfrecord: the record at byte 8')).toThrow(
      expect.objectContaining({
        code: 'data',
        message: expect.stringContaining('some.tfrecord: the record at byte 8: ') as string,
      }),
    );
  });

  it('any damaged bytes gives a `data` error or another example', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (record) => {
        try {
          decodeExample(record, 'place');
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'data' });
        }
      }),
    );
  });
});
