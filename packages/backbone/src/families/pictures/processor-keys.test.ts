/**
 * Every key that transformers' image processors know (5.24.0 and 4.57.1, `tools/reference/write_processor_keys.py`), changed one at a time in
 * the file that each version writes: pictures become the same numbers, or the key is refused by its name.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { EmacError } from '@emac/core';
import { modelFolder } from '@emac/emma-tiny';
import type { Value } from '@emac/graph';
import { afterAll, describe, expect, it } from 'vitest';

import { imageProcessorFile } from '../../files/image-processor-file.ts';
import { readJsonObject, type JsonObject } from '../../files/json-object.ts';
import { openModelFiles } from '../../files/model-files.ts';
import { visionOf } from '../blind.ts';

/** How many numbers a picture has, and some of them, the first and the last included. */
interface Seen {
  readonly length: number;
  readonly values: readonly number[];
}

interface Case {
  readonly value: unknown;
  /** of each picture; missing: as without the key, null: transformers fails */
  readonly result?: readonly Seen[] | null;
}

interface Walk {
  readonly settings: JsonObject;
  readonly result: readonly Seen[];
  readonly keys: Readonly<Record<string, readonly Case[]>>;
}

const at = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url));
const versions = readJsonObject(at('fixtures/processor-keys.json')) as Readonly<
  Record<string, Readonly<Record<string, Walk>>>
>;

const parent = mkdtempSync(join(tmpdir(), 'emac-processors-'));
afterAll(() => rmSync(parent, { recursive: true }));

// fewer pixels than the fixtures' min_pixels, and more than their max_pixels
const frames = [
  { width: 26, height: 20 },
  { width: 200, height: 150 },
].map(({ width, height }) => ({
  width,
  height,
  data: Uint8Array.from({ length: width * height * 3 }, (_, place) => (place * 7) % 251),
}));

type Reading = (settings: JsonObject) => readonly Float32Array[] | EmacError;

/** What the eye of a folder with these settings is fed. */
function readingOf(family: string, version: string): Reading {
  const files = openModelFiles(family === 'instructblip' ? modelFolder : at(`fixtures/families/${family}`));
  return (settings) => {
    const folder = mkdtempSync(join(parent, 'folder-'));
    const [name, content] = version.startsWith('5')
      ? ['processor_config.json', { image_processor: settings }]
      : ['preprocessor_config.json', settings];
    writeFileSync(join(folder, name), JSON.stringify(content));
    const companions = { ...files.companions, imageProcessor: imageProcessorFile(folder) };
    try {
      const eye = visionOf(files).eye({ ...files, companions });
      return frames.map((frame) => {
        const { patches, pixel_values: pixels } = eye.feeds(frame) as Readonly<Record<string, Value>>;
        return (patches ?? pixels)!.data as Float32Array;
      });
    } catch (thrown) {
      if (thrown instanceof EmacError) return thrown;
      throw thrown;
    }
  };
}

/** Three steps of a byte at the smallest deviation: Pillow rounds some bytes of a resized picture otherwise. */
const steps = 3 / 255 / 0.26;

function isLike(found: readonly Float32Array[], wanted: readonly Seen[]): boolean {
  return wanted.every(({ length, values }, picture) => {
    const ours = found[picture]!;
    const place = (index: number) => Math.floor((index * (length - 1)) / (values.length - 1));
    return (
      ours.length === length && values.every((each, index) => Math.abs(ours[place(index)]! - each) <= steps)
    );
  });
}

type Outcome = 'read' | 'refused' | 'idle';

/** Errors: an expectation that failed. */
function outcomeOf(
  read: Reading,
  { settings, result: usual }: Walk,
  [key, { value, result }]: readonly [string, Case],
): Outcome {
  const found = read({ ...settings, [key]: value });
  const name = `${key} ${JSON.stringify(value)}`;
  if (found instanceof EmacError) {
    expect.soft(found.message, name).toContain(key);
    return 'refused';
  }
  if (result !== null) expect.soft(isLike(found, result ?? usual), name).toBe(true);
  return result ? 'read' : 'idle';
}

describe.each(Object.keys(versions))('image processors of transformers %s', (version) => {
  it.each(Object.entries(versions[version]!))('%s', (family, walk) => {
    const read = readingOf(family, version);
    expect(isLike(read(walk.settings) as Float32Array[], walk.result)).toBe(true);
    const outcomes = Object.entries(walk.keys).map(([key, cases]) => {
      const all = cases.map((each) => outcomeOf(read, walk, [key, each]));
      return all.includes('read') ? 'read' : all.includes('refused') ? 'refused' : 'idle';
    });
    const count = (wanted: Outcome) => outcomes.filter((each) => each === wanted).length;
    const row = new RegExp(`^\\| \`${family}\`, ${version} \\| (\\d+) \\| (\\d+) \\| (\\d+) \\|$`, 'm');
    const counts = row
      .exec(readFileSync(at('README.md'), 'utf8'))
      ?.slice(1)
      .map(Number);
    expect.soft(counts).toEqual([count('read'), count('refused'), count('idle')]);
  });
});
