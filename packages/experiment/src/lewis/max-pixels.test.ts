/** A run's limit on the size of pictures. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openListener, openPolicy, plainHost, requireHeeded } from '@emac/opening';
import { evaluationConfig, grpoConfig, modelIn, type GivenGrpoConfig } from '@emac/settings';
import { describe, expect, it } from 'vitest';
import { trainGrpo } from '../grpo/train-grpo.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { evaluateLewis } from './evaluate-lewis.ts';

const folder = temporaryFolder();
/** A tiny model with positions for prompts of 1024 tokens and an answer. */
const qwen = join(folder, 'qwen2_5_vl');
cpSync(fileURLToPath(new URL('../../../backbone/fixtures/families/qwen2_5_vl', import.meta.url)), qwen, {
  recursive: true,
});
const file = join(qwen, 'config.json');
const sizes = JSON.parse(readFileSync(file, 'utf8')) as { text_config: object };
Object.assign(sizes.text_config, { max_position_embeddings: 4096 });
writeFileSync(file, JSON.stringify(sizes));

const frame = { width: 200, height: 200, data: new Uint8Array(3 * 200 * 200) };

async function visualTokens(policy: string, model: GivenGrpoConfig['model'] = {}): Promise<number> {
  const config = grpoConfig({ role: 'speaker', policy, model });
  const place = { ...evaluationConfig({ ckpt: policy }), model: modelIn(config) };
  const { student, dispose } = await openPolicy(place, plainHost());
  try {
    return student.countVisualTokens(await student.encode!(frame));
  } finally {
    await dispose();
  }
}

describe('--max-pixels', () => {
  it("is 401408 in published presets, else the model's own", () => {
    const of = (preset: GivenGrpoConfig['preset'], more = {}) =>
      grpoConfig({ role: 'speaker', preset: preset!, ...more }).model.maxPixels;
    for (const preset of ['published-2b', 'published-7b', 'published-14b'] as const)
      expect(of(preset)).toBe(401_408);
    expect(of('tiny')).toBeNull();
    expect(of('published-2b', { model: { maxPixels: null } })).toBeNull();
    expect(of('published-2b', { model: { maxPixels: 200_704 } })).toBe(200_704);
  });

  it('decides how many visual tokens a policy has for a large picture', async () => {
    // max_pixels of its file is 15680: 200 / √(200² / 15680) = 125.2, of 28 each 4.5
    expect(await visualTokens(qwen)).toBe(4 * 4);
    // 200 / √(200² / 10000) = 100, of 28 each 3.6
    expect(await visualTokens(qwen, { maxPixels: 10_000 })).toBe(3 * 3);
  });

  it('is that of the starting run unless given, whatever the preset', async () => {
    const small = {
      role: 'speaker',
      play: { updates: 1, promptsPerUpdate: 1, groupSize: 2 },
      losses: { maxLength: 2 },
      trained: { rank: 2 },
      evaluation: { episodes: 0 },
      out: join(folder, 'runs'),
    } as const;
    const run = await trainGrpo({ ...small, policy: qwen, model: { maxPixels: 10_000 } });
    const warned = (limit: number, listener = 'model') =>
      requireHeeded(limit, { names: [run.folder, listener], isSent: false });
    expect(warned(10_000)).toEqual([]);
    expect(warned(9000)).toEqual([`--max-pixels 9000: ${run.folder} keeps 10000, as it was trained`]);
    expect(() => warned(9000, 'true')).toThrow(/^--max-pixels 9000: has no effect here .* keeps 10000/);
    const limitOf = async (preset: 'tiny' | 'published-2b', model: GivenGrpoConfig['model'] = {}) => {
      const start = { ...small, preset, trained: {}, init: run.folder };
      return (await trainGrpo({ ...start, policy: qwen, model })).config.model.maxPixels;
    };
    expect(await limitOf('tiny')).toBe(10_000);
    expect(await limitOf('published-2b')).toBe(10_000);
    expect(await limitOf('tiny', { maxPixels: null })).toBeNull();
    expect(await limitOf('tiny', { maxPixels: 9000 })).toBe(9000);
  });

  it('is refused for a model that has no such limit', async () => {
    await expect(visualTokens('lewis-tiny', { maxPixels: 401_408 })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(
        /^--max-pixels 401408: .* is an InstructBLIP model.*leave it out/,
      ) as string,
    });
  });

  it("changes a model's listener identity, and does not apply to another named model", async () => {
    const model = modelIn(grpoConfig({ role: 'speaker', policy: qwen, model: { maxPixels: 10_000 } }));
    const pictures = async () => frame;
    const identityOf = async (name: string, maxPixels: number | null) => {
      const place = { name, model: { ...model, maxPixels }, pictures, folder: null };
      const { agent, dispose } = await openListener(place, plainHost());
      try {
        return await agent.identity();
      } finally {
        await dispose();
      }
    };
    const [limited, own] = [await identityOf('model', 10_000), await identityOf('model', null)];
    expect(limited).not.toBe(own);
    expect(await identityOf('model', 10_000)).toBe(limited);
    // the same one, by its folder
    expect(await identityOf(`${qwen}/`, 10_000)).toBe(limited);
    // with the limit of the other one it would be refused
    expect(await identityOf('lewis-tiny', 10_000)).toBe(await identityOf('lewis-tiny', null));
  });

  it('of an evaluation applies to every model that plays, by any name, and is refused for one without a limit', async () => {
    const heard = (listener: string, model: { readonly path?: string; readonly maxPixels: number }) =>
      evaluateLewis({ speaker: 'true', listener, model, games: 1 });
    const { result } = await heard(qwen, { maxPixels: 10_000 });
    expect(result.identification.results).toHaveLength(1);
    // its file allows at least 3136, so ignoring this value would go unnoticed
    const tooSmall = /^--max-pixels: must be at least the model's min_pixels, 3136, got 1000/;
    await expect(heard(qwen, { maxPixels: 1000 })).rejects.toThrow(tooSmall);
    await expect(heard(qwen, { path: qwen, maxPixels: 1000 })).rejects.toThrow(tooSmall);
    await expect(heard('lewis-tiny', { path: qwen, maxPixels: 10_000 })).rejects.toThrow(
      /^--max-pixels 10000: .* is an InstructBLIP model/,
    );
  });

  it('of an evaluation does not apply to a service that gets names of pictures', () => {
    const address = 'http://127.0.0.1:9';
    const names = ['model', address];
    expect(requireHeeded(1000, { names, isSent: true })).toEqual([]);
    expect(requireHeeded(null, { names: ['true', address], isSent: false })).toEqual([]);
    expect(requireHeeded(1000, { names, isSent: false })).toEqual([
      `--max-pixels 1000: ${address} receives names of pictures only`,
    ]);
    expect(() => requireHeeded(1000, { names: ['true', address], isSent: false })).toThrow(
      /has no effect here \(true reads no pictures, http.* receives names of pictures only\); give/,
    );
  });
});
