/** The shipped model on WebGPU, compared with the CPU, if there is a driver. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promptOf, type Frame, type Parameter } from '@emac/core';
import { openSafetensors, readFloat32 } from '@emac/files';
import { cpuNodes, nodesOnCpu, providerIsAvailable, type Provider } from '@emac/graph';
import { imitationLoss, preferenceLossOf } from '@emac/losses';
import { afterAll, describe, expect, it } from 'vitest';
import { createProjection } from './projection/projection.ts';
import { projectionShapes } from './projection/projection-shape.ts';
import { openQuestion, sumOf } from './random-model.test.support.ts';
import { createStudent, type Student } from './student.ts';
import { loadTensorflow } from './projection/tensorflow.ts';

const fixtures = new URL('../../backbone/fixtures/', import.meta.url);
const model = new URL('../../emma-tiny/model/', import.meta.url).pathname;
const scenes = JSON.parse(readFileSync(new URL('emma-tiny/scenes.json', fixtures), 'utf8')) as {
  text: string;
  chosen: string;
  rejected: string;
}[];
const folder = mkdtempSync(join(tmpdir(), 'emac-webgpu-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function open(provider: Provider): Promise<Student> {
  const weights = openSafetensors(join(model, 'model.safetensors'));
  const { tf } = await loadTensorflow('cpu');
  const shape = { kind: 'linear', inputWidth: 96, outputWidth: 128 } as const;
  const parameters = [...projectionShapes(shape)].map(([name, shape]): [string, Parameter] => {
    return [name, { shape, data: readFloat32(weights, name) }];
  });
  const projection = createProjection(tf, { ...shape, parameters: new Map(parameters) });
  const generation = { minLength: 1, maxLength: 4 };
  return createStudent({ model, projection, generation, provider, profile: join(folder, provider) });
}

/** A picture with colours in it. */
function frame(): Frame {
  const data = Uint8Array.from({ length: 3 * 64 * 64 }, (_, i) => (i * 7 + Math.floor(i / 192) * 5) % 256);
  return { width: 64, height: 64, data };
}

/** max |ours − theirs| / max |theirs|. */
function off(ours: Iterable<number>, theirs: Iterable<number>): number {
  const [a, b] = [[...ours], [...theirs]];
  expect(a.length).toBe(b.length);
  return Math.max(...a.map((value, i) => Math.abs(value - b[i]!))) / Math.max(...b.map(Math.abs));
}

/** Everything a student computes, from one frame and two scenes. */
async function everything(student: Student) {
  const features = await student.encode!(frame());
  const [{ text, chosen, rejected }, other] = scenes as [(typeof scenes)[0], (typeof scenes)[0]];
  const row = { prompt: promptOf([features], text), answers: [chosen], weight: 0.5 };
  const imitation = await student.gradient(
    [row, { ...row, prompt: promptOf([features], other.text), answers: [other.chosen] }],
    imitationLoss,
  );
  const constants = { referenceChosen: -2, referenceRejected: -1 };
  const preference = await student.gradient(
    [{ prompt: row.prompt, answers: [chosen, rejected], constants, weight: 1 }],
    preferenceLossOf({ beta: 0.1, mixRatio: 0.5 }),
  );
  const [scored] = await student.score([row]);
  const [answer] = await student.decide([openQuestion(row.prompt)], { kind: 'search', beams: 2 });
  return { features, imitation, preference, logProbability: sumOf(scored![0]!), action: answer!.text };
}

describe.skipIf(!(await providerIsAvailable('webgpu')))(
  'a student on WebGPU (needs a Vulkan driver; SwiftShader through VK_DRIVER_FILES)',
  () => {
    it('encodes, reads, trains and answers as on the CPU; only listed nodes run on the CPU', async () => {
      const [there, here] = [await open('webgpu'), await open('cpu')];
      const [ours, theirs] = [await everything(there), await everything(here)];
      await Promise.all([there.dispose(), here.dispose()]);
      expect(off(ours.features.data, theirs.features.data)).toBeLessThan(1e-3);
      expect(off([ours.logProbability], [theirs.logProbability])).toBeLessThan(1e-4);
      for (const step of ['imitation', 'preference'] as const) {
        expect(off([ours[step].loss], [theirs[step].loss]), step).toBeLessThan(1e-4);
        for (const [name, gradient] of theirs[step].gradients)
          expect(off(ours[step].gradients.get(name)!, gradient), `${step} ${name}`).toBeLessThan(1e-3);
      }
      expect(ours.action).toEqual(theirs.action);
      const profiles = readdirSync(folder).filter((name) => name.startsWith('webgpu'));
      // vision encoder, log-probabilities, both losses, prefill and decode
      const texts = profiles.map((name) => readFileSync(join(folder, name), 'utf8'));
      expect(texts.filter((text) => text.includes('model_run'))).toHaveLength(6);
      const listed = cpuNodes.flatMap(({ operators, elements }) =>
        operators.map((operator) => ({ operator, elements })),
      );
      const moved = texts.flatMap(nodesOnCpu);
      expect(listed).toEqual(expect.arrayContaining(moved));
      expect(moved.map(({ operator }) => operator)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/MatMul|Gemm|Conv|Softmax/)]),
      );
    });
  },
);
