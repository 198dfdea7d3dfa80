import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { checks, findings } from './checks.ts';
import { thisMachine, type Machine } from './machine.ts';

const gib = 2 ** 30;
const good: Machine = {
  node: 'v20.20.2',
  processor: { model: 'Some CPU', threads: 2, flags: new Set(['avx2']) },
  memory: { available: 4 * gib, total: 8 * gib },
  disk: { folder: '/here', free: 10 * gib },
  hasProvider: (provider) => Promise.resolve(provider === 'cpu'),
  tensorflow: () => Promise.resolve('wasm: WebAssembly, one thread; gpu: absent'),
  model: () => Promise.resolve({ folder: '/model', identity: 'abcdef0123456789' }),
  modelFiles: () => [{ name: 'model.safetensors', bytes: 2048, sha256: 'ab'.repeat(32) }],
  vulkan: { loader: '/usr/lib/libvulkan.so.1', drivers: ['/etc/vulkan/icd.d/some.json'] },
  tensorflowGpu: { isInstalled: true, libraries: ['libcudart.so.11', 'libcudnn.so.8'] },
  isFreePort: () => Promise.resolve(true),
  cache: { folder: '/cache/emac', canWrite: true },
  key: () => undefined,
  runs: { folder: 'runs', canWrite: true },
};
const broken = (message: string) => () => Promise.reject(new Error(message));

/** For each check a machine with that fault. */
const faults: Readonly<Record<string, Partial<Machine>>> = {
  node: { node: 'v18.19.0' },
  memory: { memory: { available: gib / 2, total: gib } },
  disk: { disk: { folder: '/full', free: 1000 } },
  'ONNX Runtime': { hasProvider: () => Promise.resolve(false) },
  'TensorFlow.js': { tensorflow: broken('no backend') },
  model: { model: broken('model.safetensors: is damaged') },
  'model files': { modelFiles: () => [] },
  'expert key': {
    key: () => {
      throw new Error('others may read it');
    },
  },
  runs: { runs: { folder: 'runs', canWrite: false } },
};

/** For each check without a fault so far: a worse machine, and the expected text. */
const notes: Readonly<Record<string, readonly [Partial<Machine>, RegExp]>> = {
  processor: [{ processor: { ...good.processor, threads: 1 } }, /one thread/],
  Vulkan: [{ vulkan: { loader: null, drivers: [] } }, /libvulkan\.so\.1 was not found/],
  'tfjs-node-gpu': [
    { tensorflowGpu: { isInstalled: true, libraries: ['libcudart.so.12', 'libcudnn.so.9'] } },
    /needs CUDA 11\.2 and cuDNN 8\.1 \(libcudart\.so\.11, libcudnn\.so\.8\), but libcudart\.so\.12, libcudnn\.so\.9 are in/,
  ],
  cache: [{ cache: { folder: '/cache/emac', canWrite: false } }, /set XDG_CACHE_HOME/],
  'board port': [{ isFreePort: () => Promise.resolve(false) }, /6007 is taken/],
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

  it.each(Object.entries(notes))(
    'notes missing parts of %s that only some users need',
    async (name, [less, said]) => {
      const found = await checks[name]!({ ...good, ...less });
      expect([found.state, found.said]).toEqual(['note', expect.stringMatching(said)]);
      expect((await checks[name]!(good)).state).toBe('fine');
    },
  );

  it('has a faulty machine for every check', () => {
    expect(Object.keys(checks).filter((name) => !(name in faults) && !(name in notes))).toEqual([]);
  });

  it('finds unreadable model files, and a Vulkan library without a driver', async () => {
    const modelFiles = () => {
      throw new Error('cannot be read');
    };
    expect((await checks['model files']!({ ...good, modelFiles })).said).toBe('cannot be read');
    const vulkan = { loader: '/lib', drivers: [] };
    expect((await checks['Vulkan']!({ ...good, vulkan })).said).toMatch(/no driver was found/);
  });

  it('checks this machine', async () => {
    const found = await findings(thisMachine({ env: { OPENAI_API_KEY: 'sk-secret' } }));
    expect(found.map(({ name }) => name)).toEqual(Object.keys(checks));
    expect(JSON.stringify(found)).not.toContain('secret');
    const said = Object.fromEntries(found.map((each) => [each.name, each.said]));
    expect(said['model files']).toMatch(/model\.safetensors \d+ KiB [0-9a-f]{12}/);
    expect(said['ONNX Runtime']).toMatch(/^cpu/);
    expect(said['TensorFlow.js']).toMatch(/^\w+: /);
  });

  it('tries the port', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { isFreePort } = thisMachine({ env: {} });
    expect(await isFreePort(port)).toBe(false);
    await new Promise((resolve) => server.close(resolve));
    expect(await isFreePort(port)).toBe(true);
  });

  it('knows the supported versions of Node', async () => {
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

  it('never prints a key', async () => {
    const found = await findings({ ...good, key: () => 'sk-secret' });
    expect(JSON.stringify(found)).not.toContain('secret');
  });
});
