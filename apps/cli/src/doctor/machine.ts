/** Facts about this machine for the checks. */
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { modelIdentity, openModelFiles } from '@emac/backbone';
import { modelFolder } from '@emac/emma-tiny';
import { freeSpace, isFile, isThere, sha256 } from '@emac/files';
import { providerIsAvailable, type Provider } from '@emac/graph';
import { loadTensorflow } from '@emac/model';
import { cacheFolder, expertKey } from '@emac/opening';
import type { Io } from '../terminal/io.ts';

export interface Machine {
  /** as `process.version` */
  readonly node: string;
  readonly processor: {
    readonly model: string;
    readonly threads: number;
    readonly flags: ReadonlySet<string>;
  };
  /** bytes */
  readonly memory: { readonly available: number; readonly total: number };
  /** free bytes in the working directory's file system */
  readonly disk: { readonly folder: string; readonly free: number };
  readonly hasProvider: (provider: Provider) => Promise<boolean>;
  /** the backend in use, and why faster ones are not */
  readonly tensorflow: () => Promise<string>;
  readonly model: () => Promise<{ readonly folder: string; readonly identity: string }>;
  /** files of the shipped model, below its folder */
  readonly modelFiles: () => readonly ModelFile[];
  /** the Vulkan loader, and the descriptions of drivers; null or empty if absent */
  readonly vulkan: { readonly loader: string | null; readonly drivers: readonly string[] };
  /** whether @tensorflow/tfjs-node-gpu is installed, and the names of CUDA's and cuDNN's libraries that the loader finds */
  readonly tensorflowGpu: { readonly isInstalled: boolean; readonly libraries: readonly string[] };
  /** whether a server on this machine could listen on the port */
  readonly isFreePort: (port: number) => Promise<boolean>;
  /** the cache of copied models */
  readonly cache: { readonly folder: string; readonly canWrite: boolean };
  /** undefined if absent */
  readonly key: () => string | undefined;
  readonly runs: { readonly folder: string; readonly canWrite: boolean };
}

export interface ModelFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export function thisMachine({ env }: Pick<Io, 'env'>): Machine {
  const folder = process.cwd();
  return {
    node: process.version,
    processor: {
      model: cpus()[0]?.model.trim() ?? 'unknown',
      threads: availableParallelism(),
      flags: processorFlags(),
    },
    memory: { available: process.availableMemory(), total: totalmem() },
    disk: { folder, free: freeSpace(folder) },
    hasProvider: providerIsAvailable,
    tensorflow: async () => (await loadTensorflow('auto')).note,
    model: async () => ({ folder: modelFolder, identity: await modelIdentity(openModelFiles(modelFolder)) }),
    modelFiles: () => filesIn(modelFolder),
    vulkan: { loader: vulkanLoader(), drivers: vulkanDrivers(env) },
    tensorflowGpu: { isInstalled: isInstalled('@tensorflow/tfjs-node-gpu'), libraries: cudaLibraries(env) },
    isFreePort,
    cache: { folder: cacheFolder(env), canWrite: canWrite(cacheFolder(env)) },
    key: () => expertKey(env),
    runs: { folder: 'runs', canWrite: canWrite(join(folder, 'runs')) },
  };
}

function filesIn(folder: string): ModelFile[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => isFile(join(folder, name)))
    .sort()
    .map((name) => {
      const bytes = readFileSync(join(folder, name));
      return { name, bytes: bytes.byteLength, sha256: sha256(bytes) };
    });
}

/** folders used by Linux distributions */
const libraryFolders = [
  '/usr/lib/x86_64-linux-gnu',
  '/usr/lib/aarch64-linux-gnu',
  '/usr/lib64',
  '/usr/lib',
  '/usr/local/lib',
];

function vulkanLoader(): string | null {
  return libraryFolders.map((each) => join(each, 'libvulkan.so.1')).find(existsSync) ?? null;
}

/** Files that describe drivers: the list in VK_DRIVER_FILES, else the installed ones. */
function vulkanDrivers(env: Io['env']): string[] {
  const named = env['VK_DRIVER_FILES'] ?? env['VK_ICD_FILENAMES'];
  if (named) return named.split(':').filter(existsSync);
  return ['/etc/vulkan/icd.d', '/usr/share/vulkan/icd.d'].flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [],
  );
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}

/** Names such as libcudart.so.12 in the loader's folders. */
function cudaLibraries(env: Io['env']): string[] {
  const own = (env['LD_LIBRARY_PATH'] ?? '').split(':').filter((each) => each !== '');
  const folders = [...own, ...libraryFolders, '/usr/local/cuda/lib64'].filter(existsSync);
  const names = folders.flatMap((folder) => readdirSync(folder));
  const found = names.flatMap((name) => /^lib(?:cudart|cudnn)\.so\.\d+/.exec(name)?.[0] ?? []);
  return [...new Set(found)].sort();
}

function isFreePort(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Only Linux reports it; elsewhere the list is empty. */
function processorFlags(): ReadonlySet<string> {
  const path = '/proc/cpuinfo';
  const line = isThere(path) ? /^flags\s*:\s*(.*)$/m.exec(readFileSync(path, 'utf8')) : null;
  return new Set(line?.[1]?.split(' '));
}

/** The path, or the nearest existing folder above it. */
function canWrite(folder: string): boolean {
  if (!isThere(folder)) return canWrite(dirname(folder));
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
