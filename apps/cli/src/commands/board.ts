/**
 * `emac board`: runs side by side in a browser, live while they train, reachable from this machine alone unless --host says otherwise. It
 * only shows, unless --allow-changes lets those with the printed address note, start, stop and resume.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { serveBoard } from '@emac/report';
import { EmacError, isLoopback } from '@emac/core';
import { isThere, sha256 } from '@emac/files';
import { cacheFolder } from '@emac/opening';
import { integer, text, toggle, type Values } from '../options/option.ts';
import { say, type Io } from '../terminal/io.ts';
import { command } from '../calling/command.ts';

const options = {
  port: integer([0, 65_535], { help: 'port; 0 for a free one', default: 6007 }),
  host: text({
    help: 'address to listen on; beyond this machine, pages show nothing without the printed address, which holds a new token',
    default: '127.0.0.1',
  }),
  token: toggle(
    'show nothing without the printed address on this machine either, where other users reach the port',
  ),
  'allow-changes': toggle(
    'also start, stop and resume runs, and write notes, from pages opened with the printed address, which holds a new token; every action is recorded in .board/ of the folder',
  ),
};

export const boardCommand = command({
  options,
  run: (values, [folder], io) => showBoard(folder!, values, io),
});

/** Serves until interrupted. Errors: `missing`, `cannot-create`. */
async function showBoard(folder: string, values: Values<typeof options>, io: Io): Promise<number> {
  const { port, host, 'allow-changes': isChanging } = values;
  if (!isThere(folder))
    throw new EmacError('missing', `${folder}: does not exist; give the folder in which the runs are`);
  const signal = io.catchInterruption();
  const cache = indexFile(folder, io);
  const isOpen = !isLoopback(host);
  const token = randomBytes(24).toString('base64url');
  const control = isChanging ? await openControl(folder, token, io) : null;
  const readToken = isOpen || values.token ? token : null;
  try {
    const now = () => new Date(io.now());
    const { address, close } = await serveBoard({ folder, port, host, now, cache, control, readToken });
    control?.begin();
    // after # it reaches no server and no log
    const secret = control === null && readToken === null ? '' : `#token=${token}`;
    say(io.stdout, `board: ${address}${secret}`);
    if (isOpen) say(io.stderr, openWords(address, host));
    say(io.stderr, 'Ctrl-C ends it; runs continue');
    if (!signal.aborted) await once(signal, 'abort');
    await close();
  } finally {
    control?.close();
  }
  return 0;
}

/** What a board that other machines reach is open to. */
function openWords(address: string, host: string): string {
  const everywhere = ['0.0.0.0', '::'].includes(host)
    ? `others reach it at this machine's own address, port ${new URL(address).port}; `
    : '';
  return `${everywhere}pages show nothing without the token of this address, and what they send is not encrypted`;
}

/** Loaded here: it reads the code of all methods. */
async function openControl(folder: string, token: string, io: Io) {
  const { boardControl } = await import('../board/board-control.ts');
  return boardControl({ folder, token, io });
}

/** What the board has read, for its next start: the folders of runs stay as they are. */
function indexFile(folder: string, { env }: Io): string {
  return join(cacheFolder(env), 'board', `${sha256(realpathSync(folder)).slice(0, 16)}.json`);
}
