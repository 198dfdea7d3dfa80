import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { maximumHeaderBytes } from './safetensors-header.ts';
import { openSafetensors, readFloat32, readInt64, readTensor } from './safetensors-read.ts';
import { encodeSafetensors } from './safetensors-write.ts';
import type { TensorData } from './safetensors-write.ts';

const folder = mkdtempSync(join(tmpdir(), 'emac-safetensors-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file with this header text and as many zero bytes of data as asked. */
function fileWith(header: string, dataBytes: number, headerLength = Buffer.byteLength(header)): string {
  const path = join(folder, 'case.safetensors');
  const prefix = Buffer.alloc(8);
  prefix.writeBigUInt64LE(BigInt(headerLength));
  writeFileSync(path, Buffer.concat([prefix, Buffer.from(header), Buffer.alloc(dataBytes)]));
  return path;
}

function faultOf(action: () => unknown): EmacError {
  try {
    action();
  } catch (thrown) {
    if (thrown instanceof EmacError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}

const f32 = (values: number[], shape = [values.length]): TensorData => ({
  dtype: 'F32',
  shape,
  data: Float32Array.from(values),
});

describe('a safetensors file', () => {
  it('has the bytes that the format describes', () => {
    const bytes = Buffer.from(encodeSafetensors(new Map([['a', f32([1])]])));
    // 54 characters of JSON, padded to 56 with spaces; 1.0 is 00 00 80 3f in little-endian order.
    const json = '{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}';
    expect(json).toHaveLength(54);
    expect(bytes).toEqual(
      Buffer.concat([
        Buffer.from([56, 0, 0, 0, 0, 0, 0, 0]),
        Buffer.from(`${json}  `),
        Buffer.from([0, 0, 0x80, 0x3f]),
      ]),
    );
  });

  it('restores stored tensors, each at an offset its elements allow', () => {
    const path = join(folder, 'mixed.safetensors');
    const tensors = new Map<string, TensorData>([
      ['byte', { dtype: 'U8', shape: [3], data: Uint8Array.of(1, 2, 3) }],
      ['float', f32([1.5, -2, 0, 4, 5, 6], [2, 3])],
      ['half', { dtype: 'F16', shape: [2], data: Uint16Array.of(0x3c00, 0xc000) }],
      ['brain', { dtype: 'BF16', shape: [2], data: Uint16Array.of(0x3f80, 0xc000) }],
      ['long', { dtype: 'I64', shape: [1, 1], data: BigInt64Array.of(-5n) }],
      ['none', { dtype: 'F32', shape: [0, 4], data: new Float32Array() }],
      ['scalar', { dtype: 'F32', shape: [], data: Float32Array.of(7) }],
    ]);
    writeFileSync(path, encodeSafetensors(tensors, { format: 'pt' }));
    const file = openSafetensors(path);
    expect(file.metadata).toEqual({ format: 'pt' });
    expect([...file.tensors.keys()]).toEqual(['long', 'float', 'none', 'scalar', 'brain', 'half', 'byte']);
    expect(file.tensors.get('long')!.offset % 8).toBe(0);
    expect([...readFloat32(file, 'float')]).toEqual([1.5, -2, 0, 4, 5, 6]);
    expect([...readFloat32(file, 'half')]).toEqual([1, -2]);
    expect([...readFloat32(file, 'brain')]).toEqual([1, -2]);
    expect([...readFloat32(file, 'scalar')]).toEqual([7]);
    expect([...readInt64(file, 'long')]).toEqual([-5n]);
    expect(readTensor(file, 'byte')).toEqual({ dtype: 'U8', shape: [3], data: Uint8Array.of(1, 2, 3) });
    expect(readFloat32(file, 'none')).toHaveLength(0);
  });

  it('has the same bytes in any order of tensors', () => {
    const names = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(names, (list) => {
        const entries = list.map((name, index): [string, TensorData] => [name, f32([index])]);
        const bytes = encodeSafetensors(new Map(entries));
        expect(encodeSafetensors(new Map(entries.toReversed()))).toEqual(bytes);
      }),
    );
  });

  it('is not written if data and shape disagree', () => {
    expect(faultOf(() => encodeSafetensors(new Map([['a', f32([1, 2], [3])]]))).message).toContain(
      'needs 12',
    );
  });
});

describe('a damaged safetensors file', () => {
  const tensor = (name: string, begin: number, end: number, extra = '"dtype":"U8"') =>
    `"${name}":{${extra},"shape":[${end - begin}],"data_offsets":[${begin},${end}]}`;
  const cases: [string, string, number, RegExp][] = [
    ['a hole', `{${tensor('a', 0, 2)},${tensor('b', 3, 5)}}`, 5, /tensor "b": leaves a hole/],
    ['a hole at the start', `{${tensor('a', 1, 2)}}`, 2, /tensor "a": leaves a hole/],
    ['an overlap', `{${tensor('a', 0, 3)},${tensor('b', 2, 5)}}`, 5, /tensor "b": overlaps/],
    ['data after the last tensor', `{${tensor('a', 0, 3)}}`, 4, /tensors end at byte/],
    ['data that is cut short', `{${tensor('a', 0, 3)}}`, 2, /tensor "a": ends at byte/],
    ['a repeated name', `{${tensor('a', 0, 1)},"\\u0061":{}}`, 1, /"a" occurs twice/],
    ['a repeated field', `{${tensor('a', 0, 1, '"dtype":"U8","dtype":"I8"')}}`, 1, /"dtype" occurs twice/],
    ['an unknown dtype', `{${tensor('a', 0, 1, '"dtype":"X9"')}}`, 1, /dtype "X9" is not known/],
    ['a dtype from the prototype', `{${tensor('a', 0, 1, '"dtype":"toString"')}}`, 1, /is not known/],
    ['wrong length', '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}', 4, /needs 8 bytes/],
    ['negative size', '{"a":{"dtype":"U8","shape":[-1,-4],"data_offsets":[0,4]}}', 4, /not a list of sizes/],
    ['overflow', '{"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}}', 0, /too large/],
    ['reversed offsets', '{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}}', 1, /two ordered counts/],
    ['a fraction', '{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1.5]}}', 1, /two ordered counts/],
    ['no shape', '{"a":{"dtype":"U8","data_offsets":[0,1]}}', 1, /shape must be/],
    ['a tensor that is null', '{"a":null}', 0, /needs dtype/],
    ['a list', '[]', 0, /does not begin with/],
    ['metadata of numbers', '{"__metadata__":{"a":1}}', 0, /must map texts/],
    ['text that is not JSON', '{"a":', 0, /must be a JSON object/],
  ];
  it.each(cases)('with %s is rejected, naming the place', (_, header, dataBytes, rule) => {
    const fault = faultOf(() => openSafetensors(fileWith(header, dataBytes)));
    expect(fault.code).toBe('data');
    expect(fault.message).toContain('case.safetensors');
    expect(fault.message).toMatch(rule);
  });

  it('is rejected if its header is too long, truncated, or not UTF-8', () => {
    const codes = [
      fileWith('{}', 0, maximumHeaderBytes + 1),
      fileWith('{}', 0, 3),
      fileWith('{}', 0, 2 ** 63),
    ];
    for (const path of codes) expect(faultOf(() => openSafetensors(path)).code).toBe('data');
    const path = join(folder, 'latin.safetensors');
    writeFileSync(path, Buffer.from([4, 0, 0, 0, 0, 0, 0, 0, 0x7b, 0x22, 0xff, 0x7d]));
    expect(faultOf(() => openSafetensors(path)).code).toBe('data');
    writeFileSync(path, Buffer.from([1, 2]));
    expect(faultOf(() => openSafetensors(path)).message).toContain('at least 8 bytes');
  });

  it('gives only EmacErrors, whatever byte is changed', () => {
    const good = encodeSafetensors(new Map([['weight', f32([1, 2, 3])]]), { note: 'x' });
    const path = join(folder, 'flipped.safetensors');
    fc.assert(
      fc.property(fc.nat(good.byteLength - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const bytes = good.slice();
        bytes[at]! ^= change;
        writeFileSync(path, bytes);
        try {
          for (const name of openSafetensors(path).tensors.keys()) readFloat32(openSafetensors(path), name);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(EmacError);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('with deeply nested JSON is rejected: if each level read the rest again, it would take minutes', () => {
    const nested = fileWith(`{"a":${'['.repeat(3e5)}${']'.repeat(3e5)}}`, 0);
    expect(faultOf(() => openSafetensors(nested)).code).toBe('data');
  });

  it('is noticed if it shrinks after opening', () => {
    const path = join(folder, 'shrinks.safetensors');
    writeFileSync(path, encodeSafetensors(new Map([['a', f32([1, 2])]])));
    const file = openSafetensors(path);
    truncateSync(path, file.tensors.get('a')!.offset + 4);
    expect(faultOf(() => readFloat32(file, 'a')).message).toContain('cut short');
  });
});

describe('a missing part of a file', () => {
  it('is named: the path, the tensor, the dtype', () => {
    expect(faultOf(() => openSafetensors(join(folder, 'absent'))).code).toBe('missing');
    const path = join(folder, 'small.safetensors');
    writeFileSync(path, encodeSafetensors(new Map([['a', f32([1])]])));
    const file = openSafetensors(path);
    expect(faultOf(() => readTensor(file, 'b')).message).toContain('has no tensor "b"');
    expect(faultOf(() => readInt64(file, 'a')).message).toContain('needs I64, is F32');
  });
});

describe.skipIf(!process.env.EMAC_TEST_DATA)('the example backbone (needs EMAC_TEST_DATA)', () => {
  it('opens, and every tensor reads to the bytes its shape needs', () => {
    const example = join(process.env.EMAC_TEST_DATA!, 'backbone/example');
    for (const name of ['model', 'inputs', 'expected']) {
      const file = openSafetensors(join(example, `${name}.safetensors`));
      expect(file.tensors.size).toBeGreaterThan(0);
      for (const { name: tensor, length } of file.tensors.values())
        expect(readTensor(file, tensor).data.byteLength).toBe(length);
    }
  });
});
