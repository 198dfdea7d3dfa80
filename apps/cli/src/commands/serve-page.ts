/** `emac serve --page`: any policy's games in a browser, for one person at a time. */
import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { EmacError } from '@emac/core';
import { gamePage, refused } from '@emac/bridge';
import { keptRecords, openGame } from '@emac/experiment';
import { policyNamed } from '@emac/opening';
import { givenEnvironment } from '../options/given-code.ts';
import type { MemoryValues } from '../options/memory-option.ts';
import { addressesGiven } from '../options/server-options.ts';
import { runNamed } from '../options/run-name.ts';
import { hostOf } from '../terminal/host.ts';
import type { Io } from '../terminal/io.ts';
import { serveUntilStopped } from './serving.ts';

export interface PageValues extends MemoryValues {
  readonly ckpt: string;
  readonly env: string | null;
  readonly before: string | null;
  readonly labels: string | null;
  readonly partner: string | null;
  readonly games: string | null;
  readonly board: string | null;
  readonly name: string | null;
  readonly port: number;
  readonly host: string;
  readonly allow: string | null;
}

/** Serves until stopped. Errors: those of opening policies and environment. */
export async function servePage(values: PageValues, io: Io): Promise<number> {
  const { ckpt, env, before, labels, games } = values;
  const partner = values.partner === null ? null : runNamed(values.partner);
  const named = (name: string) => (isRun(name) ? runNamed(name, { env }) : name);
  const [policy, second] = [named(ckpt), before === null ? null : named(before)];
  const code = await givenEnvironment(env);
  const from = boardAddress(values.board);
  const token = randomBytes(16).toString('hex');
  const query = new URLSearchParams({ token, ...(from !== null && { from }) });
  const names = { policy: values.name ?? basename(policy), ...(second && { before: basename(second) }) };
  return serveUntilStopped(
    {
      limit: values,
      // the page has a token of its own: a browser sends none with an address
      where: { ...addressesGiven(values), token: null },
      opening: () => refused(opening),
      open: async (onFault, memory) => {
        const host = { ...hostOf(io, undefined, { quiet: true }), ...code, ...(memory && { memory }) };
        const given = labels === null ? {} : { given: keptRecords(labels) };
        const asked = { env, policy, before: second, names, partner, games, ...given };
        const game = await openGame(asked, host);
        const title = `${names.policy} in ${game.env}`;
        const { fetch } = gamePage({ place: game.place, title, token, onFault });
        const line = (address: string) => `page: ${address}/?${query}`;
        return { fetch, line, dispose: () => game.dispose() };
      },
    },
    io,
  );
}

/** Errors: `usage` for one that is no address of a page. */
function boardAddress(board: string | null): string | null {
  if (board !== null && !(/^https?:/.test(board) && URL.canParse(board)))
    throw new EmacError('usage', `--board: must be an address with http:// or https://, got ${board}`);
  return board;
}

function isRun(name: string): boolean {
  return policyNamed(name).kind === 'trained' && name !== 'untouched';
}

const opening = { status: 503, code: 'opening', message: 'The game opens; try again later.' };
