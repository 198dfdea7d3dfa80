/** The checks of `emac doctor`, each a function of the machine, so that a test can make each fail. */
import { messageOf } from '@emac/core';
import type { Machine } from './machine.ts';

export interface Finding {
  readonly name: string;
  /** `fault`: the README's examples will not work here; `note`: good to know, nothing is missing */
  readonly state: 'fine' | 'note' | 'fault';
  readonly said: string;
}

type Check = (machine: Machine) => Promise<Finding> | Finding;

/** default port of `emac board` */
const boardPort = 6007;
const gib = 2 ** 30;
const inGib = (bytes: number) => `${(bytes / gib).toFixed(1)} GiB`;

export const checks: Readonly<Record<string, Check>> = {
  node: ({ node }) => {
    const [major = 0, minor = 0] = node.slice(1).split('.').map(Number);
    const isFit = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major === 24;
    return finding(
      'node',
      isFit,
      isFit ? node : `${node}: needs 20.19, 22.12 or 24, or newer ones of these lines`,
    );
  },
  processor: ({ processor: { model, threads, flags } }) => {
    const vectors = ['avx512f', 'avx2'].find((flag) => flags.has(flag));
    const said = `${model}, ${threads} threads${vectors ? `, ${vectors}` : ''}`;
    return {
      name: 'processor',
      state: threads > 1 ? 'fine' : 'note',
      said: threads > 1 ? said : `${said}: with one thread all takes about twice as long`,
    };
  },
  memory: ({ memory: { available, total } }) => {
    const isEnough = available >= gib;
    const said = `${inGib(available)} of ${inGib(total)} available`;
    return finding('memory', isEnough, isEnough ? said : `${said}: the shipped model needs about 1 GiB`);
  },
  disk: ({ disk: { folder, free } }) => {
    const isEnough = free >= gib / 4;
    const said = `${inGib(free)} free in ${folder}`;
    return finding('disk', isEnough, isEnough ? said : `${said}: a run needs about 0.25 GiB`);
  },
  'ONNX Runtime': async ({ hasProvider }) => {
    const [cpu, webgpu, cuda] = await Promise.all(
      ['cpu', 'webgpu', 'cuda'].map((name) => hasProvider(name as 'cpu')),
    );
    const others = [webgpu && 'webgpu', cuda && 'cuda'].filter((name) => name !== false);
    const said = cpu ? ['cpu', ...others].join(', ') : 'its CPU provider does not load: npm ci again';
    return finding('ONNX Runtime', cpu!, said);
  },
  'TensorFlow.js': async ({ tensorflow }) => {
    try {
      const [inUse, ...absent] = (await tensorflow()).split('; ');
      return {
        name: 'TensorFlow.js',
        state: 'fine',
        said: absent.length === 0 ? inUse! : `${inUse} (gpu and node are not available, which is usual)`,
      };
    } catch (thrown) {
      return { name: 'TensorFlow.js', state: 'fault', said: messageOf(thrown) };
    }
  },
  'tfjs-node-gpu': ({ tensorflowGpu: { isInstalled, libraries } }) => {
    const name = 'tfjs-node-gpu';
    if (!isInstalled)
      return { name, state: 'fine', said: 'not installed, which only --tf-backend gpu needs' };
    // its last release, 4.22.0, links libtensorflow 2.9.1
    const lacking = ['libcudart.so.11', 'libcudnn.so.8'].filter((each) => !libraries.includes(each));
    if (lacking.length === 0) return { name, state: 'fine', said: `installed, with ${libraries.join(', ')}` };
    const here = libraries.length === 0 ? 'neither CUDA nor cuDNN is' : `${libraries.join(', ')} are`;
    return {
      name,
      state: 'note',
      said: `needs CUDA 11.2 and cuDNN 8.1 (${lacking.join(', ')}), but ${here} in the loader's folders, so it does not use the GPU`,
    };
  },
  model: async ({ model }) => {
    try {
      const { folder, identity } = await model();
      return { name: 'model', state: 'fine', said: `emma-tiny, ${identity.slice(0, 12)}, in ${folder}` };
    } catch (thrown) {
      return { name: 'model', state: 'fault', said: messageOf(thrown) };
    }
  },
  'model files': ({ modelFiles }) => {
    const name = 'model files';
    try {
      const said = modelFiles().map(
        ({ name, bytes, sha256 }) => `${name} ${(bytes / 1024).toFixed(0)} KiB ${sha256.slice(0, 12)}`,
      );
      const isThere = said.some((each) => each.startsWith('model.safetensors'));
      return finding(name, isThere, isThere ? said.join(', ') : 'model.safetensors is missing: npm ci again');
    } catch (thrown) {
      return { name, state: 'fault', said: messageOf(thrown) };
    }
  },
  Vulkan: ({ vulkan: { loader, drivers } }) => {
    const isWhole = loader !== null && drivers.length > 0;
    const lacking = loader === null ? 'libvulkan.so.1 was not found' : 'no driver was found';
    return {
      name: 'Vulkan',
      state: isWhole ? 'fine' : 'note',
      said: isWhole ? `${loader}, ${drivers.join(', ')}` : `${lacking}, which only --provider webgpu needs`,
    };
  },
  'expert key': ({ key }) => {
    const name = 'expert key';
    try {
      return {
        name,
        state: 'note',
        said: key() ? 'found; only --expert openai uses it' : 'none, which only --expert openai needs',
      };
    } catch (thrown) {
      return { name, state: 'fault', said: messageOf(thrown) };
    }
  },
  cache: ({ cache: { folder, canWrite } }) => ({
    name: 'cache',
    state: canWrite ? 'fine' : 'note',
    said: canWrite
      ? `${folder} is writable`
      : `${folder} is not writable, which only --weights int8 needs: set XDG_CACHE_HOME`,
  }),
  'board port': async ({ isFreePort }) => {
    const isFree = await isFreePort(boardPort);
    return {
      name: 'board port',
      state: isFree ? 'fine' : 'note',
      said: isFree ? `${boardPort} is free` : `${boardPort} is taken: give emac board --port with another`,
    };
  },
  runs: ({ runs: { folder, canWrite } }) =>
    finding(
      'runs',
      canWrite,
      canWrite ? `${folder} is writable` : `${folder} is not writable: give --out with another folder`,
    ),
};

/** All checks, in order. */
export async function findings(machine: Machine): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const check of Object.values(checks)) found.push(await check(machine));
  return found;
}

function finding(name: string, isFine: boolean, said: string): Finding {
  return { name, state: isFine ? 'fine' : 'fault', said };
}
