/** Three optimizer steps of both phases on the shipped model, through all the parts that train, beside PyTorch's. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { imitation, judgedBy, preference } from '@emac/algorithms';
import { parametersOf, promptOf, type Features, type Parameter } from '@emac/core';
import { modelFolder } from '@emac/emma-tiny';
import { openSafetensors, readFloat32 } from '@emac/files';
import {
  createProjection,
  createStudent,
  loadTensorflow,
  projectionShapes,
  type ProjectionShape,
  type Student,
} from '@emac/model';
import { createAdamW, type UpdateGradient } from '@emac/optim';
import { describe, expect, it } from 'vitest';
import { emac } from '../captured-io.test.fixture.ts';

const fixtures = new URL('../../../../packages/backbone/fixtures/', import.meta.url);
const file = (name: string) => openSafetensors(new URL(name, fixtures).pathname);
const json = (name: string): unknown => JSON.parse(readFileSync(new URL(name, fixtures), 'utf8'));

interface Steps {
  readonly steps: number;
  readonly beta: number;
  readonly mix_ratio: number;
  readonly learning_rate: number;
  readonly betas: readonly [number, number];
  readonly epsilon: number;
  readonly weight_decay: number;
  readonly hidden_width: number;
  readonly linear: Losses;
  readonly mlp: Losses;
}
interface Losses {
  readonly bc_losses: readonly number[];
  readonly dpo_losses: readonly number[];
}

const settings = json('training-steps/steps.json') as Steps;
const scenes = json('emma-tiny/scenes.json') as { text: string; chosen: string; rejected: string }[];
const stacked = readFloat32(file('training-steps/features.safetensors'), 'features');
const size = stacked.length / scenes.length;
const rows = scenes.map(({ text, chosen, rejected }, index) => {
  const features: Features = { key: `${index}`, data: stacked.subarray(index * size, (index + 1) * size) };
  return { prompt: promptOf([features], text), chosen, rejected };
});

describe.each(['linear', 'mlp'] as const)('three AdamW steps of the %s projection', (kind) => {
  const tensors = file(`training-steps/${kind}.safetensors`);
  const own = openSafetensors(join(modelFolder, 'model.safetensors'));
  const start = (name: string) =>
    kind === 'linear' ? readFloat32(own, name) : readFloat32(tensors, `start.${name}`);
  const reference = (name: string) => readFloat32(tensors, `reference.${name}`);

  it('of behaviour cloning give PyTorch’s parameters', async () => {
    await using opened = await open(kind, start);
    const { student } = opened;
    const method = imitation(student);
    const samples = rows.map(({ prompt, chosen }) => ({ prompt, answer: chosen }));
    const losses = await train(student, () => method.gradient([samples], 1));
    expectClose(losses, settings[kind].bc_losses);
    expectSamePlace(student, { start, after: (name) => readFloat32(tensors, `bc.after.${name}`) });
  });

  it('of DPO give PyTorch’s parameters, with the reference scored by our own engine', async () => {
    await using opened = await open(kind, start);
    const { student } = opened;
    const frozen = student.under(parametersNamed(kind, reference));
    const options = { beta: settings.beta, mixRatio: settings.mix_ratio };
    const pairs = await judgedBy(frozen, rows, { ...options, batchSize: rows.length });
    frozen.dispose();
    const method = preference(student, options);
    const losses = await train(student, () => method.gradient([pairs], 1));
    expectClose(losses, settings[kind].dpo_losses);
    expectSamePlace(student, { start, after: (name) => readFloat32(tensors, `dpo.after.${name}`) });
  });
});

describe('emac model check --compare', () => {
  it('finds a fixture of transformers within tolerance', async () => {
    const folder = new URL('comparison/grouped-keys', fixtures).pathname;
    const { status, stdout } = await emac(['backbone', 'compare', folder, '--json']);
    const printed = JSON.parse(stdout) as {
      stages: Record<string, number>;
      generated: Record<string, boolean>;
      provider: string;
    };
    expect(status).toBe(0);
    expect(printed.provider).toBe('cpu');
    expect(Object.keys(printed.stages)).toHaveLength(8);
    expect(Math.max(...Object.values(printed.stages))).toBeLessThan(1e-4);
    expect(Object.values(printed.generated)).toEqual(Array<boolean>(36).fill(true));
  });
});

type Gradient = () => Promise<UpdateGradient>;

/** The losses before each step. */
async function train(student: Student, gradient: Gradient): Promise<number[]> {
  const { betas, epsilon, weight_decay: weightDecay } = settings;
  const optimizer = createAdamW(student.groups, { betas, epsilon, weightDecay });
  const losses: number[] = [];
  for (let step = 0; step < settings.steps; step++) {
    const { measures, gradients } = await gradient();
    losses.push(measures['loss']!);
    optimizer.step(gradients, settings.learning_rate);
    student.commit();
  }
  return losses;
}

type Read = (name: string) => Float32Array;

function shapeOf(kind: ProjectionShape['kind']): ProjectionShape {
  const widths = { inputWidth: 96, outputWidth: 128 };
  return kind === 'mlp' ? { kind, ...widths, hiddenWidth: settings.hidden_width } : { kind, ...widths };
}

function parametersNamed(kind: ProjectionShape['kind'], read: Read): Map<string, Parameter> {
  const shapes = [...projectionShapes(shapeOf(kind))];
  return new Map(shapes.map(([name, shape]) => [name, { shape, data: read(name) }]));
}

/** A student with the parameters that `read` gives, disposed at the end of its scope. */
async function open(kind: ProjectionShape['kind'], read: Read) {
  const { tf } = await loadTensorflow('wasm');
  const parameters = parametersNamed(kind, read);
  const student = await createStudent({
    model: modelFolder,
    projection: createProjection(tf, { ...shapeOf(kind), parameters }),
    generation: { minLength: 1, maxLength: 128 },
    threads: 1,
  });
  return { student, [Symbol.asyncDispose]: () => student.dispose() };
}

function expectClose(ours: readonly number[], theirs: readonly number[]): void {
  expect(ours).toHaveLength(theirs.length);
  ours.forEach((loss, step) => expect(Math.abs(loss / theirs[step]! - 1)).toBeLessThan(1e-4));
}

/** ‖ours − theirs‖ / ‖theirs − start‖ of all parameters together. */
function expectSamePlace(student: Student, { start, after }: { start: Read; after: Read }): void {
  let [difference, way] = [0, 0];
  for (const [name, { data }] of parametersOf(student)) {
    const [before, theirs] = [start(name), after(name)];
    theirs.forEach((value, place) => {
      difference += (data[place]! - value) ** 2;
      way += (value - before[place]!) ** 2;
    });
  }
  expect(way).toBeGreaterThan(0);
  expect(Math.sqrt(difference / way)).toBeLessThan(1e-3);
}
