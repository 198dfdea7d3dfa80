/** The person of `--expert human`: at the terminal, or with `--page` in a browser. */
import { randomBytes } from 'node:crypto';
import { listen, teachPage } from '@emac/bridge';
import { EmacError, messageOf } from '@emac/core';
import { openTeaching } from '@emac/experiment';
import { both, type Host } from '@emac/opening';
import type { TaughtWork } from '@emac/pages/data';
import { integer, toggle } from '../options/option.ts';
import { say, type Io } from '../terminal/io.ts';
import { personAt } from './person.ts';

export const labellingOptions = {
  page: toggle('with --expert human: label in a browser, at the printed address'),
  'page-port': integer([0, 65_535], {
    help: 'with --page: port of 127.0.0.1; 0 for a free one',
    default: 8701,
  }),
};

/** Errors: `usage` for a page without somebody who labels there. */
export function requireLabeller(page: unknown, kind: string | undefined): void {
  if (page === true && kind !== 'human')
    throw new EmacError('usage', '--page: belongs to --expert human; add it, or leave --page out');
}

export interface Asking {
  /** with the flags of `labellingOptions` */
  readonly values: Readonly<Record<string, unknown>>;
  readonly io: Io;
  readonly work?: TaughtWork;
}

export interface Taught {
  readonly host: Host;
  close(): Promise<void>;
}

/** A host with a person. Errors: `cannot-create` for a port that is taken. */
export async function withPerson(host: Host, { values, io, work = 'training' }: Asking): Promise<Taught> {
  if (values['page'] !== true) return { host: { ...host, person: personAt(io) }, close: async () => {} };
  const { person, listener, place, end } = openTeaching(work);
  const token = randomBytes(16).toString('hex');
  const onFault = (thrown: unknown) => say(io.stderr, `page: ${messageOf(thrown)}`);
  const { fetch } = teachPage({ place, title: 'be the expert', token, onFault });
  const server = await listen({ fetch, port: Number(values['page-port']), onFault });
  say(io.stderr, `page: ${server.address}/?token=${token}`);
  return {
    host: { ...host, person, listener: both(listener, host.listener ?? {}) },
    async close() {
      end();
      // pages that wait are told the end
      await server.drain();
    },
  };
}
