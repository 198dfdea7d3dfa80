/** Damages of good inputs: bytes, numbers of two to eight bytes, pieces of another input, values of JSON. The same random numbers, the same damage. */
import type { Random } from '@emac/core';

const numbers = [
  0n,
  1n,
  0x7fn,
  0xffn,
  0x7fffn,
  0x7fffffffn,
  0xffffffffn,
  2n ** 53n,
  2n ** 63n,
  2n ** 64n - 1n,
];

/** An input that was one to four times damaged. */
export function mutated(
  input: Uint8Array,
  {
    other,
    random,
    isText,
  }: { readonly other: Uint8Array; readonly random: Random; readonly isText: boolean },
): Uint8Array<ArrayBuffer> {
  let result = Buffer.from(input);
  for (let left = 1 + random.integer(4); left > 0; left--)
    result =
      isText && random.integer(2) === 0 ? valueChanged(result, random) : bytesChanged(result, other, random);
  return new Uint8Array(result);
}

function bytesChanged(input: Buffer<ArrayBuffer>, other: Uint8Array, random: Random): Buffer<ArrayBuffer> {
  // headers stand at the beginning, where most is decided
  const within = random.integer(2) === 0 ? Math.min(input.length, 256) : input.length;
  const at = random.integer(within + 1);
  const to = Math.min(input.length, at + 1 + random.integer(32));
  switch (random.integer(7)) {
    case 0:
      return Buffer.concat([input.subarray(0, at), Buffer.of(random.integer(256)), input.subarray(at + 1)]);
    case 1:
      return Buffer.concat([input.subarray(0, at), input.subarray(to)]);
    case 2:
      return Buffer.concat([input.subarray(0, to), input.subarray(at)]);
    case 3:
      return Buffer.from(input.subarray(0, at));
    case 4: {
      const from = random.integer(other.length + 1);
      return Buffer.concat([input.subarray(0, at), other.subarray(from, from + 64), input.subarray(at)]);
    }
    default:
      return numberWritten(input, at, random);
  }
}

function numberWritten(input: Buffer<ArrayBuffer>, at: number, random: Random): Buffer<ArrayBuffer> {
  const width = 2 ** random.integer(4);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(numbers[random.integer(numbers.length)]!);
  const end = Math.min(input.length, at + width);
  return Buffer.concat([input.subarray(0, at), bytes.subarray(0, width), input.subarray(end)]);
}

const values = [
  ...['null', 'true', '-1', '0', '1e999', '1e15', '0.5', '""', '"\\ud800"', '[]', '{}', '"a b"'],
  ...[
    '9'.repeat(400),
    '[[[[[[[[]]]]]]]]',
    '{"__proto__":{"a":1}}',
    '['.repeat(5000),
    `"${'a'.repeat(5000)}"`,
  ],
];

/** A number, text or word of JSON, wherever it stands, becomes another value. */
function valueChanged(input: Buffer<ArrayBuffer>, random: Random): Buffer<ArrayBuffer> {
  const text = input.toString('latin1');
  const found = [
    ...text.slice(0, 20_000).matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|\[\]|\{\}/g),
  ];
  if (found.length === 0) return input;
  const { 0: value, index } = found[random.integer(found.length)]!;
  const put =
    random.integer(3) === 0
      ? found[random.integer(found.length)]![0]
      : values[random.integer(values.length)]!;
  return Buffer.from(text.slice(0, index) + put + text.slice(index + value.length), 'latin1');
}
