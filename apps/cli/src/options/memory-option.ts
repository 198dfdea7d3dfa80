/** `--max-memory`: the limit on the memory of a command, watched between the steps of its work and by a timer. */
import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { collectInThreads, limitOf, memoryLimit, type HeldMemory, type MemoryLimit } from '@emac/opening';
import { formed, type Option } from './option.ts';
import type { Form } from './form.ts';

const units: Readonly<Record<string, number>> = { mb: 1e6, gb: 1e9, mib: 2 ** 20, gib: 2 ** 30 };

/** A number of bytes with its unit. */
export const memorySize: Form<number> = {
  words: 'a size such as 800MB or 2.5GB',
  parse(text) {
    const [, number, unit] = /^(\d{1,9}(?:\.\d+)?) ?([MG]i?B)$/i.exec(text) ?? [];
    const bytes = Math.floor(Number(number) * (units[(unit ?? '').toLowerCase()] ?? NaN));
    return bytes > 0 ? bytes : undefined;
  },
};

export const memoryOption = {
  'max-memory': formed(memorySize, {
    help: 'most memory to hold, such as 2GB: caches keep within it, and work that goes over it ends with a checkpoint and 74',
    default: null,
    defaultText: 'none; a warning once the machine has 5 % left',
  }) satisfies Option<number | null>,
};

export interface MemoryValues {
  readonly 'max-memory': number | null;
}

/** often enough for a model that is loaded, and rare beside a step */
const everyMs = 250;

/** flags that make a command hold less, where it has them */
const lowering = ['batch-size', 'parallel-episodes', 'num-processes', 'context-memory', 'batch', 'cache'];

/**
 * The result of `done`, which ends as an interrupted one does once more is held. Errors: those of `done`; `usage` for a limit below what
 * the command holds already; `io` over the limit.
 */
export async function underMemory<T>(
  values: MemoryValues,
  warned: (line: string) => void,
  done: (memory: MemoryLimit | null) => Promise<T>,
): Promise<T> {
  const { 'max-memory': bytes } = values;
  const lower = lowering.filter((name) => name in values).map((name) => `--${name}`);
  const memory = bytes === null ? null : memoryLimit(bytes, { held: heldMemory, collect, pause, lower });
  const watch = memory ? () => memory.check() : shortage(warned);
  const timer = setInterval(watch, everyMs).unref();
  try {
    return await done(memory);
  } catch (thrown) {
    throw limitOf(memory, thrown);
  } finally {
    clearInterval(timer);
  }
}

function heldMemory(): HeldMemory {
  const { rss, heapTotal, external } = process.memoryUsage();
  return { total: anonymousMemory() ?? rss, heap: heapTotal, buffers: external };
}

/** Memory without the pages of mapped files, such as weights; null where the system does not tell it. */
function anonymousMemory(): number | null {
  if (process.platform !== 'linux') return null;
  const status = readFileSync('/proc/self/status', 'utf8');
  const [anonymous, shared] = ['RssAnon', 'RssShmem'].map(
    (name) => new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1],
  );
  return anonymous === undefined ? null : 1024 * (Number(anonymous) + Number(shared ?? 0));
}

/** Frees what nobody refers to. Node offers it to those who ask V8. */
function collect(): void {
  collectInThreads();
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}

/** Warns once. */
function shortage(warned: (line: string) => void): () => void {
  let isSaid = false;
  const constrained = process.constrainedMemory();
  const isContained = constrained > 0 && constrained < totalmem();
  const all = isContained ? constrained : totalmem();
  // in a container what is available leaves out files' pages, which the system takes back
  const left = (): number => (isContained ? all - heldMemory().total : process.availableMemory());
  return () => {
    if (isSaid || left() > all / 20) return;
    isSaid = true;
    warned(
      'less than 5 % of the memory is left: the system may kill this process; --max-memory ends a run with a checkpoint before',
    );
  };
}
