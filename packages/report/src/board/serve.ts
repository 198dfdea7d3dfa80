/** The board on a port. */
import type { AddressInfo } from 'node:net';
import { EmacError, withoutBrackets } from '@emac/core';
import type { ServerType } from '@hono/node-server';
import { board, type BoardOptions } from './board.ts';
import { inAddress } from './host-names.ts';
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

/** Serves on 127.0.0.1 by default. Errors: `cannot-create` if the address or port is taken, forbidden, or not of this machine. */
export async function serveBoard(options: ServingOptions): Promise<ServedBoard> {
  const { port, host = '127.0.0.1', folder, now, cache = null } = options;
  const index = resultIndex({ folder, now, cache });
  const [{ serve }, { fetch }] = await Promise.all([
    import('@hono/node-server'),
    board({ ...options, index }),
  ]);
  const server = await new Promise<ServerType>((resolve, reject) => {
    const made = serve({ fetch, port, hostname: withoutBrackets(host) }, () => resolve(made));
    made.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new EmacError(
          'cannot-create',
          ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(cause.code ?? '')
            ? `--host ${host}: is no address of this machine (${cause.code}); give one of its own`
            : `--port ${port}: cannot be served on (${cause.code}); give another one, or 0 for a free one`,
          {
            cause,
          },
        ),
      ),
    );
  });
  return {
    address: `http://${inAddress(host)}:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        index.store();
        server.close(() => resolve());
        // streams of events never end by themselves
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}
