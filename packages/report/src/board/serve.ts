/** The board on a port of this machine. */
import type { AddressInfo } from 'node:net';
import { EmacError } from '@emac/core';
import type { ServerType } from '@hono/node-server';
import { board, type BoardOptions } from './board.ts';
import { resultIndex } from './result-index.ts';

export interface ServedBoard {
  readonly address: string;
  close(): Promise<void>;
}

export interface ServingOptions extends Omit<BoardOptions, 'index'> {
  readonly port: number;
  /** file, outside the folders of runs, in which a later board finds what this one has read; default: none */
  readonly cache?: string | null;
}

/** Serves on 127.0.0.1. Errors: `cannot-create` if the port is taken or forbidden. */
export async function serveBoard(options: ServingOptions): Promise<ServedBoard> {
  const { port, folder, now, cache = null } = options;
  const index = resultIndex({ folder, now, cache });
  const [{ serve }, { fetch }] = await Promise.all([
    import('@hono/node-server'),
    board({ ...options, index }),
  ]);
  const server = await new Promise<ServerType>((resolve, reject) => {
    const made = serve({ fetch, port, hostname: '127.0.0.1' }, () => resolve(made));
    made.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new EmacError(
          'cannot-create',
          `--port ${port}: cannot be served on (${cause.code}); give another one, or 0 for a free one`,
          {
            cause,
          },
        ),
      ),
    );
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        index.store();
        server.close(() => resolve());
        // streams of events never end by themselves
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}
