/** The comparison folders on WebGPU, if there is a driver. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  cpuNodes,
  createSession,
  Graph,
  nodesOnCpu,
  op,
  providerIsAvailable,
  type Session,
} from '@emac/graph';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { comparisonStages, compareFolder } from './compare/compare.ts';

const fixtures = new URL('../fixtures/comparison/', import.meta.url).pathname;
const data = process.env['EMAC_TEST_DATA'];
const folders = [
  ...readdirSync(fixtures).map((name) => join(fixtures, name)),
  ...(data ? [join(data, 'backbone', 'example')] : []),
];

/** The texts generated here for a folder: each setting in one folder or another. */
function share(folder: string, place: number): string[] {
  const fixture = JSON.parse(readFileSync(join(folder, 'fixture.json'), 'utf8')) as {
    generation: { key: string }[];
  };
  const keys = fixture.generation.map(({ key }) => key);
  return keys.filter((_, index) => index % folders.length === place);
}

describe.skipIf(!(await providerIsAvailable('webgpu')))(
  'on WebGPU (needs a Vulkan driver; SwiftShader through VK_DRIVER_FILES)',
  () => {
    const profiles = mkdtempSync(join(tmpdir(), 'emac-webgpu-'));
    // while a session is open, ONNX Runtime keeps its translated shaders
    let open: Session;
    beforeAll(async () => {
      const graph = new Graph();
      graph.output('y', op.negate(graph.input('x', 'float32', [1])));
      open = await createSession(graph, { provider: 'webgpu' });
    });
    afterAll(async () => {
      await open.dispose();
      rmSync(profiles, { recursive: true });
    });

    it.each(folders.map((folder, place) => [folder.split('/').at(-1), folder, place] as const))(
      '%s: every stage, the gradients and the tokens agree',
      async (name, folder, place) => {
        const asked = share(folder, place);
        const { stages, generated } = await compareFolder(folder, {
          provider: 'webgpu',
          generations: (key) => asked.includes(key),
          profile: join(profiles, `${name}-`),
        });
        for (const stage of comparisonStages)
          expect(stages[stage], stage).toBeLessThan(stage.startsWith('grad_') ? 1e-3 : 1e-4);
        expect(asked.length).toBeGreaterThan(0);
        expect(generated).toEqual(Object.fromEntries(asked.map((key) => [key, true])));
      },
    );

    it('runs on the CPU only listed nodes, with reasons, and no matrix product', () => {
      const texts = readdirSync(profiles).map((file) => readFileSync(join(profiles, file), 'utf8'));
      const moved = texts.flatMap(nodesOnCpu);
      const listed = cpuNodes.flatMap(({ operators, elements, reason }) => {
        expect(reason).not.toBe('');
        return operators.map((operator) => ({ operator, elements }));
      });
      expect(listed).toEqual(expect.arrayContaining(moved));
      for (const { operator } of moved) expect(operator).not.toMatch(/MatMul|Gemm|Conv|Softmax|Norm/);
    });
  },
);
