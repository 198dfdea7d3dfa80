/** Every key of a folder's image processor is read, refused by name, or stands below among those that change no number here. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { EmacError } from '@emac/core';
import { modelFolder } from '@emac/emma-tiny';
import type { Value } from '@emac/graph';
import { afterAll, expect, it } from 'vitest';

import { readImageProcessor } from '../../files/image-processor-file.ts';
import type { JsonObject } from '../../files/json-object.ts';
import { openModelFiles } from '../../files/model-files.ts';
import { visionOf } from '../blind.ts';

const folder = mkdtempSync(join(tmpdir(), 'emac-processors-'));
afterAll(() => rmSync(folder, { recursive: true }));

const family = (name: string) =>
  fileURLToPath(new URL(`../../../fixtures/families/${name}`, import.meta.url));

// frames are RGB already; a class's name is read where folders have more than one
const idle = ['do_convert_rgb', 'image_processor_type'];
// tiles have the encoder's size before they are resized, cropped and padded
const ofTiles = [...idle, 'do_resize', 'do_center_crop', 'do_pad'];
// min_pixels and max_pixels count where both are there
const ofQwen = [...idle, 'size'];

// fewer pixels than the fixtures' min_pixels, and more than their max_pixels
const frames = [
  { width: 26, height: 20 },
  { width: 200, height: 150 },
].map(({ width, height }) => ({
  width,
  height,
  data: Uint8Array.from({ length: width * height * 3 }, (_, place) => (place * 7) % 251),
}));

it.each([
  ['emma-tiny', modelFolder, idle],
  ['llava', family('llava'), ['do_convert_rgb']],
  ['llava_next', family('llava_next_mistral'), ofTiles],
  ['qwen2_vl', family('qwen2_vl'), ofQwen],
  ['qwen2_5_vl', family('qwen2_5_vl'), ofQwen],
  ['qwen3_vl', family('qwen3_vl'), ofQwen],
  ['idefics3', family('idefics3'), idle],
  ['smolvlm', family('smolvlm'), idle],
])('the image processor of %s', (_, model, allowed) => {
  const files = openModelFiles(model);
  const settings = readImageProcessor(files.companions.imageProcessor);
  const imageProcessor = join(folder, 'preprocessor_config.json');
  const seen = (changed: JsonObject): string => {
    writeFileSync(imageProcessor, JSON.stringify(changed));
    const eye = visionOf(files).eye({ ...files, companions: { ...files.companions, imageProcessor } });
    const values = frames.flatMap((frame) => Object.values(eye.feeds(frame)) as Value[]);
    return values
      .map(({ data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64'))
      .join();
  };
  const before = seen(settings);
  const silent = Object.entries(settings).filter(([key, value]) => {
    try {
      return seen({ ...settings, [key]: other(value) }) === before;
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(EmacError);
      return false;
    }
  });
  expect(silent.map(([key]) => key).filter((key) => !allowed.includes(key))).toEqual([]);
});

/** Another value of the same kind. */
function other(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value * 2;
  if (typeof value === 'string') return 'unheard';
  if (Array.isArray(value)) return [other(value[0]), ...value.slice(1)];
  if (value === null) return true;
  return Object.fromEntries(Object.entries(value as object).map(([key, each]) => [key, other(each)]));
}
