import { describe, expect, it } from 'vitest';
import { checks, findings } from './checks.ts';
import type { Machine } from './machine.ts';

const gib = 2 ** 30;
const good: Machine = {
  node: 'v20.20.2',
  processor: { model: 'Some CPU', threads: 2, flags: new Set(['avx2']) },
  memory: { available: 4 * gib, total: 8 * gib },
  disk: { folder: '/here', free: 10 * gib },
  hasProvider: (provider) => Promise.resolve(provider === 'cpu'),
  tensorflow: () => Promise.resolve('wasm: WebAssembly, one thread; gpu: absent'),
  model: () => Promise.resolve({ folder: '/model', identity: 'abcdef0123456789' }),
  key: () => undefined,
  runs: { folder: 'runs', canWrite: true },
};
const broken = (message: string) => () => Promise.reject(new Error(message));

/** For each check a machine that it finds at fault. */
const faults: Readonly<Record<string, Partial<Machine>>> = {
  node: { node: 'v18.19.0' },
  memory: { memory: { available: gib / 2, total: gib } },
  disk: { disk: { folder: '/full', free: 1000 } },
  'ONNX Runtime': { hasProvider: () => Promise.resolve(false) },
  'TensorFlow.js': { tensorflow: broken('no backend') },
  model: { model: broken('model.safetensors: is damaged') },
  'expert key': {
    key: () => {
      throw new Error('others may read it');
    },
  },
  runs: { runs: { folder: 'runs', canWrite: false } },
};

describe('the doctor', () => {
  it('finds nothing wrong with a good machine', async () => {
    expect((await findings(good)).filter(({ state }) => state === 'fault')).toEqual([]);
  });

  it.each(Object.entries(faults))('finds a fault of %s alone', async (name, wrong) => {
    const found = (await findings({ ...good, ...wrong })).filter(({ state }) => state === 'fault');
    expect(found.map((each) => each.name)).toEqual([name]);
    expect(found[0]!.said).not.toBe('');
  });

  it('has such a machine for every check, but for one that only slows', async () => {
    expect(Object.keys(checks).filter((name) => !(name in faults))).toEqual(['processor']);
    const { state } = await checks['processor']!({ ...good, processor: { ...good.processor, threads: 1 } });
    expect(state).toBe('note');
  });

  it('knows the lines of Node that are supported', async () => {
    const states = {
      'v20.19.0': 'fine',
      'v20.18.9': 'fault',
      'v22.12.0': 'fine',
      'v22.11.0': 'fault',
      'v23.1.0': 'fault',
      'v24.0.0': 'fine',
    };
    for (const [node, state] of Object.entries(states))
      expect((await checks['node']!({ ...good, node })).state).toBe(state);
  });

  it('never says a key', async () => {
    const found = await findings({ ...good, key: () => 'sk-secret' });
    expect(JSON.stringify(found)).not.toContain('secret');
  });
});
