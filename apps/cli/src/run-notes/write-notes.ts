/** What a run folder says to people: the commands that made it, and what is in it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@emac/core';
import { warn, type Listener } from '@emac/experiment';
import { isThere, writeFileAtomic } from '@emac/files';
import { layout, readRecord } from '@emac/runs';
import type { Io } from '../terminal/io.ts';
import { version } from '../version.ts';
import { commandText, headText } from './command-text.ts';
import { commitOf } from './commit.ts';
import { readmeText } from './readme-text.ts';

/** Writes both when a run begins or goes on; where that fails it is said, and the run goes on. */
export function noted(listener: Listener, { argv = [], env }: Pick<Io, 'argv' | 'env'>): Listener {
  return {
    ...listener,
    run(folder) {
      listener.run?.(folder);
      try {
        writeNotes(folder, commandText(argv, env));
      } catch (thrown) {
        warn(listener, `no ${layout.command} or ${layout.readme}: ${messageOf(thrown)}`);
      }
    },
  };
}

/** The first command stays as it was written; one that goes on with the run is a further line. */
function writeNotes(folder: string, command: string): void {
  const [commands, readme] = [join(folder, layout.command), join(folder, layout.readme)];
  const before = isThere(commands) ? readFileSync(commands, 'utf8') : headText(version, commitOf());
  writeFileAtomic(commands, before + command);
  if (!isThere(readme)) writeFileAtomic(readme, readmeText(readRecord(folder).phase));
}
