import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareFolder, readAdapter } from '@emac/backbone';
import { modelFolder } from '@emac/emma-tiny';
import { openAgent, train } from '@emac/experiment';
import { encodeFloats, onFailpoint, openSafetensors, readFloat32, readTensor } from '@emac/files';
import { resolveCheckpoint } from '@emac/runs';
import { describe, expect, it } from 'vitest';
import { exportModel } from './export-model.ts';
import { mergeModel } from './merge-model.ts';
import { temporaryFolder } from './temporary-folder.test.support.ts';

const folder = temporaryFolder();
const fixtures = new URL('../../backbone/fixtures/', import.meta.url).pathname;
const adapterOf = (name: string) => join(fixtures, 'adapters', name);
const baseOf = (name: string) => join(fixtures, 'comparison', name);

/** Largest relative error of a merged fixture's logits against those after PEFT's merge_and_unload. */
async function logitsError(out: string, base: string, adapter: string): Promise<number> {
  cpSync(join(baseOf(base), 'inputs.safetensors'), join(out, 'inputs.safetensors'));
  const merged = openSafetensors(join(adapterOf(adapter), 'expected.safetensors'));
  const expected = openSafetensors(join(baseOf(base), 'expected.safetensors'));
  const names = [...expected.tensors.keys()].filter((name) => !name.startsWith('generated'));
  const tensors = names.map((name) => {
    const from = name === 'logits' ? { file: merged, key: 'merged_logits' } : { file: expected, key: name };
    const { shape } = from.file.tensors.get(from.key)!;
    return [name, { shape, data: readFloat32(from.file, from.key) }] as const;
  });
  writeFileSync(join(out, 'expected.safetensors'), encodeFloats(tensors));
  const { stages } = await compareFolder(out, { threads: 1, generations: () => false });
  return stages.logits!;
}

describe('a merged model', () => {
  it.each([
    ['all-linear', 'float32', null, 1e-5],
    ['biases-and-stabilized-rank', 'biases', 'float32', 1e-5],
    ['language-model-alone', 'sharded', null, 1e-5],
    ['half-precision-base', 'float16', 'float32', 1e-5],
    // rounded once to eleven bits
    ['half-precision-base', 'float16', null, 1e-2],
    ['half-precision-base', 'float16', 'bfloat16', 1e-1],
  ] as const)("has PEFT's logits (%s on %s, as %s)", async (adapter, base, dtype, most) => {
    const out = join(folder, `${adapter}-${dtype}`);
    const { merged } = await mergeModel({ base: baseOf(base), adapter: adapterOf(adapter), out, dtype });
    expect(merged).toBe(readAdapter(adapterOf(adapter)).parameters.size / 2);
    const types = readdirSync(out)
      .filter((name) => name.endsWith('.safetensors'))
      .flatMap((name) => [...openSafetensors(join(out, name)).tensors.values()].map((each) => each.dtype));
    if (dtype !== null)
      expect(new Set(types)).toEqual(new Set([{ float32: 'F32', bfloat16: 'BF16' }[dtype]]));
    expect(await logitsError(out, base, adapter)).toBeLessThan(most);
    const metadata = JSON.parse(readFileSync(join(out, 'merge_metadata.json'), 'utf8')) as {
      merged: string[];
    };
    expect(metadata.merged).toHaveLength(merged);
  });

  it('states the new weight type in its configuration and index', async () => {
    const [base, out] = [join(folder, 'configured'), join(folder, 'converted')];
    cpSync(baseOf('sharded'), base, { recursive: true });
    const config = JSON.parse(readFileSync(join(base, 'config.json'), 'utf8')) as Record<string, unknown>;
    writeFileSync(
      join(base, 'config.json'),
      JSON.stringify({
        ...config,
        dtype: 'float32',
        text_config: { ...(config['text_config'] as object), torch_dtype: 'float32' },
      }),
    );
    await mergeModel({ base, adapter: adapterOf('language-model-alone'), out, dtype: 'float16' });
    const written = JSON.parse(readFileSync(join(out, 'config.json'), 'utf8')) as Record<
      string,
      Record<string, unknown>
    >;
    expect([written['dtype'], written['text_config']!['torch_dtype']]).toEqual(['float16', 'float16']);
    const index = JSON.parse(readFileSync(join(out, 'model.safetensors.index.json'), 'utf8')) as {
      metadata: { total_size: number };
      weight_map: Record<string, string>;
    };
    const stored = [...new Set(Object.values(index.weight_map))].flatMap((name) => [
      ...openSafetensors(join(out, name)).tensors.values(),
    ]);
    expect(index.metadata.total_size).toBe(stored.reduce((sum, { length }) => sum + length, 0));
  });

  it('of a run includes its projection and gives the run’s answers', async () => {
    const { folder: run } = await train({
      phase: 'bc',
      out: join(folder, 'runs'),
      init: 'random',
      trained: { parts: 'projection,lora', rank: 2 },
      play: { rounds: 1, gamesPerRound: 1, maxSteps: 3 },
      optimization: { updatesPerEpisode: 2, learningRate: 0.01 },
      speech: { beams: 1 },
      probe: false,
      evaluation: { episodes: 0 },
    });
    const out = join(folder, 'of-run');
    expect(await mergeModel({ base: 'emma-tiny', adapter: run, out, dtype: 'float32' })).toMatchObject({
      merged: 35,
      projection: true,
    });
    expect(readdirSync(out).sort()).toEqual(
      [...readdirSync(modelFolder), 'README.md', 'merge_metadata.json'].sort(),
    );
    const of = async (ckpt: string) => {
      const agent = await openAgent(ckpt, { model: { path: ckpt === out ? out : 'emma-tiny' } });
      const frame = { width: 1, height: 1, data: new Uint8Array(3) };
      const image = { kind: 'image', features: await agent.student.encode!(frame) } as const;
      const prompt = [image, { kind: 'text', text: 'You are in the middle of a room.\n>' }] as const;
      const [scored] = await agent.student.score([{ prompt, answers: [' go to desk 1'] }]);
      await agent.dispose();
      return [...scored![0]!];
    };
    const [merged, adapted] = [await of(out), await of(run)];
    merged.forEach((value, token) => expect(value).toBeCloseTo(adapted[token]!, 4));
    await expect(
      exportModel({ checkpoint: run, out: join(folder, 'exported'), model: null }),
    ).rejects.toThrow(/has an adapter .* emac model export BASE/);
    const other = mergeModel({ base: baseOf('float32'), adapter: run, out: join(folder, 'other') });
    await expect(other).rejects.toThrow(/was trained with another model .* give that model/);
  });

  it("has the adapter's tokenizer if there is one", async () => {
    const [adapter, out] = [join(folder, 'with-tokenizer'), join(folder, 'tokenized')];
    cpSync(adapterOf('all-linear'), adapter, { recursive: true });
    writeFileSync(join(adapter, 'tokenizer_config.json'), '{"own":true}');
    await mergeModel({ base: baseOf('float32'), adapter, out });
    expect(readFileSync(join(out, 'tokenizer_config.json'), 'utf8')).toBe('{"own":true}');
    expect(existsSync(join(out, 'adapter_config.json'))).toBe(false);
    // unmerged tensors keep the base's bytes
    const name = 'language_model.model.embed_tokens.weight';
    const [before, after] = [baseOf('float32'), out].map((each) =>
      readTensor(openSafetensors(join(each, 'model.safetensors')), name),
    );
    expect(after).toEqual(before);
  });
});

