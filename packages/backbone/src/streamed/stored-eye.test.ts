import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Random, type Frame } from '@emac/core';
import { encodeSafetensors, float32ToFloat16, openSafetensors, readFloat32 } from '@emac/files';
import { expect, it, onTestFinished } from 'vitest';

import { loadBackbone } from '../backbone.ts';

const fixtures = new URL('../../fixtures/families/', import.meta.url).pathname;

/** A fixture with its weights in F16. */
function halved(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'stored-eye-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(fixtures, name), folder, { recursive: true });
  const file = openSafetensors(join(folder, 'model.safetensors'));
  const halves = [...file.tensors].map(([key, { shape }]) => {
    const data = float32ToFloat16(readFloat32(file, key));
    return [key, { dtype: 'F16', shape, data }] as const;
  });
  writeFileSync(join(folder, 'model.safetensors'), encodeSafetensors(new Map(halves)));
  return folder;
}

it.each(readdirSync(fixtures))(
  'the stored encoder of %s gives the same features as the whole encoder in float32',
  async (name) => {
    const folder = halved(name);
    const random = Random.fromSeed('frame');
    const data = Uint8Array.from({ length: 3 * 50 * 40 }, () => random.integer(256));
    const frame: Frame = { width: 50, height: 40, data };
    const seen = [];
    for (const layers of ['resident', 'streamed'] as const) {
      const backbone = loadBackbone(folder, { layers, threads: 1 });
      seen.push(await backbone.encode(frame));
      await backbone.dispose();
    }
    const [whole, stored] = seen as [Float32Array, Float32Array];
    expect(stored.length).toBe(whole.length);
    const largest = Math.max(...whole.map(Math.abs));
    whole.forEach((value, place) => expect(Math.abs(stored[place]! - value) / largest).toBeLessThan(1e-6));
  },
);
