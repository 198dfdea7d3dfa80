/** `emac board`: runs side by side in a browser, live while they train. Read-only, and reachable from this machine alone. */
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { serveBoard } from '@emac/report';
import { EmacError } from '@emac/core';
import { isThere, sha256 } from '@emac/files';
import { cacheFolder } from '@emac/opening';
import { integer, type Values } from '../options/option.ts';
import { say, type Io } from '../terminal/io.ts';
import { command } from '../calling/command.ts';

const options = {
  port: integer([0, 65_535], { help: 'port of 127.0.0.1; 0 for a free one', default: 6007 }),
};

export const boardCommand = command({
  options,
  run: (values, [folder], io) => showBoard(folder!, values, io),
});

/** Serves until interrupted. Errors: `missing`, `cannot-create`. */
async function showBoard(folder: string, { port }: Values<typeof options>, io: Io): Promise<number> {
  if (!isThere(folder))
    throw new EmacError('missing', `${folder}: does not exist; give the folder in which the runs are`);
  const signal = io.catchInterruption();
  const cache = indexFile(folder, io);
  const { address, close } = await serveBoard({ folder, port, now: () => new Date(io.now()), cache });
  say(io.stdout, `board: ${address}`);
  say(io.stderr, 'Ctrl-C ends it; runs continue');
  if (!signal.aborted) await once(signal, 'abort');
  await close();
  return 0;
}

/** What the board has read, for its next start: the folders of runs stay as they are. */
function indexFile(folder: string, { env }: Io): string {
  return join(cacheFolder(env), 'board', `${sha256(realpathSync(folder)).slice(0, 16)}.json`);
}