describe('merging', () => {
  it('rejects a mismatch and leaves no folder', async () => {
    const base = baseOf('float32');
    const adapter = adapterOf('all-linear');
    const out = join(folder, 'nothing');
    const taken = join(folder, 'taken');
    mkdirSync(taken);
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    const damaged = join(folder, 'damaged');
    cpSync(base, damaged, { recursive: true });
    writeFileSync(join(damaged, 'config.json'), '{');
    const torch = join(folder, 'torch');
    cpSync(base, torch, { recursive: true });
    rmSync(join(torch, 'model.safetensors'));
    writeFileSync(join(torch, 'pytorch_model.bin'), '');
    const { folder: plain } = await train({
      phase: 'bc',
      out: join(folder, 'runs'),
      play: { rounds: 1, gamesPerRound: 1, maxSteps: 1 },
      probe: false,
      evaluation: { episodes: 0 },
    });
    for (const [asked, message] of [
      [{ base, adapter, out: taken }, /taken: already exists/],
      [{ base: baseOf('grouped-keys'), adapter, out }, /is an adapter of another base, .*; give the model/],
      [{ base: baseOf('tied-head'), adapter, out }, /another base, .*layers\.1\..* has no such projection/],
      [{ base: damaged, adapter, out }, /damaged\/config\.json: must be JSON/],
      [{ base: damaged, adapter, out: join(damaged, 'a', 'b') }, /b: lies inside .*damaged, which is copied/],
      [{ base, adapter: empty, out }, /empty: holds no adapter_config.json/],
      [{ base: torch, adapter, out }, /its weights must be safetensors/],
      [{ base: 'emma-tiny', adapter: resolveCheckpoint(plain).folder, out }, /has no adapter to merge/],
    ] as const)
      await expect(mergeModel(asked)).rejects.toThrow(message);
    // would be infinite in float16
    const large = join(folder, 'large');
    cpSync(adapter, large, { recursive: true });
    const config = join(large, 'adapter_config.json');
    const settings = JSON.parse(readFileSync(config, 'utf8')) as object;
    writeFileSync(config, JSON.stringify({ ...settings, lora_alpha: 1e9 }));
    const overflowing = mergeModel({ base, adapter: large, out, dtype: 'float16' });
    await expect(overflowing).rejects.toThrow(/model\.safetensors, tensor .*proj\.weight: must lie within/);
    onFailpoint(() => {
      throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    });
    await expect(mergeModel({ base, adapter, out })).rejects.toMatchObject({ code: 'io' });
    onFailpoint(null);
    expect(readdirSync(folder).filter((name) => name === 'nothing' || name.startsWith('.'))).toEqual([]);
  });
});
