/** The board on a port of this machine. */
import type { AddressInfo } from 'node:net';
import { EmacError } from '@emac/core';
import type { ServerType } from '@hono/node-server';
import { board, type BoardOptions } from './board.ts';

export interface ServedBoard {
  readonly address: string;
  close(): Promise<void>;
}

/** Serves on 127.0.0.1. Errors: `cannot-create` if the port is taken or forbidden. */
export async function serveBoard(options: BoardOptions & { readonly port: number }): Promise<ServedBoard> {
  const { port } = options;
  const [{ serve }, { fetch }] = await Promise.all([import('@hono/node-server'), board(options)]);
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
        server.close(() => resolve());
        // streams of events never end by themselves
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}
