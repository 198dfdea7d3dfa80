import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from './captured-io.test.fixture.ts';

const data = process.env['EMAC_TEST_DATA'];

describe.skipIf(!data)('emac backbone compare (needs EMAC_TEST_DATA)', () => {
  const folder = temporaryFolder();
  const example = join(data ?? '', 'backbone', 'example');

  it('prints one object and ends with 0 within tolerance', async () => {
    const { status, stdout } = await emac(['backbone', 'compare', example, '--json']);
    const printed = JSON.parse(stdout) as {
      stages: Record<string, number>;
      generated: Record<string, boolean>;
    };
    expect(status).toBe(0);
    expect(Object.keys(printed)).toEqual(['stages', 'generated', 'provider']);
    expect(Object.keys(printed.stages)).toHaveLength(8);
    expect(Math.max(...Object.values(printed.stages))).toBeLessThan(1e-4);
    expect(Object.values(printed.generated).every(Boolean)).toBe(true);
  });

  it('ends with 2 when a number was expected to be another one', async () => {
    cpSync(example, folder, { recursive: true });
    const path = join(folder, 'expected.safetensors');
    const bytes = readFileSync(path);
    const headerLength = Number(bytes.readBigUInt64LE(0));
    const header = JSON.parse(bytes.subarray(8, 8 + headerLength).toString()) as Record<
      string,
      { data_offsets: [number, number] }
    >;
    bytes.writeFloatLE(123, 8 + headerLength + header['loss']!.data_offsets[0]);
    writeFileSync(path, bytes);
    const { status, stdout, stderr } = await emac(['backbone', 'compare', folder]);
    expect(status).toBe(2);
    expect(stdout).toMatch(/loss .*9\.[0-9]e-1/); // |ours − 123| / 123 for a loss of a few units
    expect(stderr).toContain('out of tolerance');
  });
});
