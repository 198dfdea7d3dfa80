/**
 * `emac board`: runs side by side in a browser, live while they train, reachable from this machine alone. It only shows, unless
 * --allow-changes lets those with the printed address note, start, stop and resume.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { serveBoard } from '@emac/report';
import { EmacError } from '@emac/core';
import { isThere, sha256 } from '@emac/files';
import { cacheFolder } from '@emac/opening';
import { integer, toggle, type Values } from '../options/option.ts';
import { say, type Io } from '../terminal/io.ts';
import { command } from '../calling/command.ts';

const options = {
  port: integer([0, 65_535], { help: 'port of 127.0.0.1; 0 for a free one', default: 6007 }),
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
  const { port, 'allow-changes': isChanging } = values;
  if (!isThere(folder))
    throw new EmacError('missing', `${folder}: does not exist; give the folder in which the runs are`);
  const signal = io.catchInterruption();
  const cache = indexFile(folder, io);
  const control = isChanging ? await openControl(folder, io) : null;
  try {
    const now = () => new Date(io.now());
    const { address, close } = await serveBoard({ folder, port, now, cache, control });
    control?.begin();
    // after # it reaches no server and no log
    say(io.stdout, `board: ${address}${control === null ? '' : `#token=${control.token}`}`);
    say(io.stderr, 'Ctrl-C ends it; runs continue');
    if (!signal.aborted) await once(signal, 'abort');
    await close();
  } finally {
    control?.close();
  }
  return 0;
}

/** Loaded here: it reads the code of all methods. */
async function openControl(folder: string, io: Io) {
  const { boardControl } = await import('../board/board-control.ts');
  return boardControl({ folder, token: randomBytes(24).toString('base64url'), io });
}

/** What the board has read, for its next start: the folders of runs stay as they are. */
function indexFile(folder: string, { env }: Io): string {
  return join(cacheFolder(env), 'board', `${sha256(realpathSync(folder)).slice(0, 16)}.json`);
}
