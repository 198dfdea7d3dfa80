import { readFileSync } from 'node:fs';
import { readModelConfig } from '@emac/backbone';
import { promptOf, type Features, type Parameter } from '@emac/core';
import { openSafetensors, readFloat32 } from '@emac/files';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imitationLoss, preferenceLossOf } from '@emac/losses';
import { sumOf } from './random-model.test.support.ts';
import { createProjection } from './projection/projection.ts';
import { projectionShapes, type ProjectionShape } from './projection/projection-shape.ts';
import { createStudent, type Student } from './student.ts';
import { loadTensorflow } from './projection/tensorflow.ts';

/** A BC step and a DPO step on the shipped model, computed by PyTorch; `tools/reference` describes how. */
const fixtures = new URL('../../backbone/fixtures/', import.meta.url);
const model = new URL('../../emma-tiny/model/', import.meta.url).pathname;
const file = (name: string) => openSafetensors(new URL(name, fixtures).pathname);
const json = (name: string): unknown => JSON.parse(readFileSync(new URL(name, fixtures), 'utf8'));

interface Numbers {
  readonly policy_chosen: readonly number[];
  readonly policy_rejected: readonly number[];
  readonly reference_chosen: readonly number[];
  readonly reference_rejected: readonly number[];
  readonly bc_losses: readonly number[];
  readonly dpo_losses: readonly number[];
}
interface Steps {
  readonly beta: number;
  readonly mix_ratio: number;
  readonly hidden_width: number;
  readonly linear: Numbers;
  readonly mlp: Numbers;
}

const steps = json('training-steps/steps.json') as Steps;
const scenes = json('emma-tiny/scenes.json') as { text: string; chosen: string; rejected: string }[];
const stacked = readFloat32(file('training-steps/features.safetensors'), 'features');
const size = stacked.length / scenes.length;
const features = scenes.map((_, scene): Features => {
  return { key: `scene ${scene}`, data: stacked.subarray(scene * size, (scene + 1) * size) };
});

describe.each(['linear', 'mlp'] as const)('a step of the %s projection, compared with PyTorch', (kind) => {
  const theirs = steps[kind];
  const tensors = file(`training-steps/${kind}.safetensors`);
  let student: Student;
  let reference: Student;
  beforeAll(async () => {
    const own = file('../../emma-tiny/model/model.safetensors');
    student = await open(kind, (name) => {
      return kind === 'linear' ? readFloat32(own, name) : readFloat32(tensors, `start.${name}`);
    });
    reference = await open(kind, (name) => readFloat32(tensors, `reference.${name}`));
  });
  afterAll(() => Promise.all([student.dispose(), reference.dispose()]));

  const prompt = (scene: number) => promptOf([features[scene]!], scenes[scene]!.text);
  const targets = (which: 'chosen' | 'rejected') =>
    scenes.map((scene, index) => ({ prompt: prompt(index), answers: [scene[which]] }));
  const pairs = () =>
    scenes.map(({ chosen, rejected }, index) => ({
      prompt: prompt(index),
      answers: [chosen, rejected],
      constants: {
        referenceChosen: theirs.reference_chosen[index]!,
        referenceRejected: theirs.reference_rejected[index]!,
      },
      weight: 1 / scenes.length,
    }));
  const expectGradients = (gradients: ReadonlyMap<string, Float32Array>, phase: 'bc' | 'dpo') => {
    expect(gradients.size).toBe(kind === 'linear' ? 2 : 4);
    for (const [name, gradient] of gradients)
      expect(relativeError(gradient, readFloat32(tensors, `${phase}.gradient.${name}`)), name).toBeLessThan(
        1e-4,
      );
  };

  it('starts from the same mean log-probabilities of policy and reference', async () => {
    for (const [judge, who] of [
      [student, 'policy'],
      [reference, 'reference'],
    ] as const)
      for (const which of ['chosen', 'rejected'] as const) {
        const found = await judge.score(targets(which));
        const means = found.map(([answer]) => sumOf(answer!) / answer!.length);
        expect(relativeError(means, theirs[`${who}_${which}`])).toBeLessThan(1e-4);
      }
  });

  it('has the loss and every gradient of behaviour cloning: the token mean of the batch', async () => {
    const tokens = scenes.reduce((sum, { chosen }) => sum + student.countAnswerTokens(chosen), 0);
    const rows = targets('chosen').map((row) => ({ ...row, weight: 1 / tokens }));
    const { loss, gradients } = await student.gradient(rows, imitationLoss);
    expect(relativeError([loss], theirs.bc_losses.slice(0, 1))).toBeLessThan(1e-4);
    expectGradients(gradients, 'bc');
  });

  it('has the loss, the log-probabilities and every gradient of DPO', async () => {
    const options = { beta: steps.beta, mixRatio: steps.mix_ratio };
    const found = await student.gradient(pairs(), preferenceLossOf(options));
    const { loss, gradients, logProbabilities } = found;
    const [chosen, rejected] = [0, 1].map((answer) => logProbabilities.map((row) => row[answer]!));
    expect(relativeError([loss], theirs.dpo_losses.slice(0, 1))).toBeLessThan(1e-4);
    expect(relativeError(chosen!, theirs.policy_chosen)).toBeLessThan(1e-4);
    expect(relativeError(rejected!, theirs.policy_rejected)).toBeLessThan(1e-4);
    expectGradients(gradients, 'dpo');
  });
});

/** A student with the parameters from `read`. */
async function open(kind: ProjectionShape['kind'], read: (name: string) => Float32Array): Promise<Student> {
  const { qformer, llama } = readModelConfig(model);
  const shape: ProjectionShape = {
    kind,
    inputWidth: qformer.hiddenSize,
    outputWidth: llama.hiddenSize,
    ...(kind === 'mlp' ? { hiddenWidth: steps.hidden_width } : {}),
  };
  const entries = [...projectionShapes(shape)].map(([name, shape]): [string, Parameter] => {
    return [name, { shape, data: read(name) }];
  });
  const { tf } = await loadTensorflow('wasm');
  const projection = createProjection(tf, { ...shape, parameters: new Map(entries) });
  const generation = { minLength: 1, maxLength: 128 };
  return createStudent({ model, projection, generation, threads: 1 });
}

/** max |a − b| / max |b| */
function relativeError(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  const magnitude = Math.max(...Array.from(b, Math.abs));
  return Math.max(...Array.from(b, (value, index) => Math.abs(a[index]! - value))) / magnitude;
}
