/** Sessions at an OpenEnv server, shared by the episodes under way: a free one is used again, further ones are opened. */
import { EmacError, messageOf } from '@emac/core';
import { Gone } from '../world/desk.ts';
import { Refused, type Connection } from './connection.ts';

export interface SessionsOptions {
  /** the server's address, for people */
  readonly url: string;
  readonly connect: () => Promise<Connection>;
  /** sessions that are opened at first */
  readonly wanted: number;
  /** milliseconds to retry while the server is away or has no free session */
  readonly retryMs: number;
  readonly wait: (milliseconds: number) => Promise<void>;
}

export interface Sessions {
  /** sessions at first; fewer than wanted if the server has no more */
  readonly count: number;
  /** A free session, or a new one. Errors: `unavailable` if there is none in time. */
  take(): Promise<Connection>;
  /** Gives it back for another episode; a lost one is dropped. */
  release(connection: Connection): void;
  close(): void;
}

const pauseMs = 500;

/** Errors: `unavailable` without a single one; `auth`. */
export async function openSessions({
  url,
  connect,
  wanted,
  retryMs,
  wait,
}: SessionsOptions): Promise<Sessions> {
  const open = new Set<Connection>();
  const free: Connection[] = [];
  let isClosed = false;
  const opened = async (): Promise<Connection> => {
    const connection = await connect();
    // a server without a free session says so in place of an answer
    await connection.ask({ type: 'state' }).catch((fault: unknown) => {
      connection.close();
      throw fault;
    });
    open.add(connection);
    return connection;
  };
  const first = await Promise.allSettled(Array.from({ length: wanted }, opened));
  const faults = first.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  free.push(...first.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])));
  if (free.length === 0) throw unavailable(url, faults[0]);
  return {
    count: free.length,
    async take() {
      for (let tried = 0; ; tried += pauseMs) {
        const kept = free.pop();
        if (kept?.isOpen) return kept;
        if (kept) {
          open.delete(kept);
          continue;
        }
        try {
          return await opened();
        } catch (fault) {
          if (tried >= retryMs || isClosed || !isPassing(fault)) throw unavailable(url, fault);
          await wait(pauseMs);
        }
      }
    },
    release(connection) {
      if (connection.isOpen && !isClosed) free.push(connection);
      else open.delete(connection);
    },
    close() {
      isClosed = true;
      for (const connection of open) connection.close();
      open.clear();
    },
  };
}

/** The server may come back, or a session become free. */
function isPassing(fault: unknown): boolean {
  return fault instanceof Gone || (fault instanceof Refused && fault.code === 'CAPACITY_REACHED');
}

function unavailable(url: string, fault: unknown): EmacError {
  if (fault instanceof EmacError) return fault;
  const remedy =
    fault instanceof Refused && fault.code === 'CAPACITY_REACHED'
      ? 'let the server have more sessions, or play fewer episodes at once (--parallel-episodes)'
      : 'start the server, or give its address';
  return new EmacError('unavailable', `${url}: has no session (${messageOf(fault)}); ${remedy}`, {
    cause: fault,
  });
}
