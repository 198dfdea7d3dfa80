/** A server that listens before its model is open, and ends after its open requests. */
import { once } from 'node:events';
import { listen, type ListenOptions } from '@emac/bridge';
import { messageOf } from '@emac/core';
import { say, type Io } from '../terminal/io.ts';

export interface Serving {
  readonly where: Omit<ListenOptions, 'fetch' | 'onFault'>;
  /** answers while the model opens */
  readonly opening: ListenOptions['fetch'];
  /** `onFault` shows a fault that a request ran into. Errors: those of the model */
  open(onFault: (thrown: unknown) => void): Promise<{
    readonly fetch: ListenOptions['fetch'];
    /** the first line; `address` is the server's */
    line(address: string): string;
    dispose(): Promise<void>;
  }>;
}

/** Serves until stopped. Errors: those of opening the model and of listening. */
export async function serveUntilStopped({ where, opening, open }: Serving, io: Io): Promise<number> {
  const signal = io.catchInterruption('open requests');
  const onFault = (thrown: unknown) => say(io.stderr, `fault: ${messageOf(thrown)}`);
  let answer = opening;
  // before the model, because opening one may take minutes and the port may be taken
  const server = await listen({ ...where, fetch: (request) => answer(request), onFault });
  try {
    const { fetch, line, dispose } = await open(onFault);
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
  return 0;
}
