/**
 * A limit on the memory of a process (`--max-memory`). Caches keep within a share of it, known sizes are checked before they are
 * allocated, and work that goes over it ends as an interruption does: after its step, with a checkpoint.
 */
import { EmacError } from '@emac/core';

/** Bytes of this process, by their holder. */
export interface HeldMemory {
  /** all that the system cannot take back */
  readonly total: number;
  /** JavaScript objects of the main thread */
  readonly heap: number;
  /** buffers of these objects */
  readonly buffers: number;
}

export interface MemoryLimit {
  readonly bytes: number;
  /** fires once more is held */
  readonly signal: AbortSignal;
  /** why it fired; null before */
  readonly fault: EmacError | null;
  /** to be called between steps */
  check(): void;
  /** Errors: `usage` if so much more cannot be held; `lower` names flags that make it less. */
  require(need: { readonly what: string; readonly bytes: number; readonly lower: string }): void;
}

export interface MemoryReading {
  readonly held: () => HeldMemory;
  /** frees what nobody refers to; the system has its pages back some pauses later */
  readonly collect: () => void;
  /** blocks this thread for a moment, so that nothing new is held meanwhile */
  readonly pause: () => void;
  /** flags of the command that make it hold less */
  readonly lower: readonly string[];
}

/** Freed pages are back after 50 to 70 ms on an idle machine, pauses of 20 ms; threads end their calls before they collect. */
const mostPauses = 100;

/** Errors: `usage` for a limit that the process exceeds before any work. */
export function memoryLimit(
  bytes: number,
  { held, collect, pause, lower: flags }: MemoryReading,
): MemoryLimit {
  const stop = new AbortController();
  let fault: EmacError | null = null;
  const base = held().total;
  if (base > bytes)
    throw new EmacError(
      'usage',
      `--max-memory ${amount(bytes)}: the command alone holds ${amount(base)}; give more`,
    );
  /** What is held, without what is not collected yet where that is above `most`. */
  const heldWithin = (most: number): HeldMemory => {
    let now = held();
    if (now.total <= most) return now;
    collect();
    now = held();
    for (let pauses = 0; now.total > most && pauses < mostPauses; pauses++) {
      pause();
      now = held();
    }
    return now;
  };
  return {
    bytes,
    signal: stop.signal,
    get fault() {
      return fault;
    },
    check() {
      if (fault) return;
      const now = heldWithin(bytes);
      if (now.total <= bytes) return;
      fault = exceeded(bytes, now, flags);
      stop.abort();
    },
    require({ what, bytes: more, lower }) {
      const now = heldWithin(bytes - more).total;
      if (now + more <= bytes) return;
      throw new EmacError(
        'usage',
        `--max-memory ${amount(bytes)}: ${what} would take ${amount(more)} beside the ${amount(now)} held now; ${lower}, or give more`,
      );
    },
  };
}

function exceeded(bytes: number, { total, heap, buffers }: HeldMemory, flags: readonly string[]): EmacError {
  const rest = Math.max(0, total - heap - buffers);
  const holders = `objects ${amount(heap)}, their buffers ${amount(buffers)}, models and threads of own code ${amount(rest)}`;
  const remedy = flags.length > 0 ? `lower ${flags.join(', ')}, or give more` : 'give more';
  return new EmacError(
    'io',
    `--max-memory ${amount(bytes)}: ${amount(total)} are held (${holders}); ${remedy}`,
  );
}

/** An interruption of the limit's is its fault; anything else thrown is itself. */
export function limitOf(memory: MemoryLimit | null | undefined, thrown: unknown): unknown {
  const isStop = thrown instanceof EmacError && thrown.code === 'interrupted';
  return isStop ? (memory?.fault ?? thrown) : thrown;
}

/** The most that a cache may keep: what it would keep without a limit, or this part of the limit. */
export function shareOf(
  memory: MemoryLimit | undefined,
  { usual, part }: { readonly usual: number; readonly part: number },
): number {
  return memory ? Math.min(usual, Math.floor(memory.bytes * part)) : usual;
}

/** `512 MB`, `1.5 GB`. */
function amount(bytes: number): string {
  return bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${Number((bytes / 1e9).toFixed(2))} GB`;
}
