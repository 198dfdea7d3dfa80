/**
 * A run of the published size from a smaller, really trained one: further rounds repeat its episodes, events and
 * updates with new numbers. It has only displayed files: no checkpoints, no buffers. Pictures are links to the smaller
 * run's.
 */
import { cpSync, existsSync, linkSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder } from '@emac/files';
import { layout } from '@emac/runs';

type Line = Record<string, unknown>;

/**
 * Writes `rounds` rounds into the new folder `to`. Errors: those of reading and writing; one if `from` has more than
 * one round.
 */
export function repeatRun(
  from: string,
  { to, rounds }: { readonly to: string; readonly rounds: number },
): void {
  const lines = (name: string) => linesIn(join(from, name));
  const metrics = lines(layout.metrics);
  const numbers = readdirSync(join(from, layout.episodes)).map((name) => Number.parseInt(name, 10));
  const [episodes, updates] = [
    Math.max(...numbers) + 1,
    metrics.filter(({ kind }) => kind === 'update').length,
  ];
  if (metrics.some(({ round }) => Number(round) > 0))
    throw new Error(`${from}: must have one round, has more; train it with --rounds 1`);
  const inRound = (round: number) => (line: Line) => later(line, { round, episodes, updates });
  const all = (found: readonly Line[]) =>
    Array.from({ length: rounds }, (_, round) => found.map(inRound(round))).flat();
  for (const folder of [layout.episodes, layout.frames]) createFolder(join(to, folder));
  for (const name of [layout.run, layout.config, layout.evaluation, 'eval-before.json', layout.done])
    if (existsSync(join(from, name))) cpSync(join(from, name), join(to, name));
  for (const name of readdirSync(join(from, layout.frames)))
    linkSync(join(from, layout.frames, name), join(to, layout.frames, name));
  for (const name of [layout.metrics, layout.events]) write(join(to, name), all(lines(name)));
  for (const number of numbers) {
    const own = linesIn(join(from, layout.episodes, episodeFile(number)));
    for (let round = 0; round < rounds; round++)
      write(join(to, layout.episodes, episodeFile(number + round * episodes)), own.map(inRound(round)));
  }
}

/** A line of the first round as it would stand in a later one. */
function later(
  line: Line,
  { round, episodes, updates }: Record<'round' | 'episodes' | 'updates', number>,
): Line {
  const moved = { ...line };
  if (typeof line['round'] === 'number') moved['round'] = line['round'] + round;
  if (typeof line['episode'] === 'number') moved['episode'] = line['episode'] + round * episodes;
  if (typeof line['update'] === 'number') moved['update'] = line['update'] + round * updates;
  return moved;
}

const episodeFile = (number: number) => `${String(number).padStart(6, '0')}.jsonl`;

function linesIn(path: string): Line[] {
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

function write(path: string, lines: readonly Line[]): void {
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}
