/** A model of another family, trained from code: from its own connector, with an adapter, killed and resumed. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openModelFiles } from '@emac/backbone';
import { openAgent, resume, train } from '@emac/experiment';
import { onFailpoint } from '@emac/files';
import { loadCheckpoint, readConfig, resolveCheckpoint } from '@emac/runs';
import type { GivenTrainConfig } from '@emac/settings';
import { afterEach, expect, it } from 'vitest';
import { exportModel } from './export-model.ts';
import { mergeModel } from './merge-model.ts';
import { temporaryFolder } from './temporary-folder.test.support.ts';

const folder = temporaryFolder();
const path = fileURLToPath(new URL('../../backbone/fixtures/families/qwen2_5_vl', import.meta.url));
const speech = { beams: 1, minLength: 1, maxLength: 12, maxPromptTokens: 300 } as const;
const small = (out: string, changes: Partial<GivenTrainConfig> = {}): GivenTrainConfig => ({
  phase: 'bc',
  policy: path,
  trained: { parts: 'projection,lora', rank: 2, dropout: 0.2 },
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

it("starts from its folder's connector, also if killed before the first checkpoint", async () => {
  const { folder: whole } = await train(small('whole'));
  const first = loadCheckpoint(join(whole, 'checkpoints', '00000000')).projection;
  const model = openModelFiles(path);
  for (const [name, { data }] of first) expect(data, name).toEqual(model.read(name).data);
  expect(readConfig(whole)).toMatchObject({ init: 'model', start: { projection: 'mlp' } });

  onFailpoint((name) => {
    if (name === 'run-visible') throw new Error('killed');
  });
  await expect(train(small('killed'))).rejects.toThrow('killed');
  onFailpoint(null);
  const killed = join(folder, 'killed', readdirSync(join(folder, 'killed'))[0]!);
  await resume(killed);
  expect(checkpointsOf(killed)).toEqual(checkpointsOf(whole));
});

it('trains preferences against its first phase, and can be opened again', async () => {
  const { folder: bc } = await train(small('bc'));
  const { folder: dpo } = await train(
    small('dpo', { phase: 'dpo', start: { ref: bc }, trained: { parts: 'lora' } }),
  );
  const [reference, trained] = [join(dpo, 'reference'), resolveCheckpoint(dpo).folder].map(loadCheckpoint);
  expect(reference!.beside).toEqual(loadCheckpoint(resolveCheckpoint(bc).folder).beside);
  expect(trained!.projection).toEqual(reference!.projection);
  expect(await scores(dpo)).not.toEqual(await scores(bc));
  const out = join(folder, 'merged');
  await mergeModel({ base: path, adapter: dpo, out });
  const [merged, adapted] = [await scores(out, out), await scores(dpo)];
  merged.forEach((value, token) => expect(value).toBeCloseTo(adapted[token]!, 4));
});

/** Log-probabilities of an answer under a policy. */
async function scores(policy: string, model = path): Promise<number[]> {
  const agent = await openAgent(policy, { model: { path: model }, speech });
  const frame = { width: 30, height: 20, data: new Uint8Array(3 * 600).fill(99) };
  const image = { kind: 'image', features: await agent.student.encode!(frame) } as const;
  const [scored] = await agent.student.score([
    { prompt: [image, { kind: 'text', text: 'You are in a room.\n>' }], answers: [' go'] },
  ]);
  await agent.dispose();
  return [...scored![0]!];
}

it.each([
  [
    { projection: 'linear', init: 'model' },
    /^--projection: model holds a projection that is mlp of width 128; give --init random/,
  ],
  [{ projection: 'mlp', hidden: 5, init: 'model' }, /^--projection: model holds .* width 128/],
] as const)("rejects another projection than the model's: %j", async (start, message) => {
  await expect(train(small('refused', { start }))).rejects.toThrow(message);
});

it('is exported with a correct model card', async () => {
  const { folder: run } = await train(small('projection', { trained: { parts: 'projection' } }));
  const out = join(folder, 'exported');
  await exportModel({ checkpoint: run, out, model: path });
  const card = readFileSync(join(out, 'README.md'), 'utf8');
  expect(card).toContain('tags: [emac, qwen2_5_vl, alfworld]');
  expect(card).toContain('# A Qwen2.5-VL model with a projection trained by EMAC');
  expect(card).toContain(
    'Only the two layers between vision encoder and language model (the projection) were trained',
  );
  expect(await scores(out, out)).toEqual(await scores(run));
});
