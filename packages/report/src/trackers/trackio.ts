/**
 * trackio, through the HTTP interface of its dashboard (`trackio show`): `POST /api/bulk_log`. Each line carries an identity, so lines that
 * were sent before a stop are not doubled by the resumed run.
 */
import { basename, join, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import { readText } from '@emac/files';
import { layout } from '@emac/runs';
import { parsedConfig } from '../pages/parsed-config.ts';
import { post, sendTo } from './service.ts';
import type { Tracker } from './tensorboard.ts';

export interface ServiceOptions {
  /** the run's folder */
  readonly run: string;
  readonly now: () => Date;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The dashboard's address, and its key if there is one. Errors: `usage` without an address. */
export function trackioAddress(env: ServiceOptions['env']): { base: string; key: string | null } {
  const asked = env['TRACKIO_SERVER_URL'];
  if (!asked || !URL.canParse(asked))
    throw new EmacError(
      'usage',
      `TRACKIO_SERVER_URL: must be the address that \`trackio show\` prints, with its write_token, got ${JSON.stringify(asked ?? '')}`,
    );
  const address = new URL(asked);
  const key = address.searchParams.get('write_token') ?? env['TRACKIO_WRITE_TOKEN'] ?? null;
  return { base: `${address.origin}${address.pathname}`, key };
}

/** Sends every number of the run, and its settings, to the project TRACKIO_PROJECT (`emac`). Errors: `usage`; those of `sendTo`. */
export function trackio({ run, env }: ServiceOptions): Tracker {
  const { base, key } = trackioAddress(env);
  const name = basename(resolve(run));
  const project = env['TRACKIO_PROJECT'] || 'emac';
  const headers = key === null ? {} : { 'x-trackio-write-token': key };
  const config = parsedConfig(readText(join(run, layout.config)));
  let sent = 0;
  return sendTo(run, {
    open: async () => {},
    send: async (measures) => {
      const logs = measures.map(({ step, numbers }, index) => ({
        project,
        run: name,
        run_id: name,
        metrics: numbers,
        step,
        config: sent + index === 0 ? config : null,
        log_id: `${name}-${sent + index}`,
      }));
      sent += logs.length;
      await post(base, { path: 'api/bulk_log', headers, body: { logs, hf_token: null } });
    },
    end: async () => {},
  });
}
