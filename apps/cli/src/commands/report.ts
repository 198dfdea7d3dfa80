/** `emac report`: runs or evaluations as one HTML file that opens from disk. */
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { isFolder, writeFileAtomic } from '@emac/files';
import { report } from '@emac/report';
import { integer, text, toggle, type Values } from '../options/option.ts';
import { runNamed } from '../options/run-name.ts';
import { say, type Io } from '../terminal/io.ts';
import { command } from '../calling/command.ts';

const options = {
  out: text({
    help: 'HTML file to write',
    default: null,
    defaultText: 'report.html in the run’s folder, of several runs here',
  }),
  episodes: integer([0, 100_000], {
    help: 'number of episodes to include: by task type, first lost and first won, then the second of each',
    default: 40,
  }),
  json: toggle('print the path as JSON on standard output'),
};

export const reportCommand = command({
  options,
  run: (values, folders, io) =>
    Promise.resolve(
      writeReport(
        folders.map((name) => runNamed(name)),
        values,
        io,
      ),
    ),
});

/** Errors: `missing`, `data`, `cannot-create`. */
function writeReport(
  folders: readonly string[],
  { out, episodes, json }: Values<typeof options>,
  { stdout, now }: Io,
): number {
  const file = out ?? (folders.length === 1 ? join(folders[0]!, 'report.html') : 'report.html');
  if (isFolder(file)) throw new EmacError('cannot-create', `--out ${file}: is a folder; give a file’s name`);
  writeFileAtomic(file, report(folders, { episodes, now: new Date(now()) }));
  say(stdout, json ? JSON.stringify({ file }) : `report: ${file}`);
  return 0;
}
