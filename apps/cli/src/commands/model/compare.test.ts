import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';

const data = process.env['EMAC_TEST_DATA'];

describe.skipIf(!data)('emac model check --compare (needs EMAC_TEST_DATA)', () => {
  const folder = temporaryFolder();
  const example = join(data ?? '', 'backbone', 'example');

  it('prints one object and ends with 0 within tolerance', async () => {
    const { status, stdout } = await emac(['backbone', 'compare', example, '--json']);
    const printed = JSON.parse(stdout) as {
      stages: Record<string, number>;
      generated: Record<string, boolean>;
    };
    expect(status).toBe(0);
    expect(Object.keys(printed)).toEqual(['stages', 'generated', 'rounding', 'provider']);
    expect(Object.keys(printed.stages)).toHaveLength(8);
    expect(Math.max(...Object.values(printed.stages))).toBeLessThan(1e-4);
    expect(Object.values(printed.generated).every(Boolean)).toBe(true);
  });

  it('does the same on WebGPU, or names what is missing', async () => {
    const copy = join(folder, 'one-text');
    cpSync(example, copy, { recursive: true });
    const list = join(copy, 'fixture.json');
    const fixture = JSON.parse(readFileSync(list, 'utf8')) as { generation: unknown[] };
    writeFileSync(list, JSON.stringify({ ...fixture, generation: fixture.generation.slice(0, 1) }));
    const argv = ['backbone', 'compare', copy, '--json', '--provider', 'webgpu'];
    const { status, stdout, stderr } = await emac(argv);
    if (status === 69) {
      expect(stderr).toMatch(/^emac: provider webgpu is not available here: .*VK_DRIVER_FILES.*\n$/);
      expect(stdout).toBe('');
      return;
    }
    expect(JSON.parse(stdout)).toMatchObject({ provider: 'webgpu' });
    expect(stderr).toBe('within tolerance (webgpu)\n');
    expect(status).toBe(0);
  });

  it('ends with 2 when a number differs from the expected one', async () => {
    cpSync(example, join(folder, 'wrong'), { recursive: true });
    const path = join(folder, 'wrong', 'expected.safetensors');
    const bytes = readFileSync(path);
    const headerLength = Number(bytes.readBigUInt64LE(0));
    const header = JSON.parse(bytes.subarray(8, 8 + headerLength).toString()) as Record<
      string,
      { data_offsets: [number, number] }
    >;
    bytes.writeFloatLE(123, 8 + headerLength + header['loss']!.data_offsets[0]);
    writeFileSync(path, bytes);
    const { status, stdout, stderr } = await emac(['backbone', 'compare', join(folder, 'wrong')]);
    expect(status).toBe(2);
    expect(stdout).toMatch(/loss .*9\.[0-9]e-1/); // |ours − 123| / 123 for a loss of a few units
    expect(stderr).toContain('out of tolerance');
  });
});
