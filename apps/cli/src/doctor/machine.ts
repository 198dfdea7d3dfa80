/** What there is to know of this machine. */
import { accessSync, constants, readFileSync, statfsSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { modelIdentity, openModelFiles } from '@emac/backbone';
import { modelFolder } from '@emac/emma-tiny';
import { expertKey } from '@emac/experiment';
import { isThere } from '@emac/files';
import { providerIsAvailable, type Provider } from '@emac/graph';
import { loadTensorflow } from '@emac/model';
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
  /** of the folder one is in, in bytes */
  readonly disk: { readonly folder: string; readonly free: number };
  readonly hasProvider: (provider: Provider) => Promise<boolean>;
  /** what is in use, and why better ones are not */
  readonly tensorflow: () => Promise<string>;
  readonly model: () => Promise<{ readonly folder: string; readonly identity: string }>;
  /** undefined where there is none */
  readonly key: () => string | undefined;
  readonly runs: { readonly folder: string; readonly canWrite: boolean };
}

export function thisMachine({ env }: Pick<Io, 'env'>): Machine {
  const folder = process.cwd();
  const { bavail, bsize } = statfsSync(folder);
  return {
    node: process.version,
    processor: {
      model: cpus()[0]?.model.trim() ?? 'unknown',
      threads: availableParallelism(),
      flags: processorFlags(),
    },
    memory: { available: process.availableMemory(), total: totalmem() },
    disk: { folder, free: bavail * bsize },
    hasProvider: providerIsAvailable,
    tensorflow: async () => (await loadTensorflow('auto')).note,
    model: async () => ({ folder: modelFolder, identity: await modelIdentity(openModelFiles(modelFolder)) }),
    key: () => expertKey(env),
    runs: { folder: 'runs', canWrite: canWrite(join(folder, 'runs')) },
  };
}

/** Linux tells; elsewhere there are none. */
function processorFlags(): ReadonlySet<string> {
  const path = '/proc/cpuinfo';
  const line = isThere(path) ? /^flags\s*:\s*(.*)$/m.exec(readFileSync(path, 'utf8')) : null;
  return new Set(line?.[1]?.split(' '));
}

/** It, or the nearest folder above it that is there. */
function canWrite(folder: string): boolean {
  if (!isThere(folder)) return canWrite(dirname(folder));
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
