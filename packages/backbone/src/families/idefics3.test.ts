import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { openModelFiles } from '../files/model-files.ts';
import { visionOf } from './blind.ts';
import type { Idefics3Config } from './idefics3.ts';
import { loadIdefics3Processor } from './pictures/idefics3-processor.ts';
import { tileMarks } from './tile-marks.ts';

const fixture = fileURLToPath(new URL('../../fixtures/families/smolvlm', import.meta.url));

// sizes as SmolVLM-Instruct and SmolVLM-256M-Instruct are published: patches per side / scale factor, squared
it.each([
  ['2B', { tile: 384, longest: 1536, patchSize: 14, scaleFactor: 3 }, 81], // ⌊384 / 14⌋ = 27, 27 / 3 = 9
  ['256M', { tile: 512, longest: 2048, patchSize: 16, scaleFactor: 4 }, 64], // 512 / 16 = 32, 32 / 4 = 8
] as const)(
  'a picture of SmolVLM (%s) has as many tokens in each tile and in the whole',
  (_, sizes, tokens) => {
    const folder = mkdtempSync(join(tmpdir(), 'emac-tiles-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { tile, longest, patchSize, scaleFactor } = sizes;
    const tokensOf = (frame: { width: number; height: number }, splits: boolean) => {
      const imageProcessor = join(folder, `${splits}.json`);
      const edges = { size: { longest_edge: longest }, max_image_size: { longest_edge: tile } };
      writeFileSync(imageProcessor, JSON.stringify({ ...edges, do_image_splitting: splits }));
      const files = openModelFiles(fixture);
      const { vision, ...config } = files.config as Idefics3Config;
      const model = {
        ...files,
        config: { ...config, scaleFactor, vision: { ...vision, imageSize: tile, patchSize } },
        companions: { ...files.companions, imageProcessor },
      };
      const grid = loadIdefics3Processor(imageProcessor).grid(frame);
      const all = tileMarks(model)({ ...grid, tokens });
      expect(visionOf(model).eye(model).tokens(frame)).toBe(all.length);
      return [grid.rows, grid.columns, all.filter((token) => token >= 0).length];
    };
    // the longer side becomes four tiles, the other three
    expect(tokensOf({ width: 640, height: 480 }, true)).toEqual([3, 4, 13 * tokens]);
    expect(tokensOf({ width: 640, height: 480 }, false)).toEqual([0, 0, tokens]);
  },
);
