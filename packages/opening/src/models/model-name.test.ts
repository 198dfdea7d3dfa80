import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { modelPath } from './model.ts';

it('answers the name of a model on a hub with the command that fetches it', () => {
  expect(() => modelPath('HuggingFaceTB/SmolLM2-135M-Instruct')).toThrow(
    /does not exist; for a name on the Hugging Face hub, fetch it with emac model fetch HuggingFaceTB\/SmolLM2-135M-Instruct; otherwise give emma-tiny/,
  );
});

it('answers a mistyped path with a model folder beside it', () => {
  const models = mkdtempSync(join(tmpdir(), 'emac-models-'));
  onTestFinished(() => rmSync(models, { recursive: true }));
  mkdirSync(join(models, 'SmolLM2-135M'));
  writeFileSync(join(models, 'SmolLM2-135M', 'config.json'), '{}');
  expect(() => modelPath(join(models, 'SmolLM-135M'))).toThrow(/did you mean SmolLM2-135M\? Otherwise give/);
  expect(() => modelPath('emma-tinny')).toThrow(/did you mean emma-tiny\?/);
  expect(() => modelPath(join(models, 'something'))).toThrow(/does not exist; give emma-tiny, rl-tiny/);
});

it('says which method trains a small network', () => {
  expect(() => modelPath('mlp')).toThrow(
    /model mlp: mlp does not exist; a small network .* is a policy of emac train, not a model; otherwise give emma-tiny/,
  );
});
