/** A server that listens before its model is open, and ends after its open requests. */
import { once } from 'node:events';
import { listen, type ListenOptions } from '@emac/bridge';
import { messageOf } from '@emac/core';
import type { MemoryLimit } from '@emac/opening';
import { underMemory, type MemoryValues } from '../options/memory-option.ts';
import { say, type Io } from '../terminal/io.ts';

export interface Serving {
  readonly limit: MemoryValues;
  readonly where: Omit<ListenOptions, 'fetch' | 'onFault'>;
  /** answers while the model opens */
  readonly opening: ListenOptions['fetch'];
  /** `onFault` shows a fault that a request ran into. Errors: those of the model */
  open(
    onFault: (thrown: unknown) => void,
    memory: MemoryLimit | null,
  ): Promise<{
    readonly fetch: ListenOptions['fetch'];
    /** the first line; `address` is the server's */
    line(address: string): string;
    dispose(): Promise<void>;
  }>;
}

/** Serves until stopped. Errors: those of opening the model, of listening, and of the memory's limit. */
export async function serveUntilStopped(serving: Serving, io: Io): Promise<number> {
  const interrupted = io.catchInterruption('open requests');
  const warned = (line: string): void => say(io.stderr, line);
  await underMemory(serving.limit, warned, async (memory) => {
    const signal = memory ? AbortSignal.any([interrupted, memory.signal]) : interrupted;
    await served(serving, memory, { io, signal });
    if (memory?.fault) throw memory.fault;
  });
  return 0;
}

interface Until {
  readonly io: Io;
  readonly signal: AbortSignal;
}

async function served(
  { where, opening, open }: Serving,
  memory: MemoryLimit | null,
  { io, signal }: Until,
): Promise<void> {
  const onFault = (thrown: unknown) => say(io.stderr, `fault: ${messageOf(thrown)}`);
  let answer = opening;
  // before the model, because opening one may take minutes and the port may be taken
  const server = await listen({ ...where, fetch: (request) => answer(request), onFault });
  try {
    const { fetch, line, dispose } = await open(onFault, memory);
    answer = fetch;
    try {
      say(io.stdout, line(server.address));
      if (['0.0.0.0', '::'].includes(where.host ?? ''))
        say(io.stderr, `others reach it at this machine's own address, port ${server.port}`);
      say(io.stderr, 'Ctrl-C ends it after the open requests');
      if (!signal.aborted) await once(signal, 'abort');
      await server.drain();
    } finally {
      await dispose();
    }
  } finally {
    await server.close();
  }
}
