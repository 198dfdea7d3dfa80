/** A model that reads text alone, trained as a program calls it: an adapter learns; killed and resumed, preferred, merged, opened again. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readAdapter } from '@emac/backbone';
import { promptOf } from '@emac/core';
import { openAgent, resume, train } from '@emac/experiment';
import { onFailpoint, openSafetensors } from '@emac/files';
import { loadCheckpoint, readConfig, resolveCheckpoint } from '@emac/runs';
import type { GivenTrainConfig } from '@emac/settings';
import { afterEach, expect, it } from 'vitest';
import { mergeModel } from './merge-model.ts';
import { temporaryFolder } from './temporary-folder.test.support.ts';

const folder = temporaryFolder();
const path = fileURLToPath(new URL('../../backbone/fixtures/text/llama', import.meta.url));
const speech = { beams: 1, minLength: 1, maxLength: 12, maxPromptTokens: 400 } as const;
const small = (out: string, changes: Partial<GivenTrainConfig> = {}): GivenTrainConfig => ({
  phase: 'bc',
  policy: path,
  play: { rounds: 1, gamesPerRound: 2, maxSteps: 2 },
  optimization: { updatesPerEpisode: 1, learningRate: 0.01 },
  speech,
  probe: false,
  evaluation: { episodes: 0 },
  out: join(folder, out),
  ...changes,
});

afterEach(() => onFailpoint(null));

const checkpointsOf = (run: string) =>
  readdirSync(join(run, 'checkpoints'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'base64')]);

it('trains an adapter on texts alone by default, and resumes to the same bytes', async () => {
  const { folder: whole } = await train(small('whole'));
  expect(readConfig(whole)).toMatchObject({
    init: 'model',
    start: { projection: null },
    trained: { parts: 'lora', rank: 8 },
    speech: { observe: 'text' },
  });
  const { folder: checkpoint } = resolveCheckpoint(whole);
  expect(loadCheckpoint(checkpoint).projection.size).toBe(0);
  // names as PEFT has them for LlamaForCausalLM
  const { tensors } = openSafetensors(join(checkpoint, 'adapter_model.safetensors'));
  expect([...tensors.keys()][0]).toMatch(/^base_model\.model\.model\.layers\.0\./);
  for (const at of ['run-visible', 'updating'] as const) {
    onFailpoint((name) => {
      if (name === at) throw new Error('killed');
    });
    await expect(train(small(at))).rejects.toThrow('killed');
    onFailpoint(null);
    const killed = join(folder, at, readdirSync(join(folder, at))[0]!);
    await resume(killed);
    expect(checkpointsOf(killed)).toEqual(checkpointsOf(whole));
  }
});

it('learns preferences against its first phase, is merged, and is opened again', async () => {
  const { folder: bc } = await train(small('bc'));
  const { folder: dpo } = await train(small('dpo', { phase: 'dpo', start: { ref: bc } }));
  const adapterOf = (run: string) => readAdapter(resolveCheckpoint(run).folder).parameters;
  expect(readAdapter(join(dpo, 'reference')).parameters).toEqual(adapterOf(bc));
  expect(adapterOf(dpo)).not.toEqual(adapterOf(bc));
  const out = join(folder, 'merged');
  await mergeModel({ base: path, adapter: dpo, out });
  const [merged, adapted] = [await scores(out, out), await scores(dpo)];
  // the merged weights are rounded to float16
  merged.forEach((value, token) => expect(Math.abs(value - adapted[token]!)).toBeLessThan(0.02));
});

/** Log-probabilities of an answer under a policy. */
async function scores(policy: string, model = path): Promise<number[]> {
  const agent = await openAgent(policy, { model: { path: model }, speech });
  expect(agent.student.encode).toBeNull();
  const prompt = promptOf([], 'You are in a room.\n>');
  const [scored] = await agent.student.score([{ prompt, answers: [' go'] }]);
  const { act } = agent;
  const frame = { width: 3, height: 2, data: new Uint8Array(18) };
  // frames of the environment are left aside
  await act({ frames: [frame], admissible: null }, { initial: 'You are in a room.', turns: [] });
  await agent.dispose();
  return [...scored![0]!];
}

it.each([
  [{ trained: { parts: 'projection' } }, /^--train projection: .*llama is a LLaMA model, which reads text/],
  [{ trained: { parts: 'projection,lora' } }, /^--train projection,lora: .* give --train lora/],
  [{ init: 'random' }, /^--init random: .* has no projection; leave it out/],
  [{ start: { projection: 'mlp' } }, /^--projection mlp: .* has no projection; leave it out/],
  [{ speech: { ...speech, observe: 'image' } }, /^--observe image: .* give --observe text/],
] as const)('rejects a request that needs a vision encoder: %j', async (changes, message) => {
  await expect(train(small('refused', changes as Partial<GivenTrainConfig>))).rejects.toThrow(message);
  expect(readdirSync(folder)).not.toContain('refused');
});
