/** `emac games fetch`: downloads ALFWorld's games, or an archive by its address, as a folder for `--games`. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { alfworldArchives, fetchArchive, shownUrl, type FetchedArchive } from '@emac/downloads';
import { isFolder } from '@emac/files';
import { nearestCommand } from '@emac/postprocess';
import { findGames } from '@emac/world';
import { formed, text, toggle, type Values } from '../../options/option.ts';
import { counted } from '../../terminal/amounts.ts';
import { size } from '../../terminal/download-progress.ts';
import { say, type Io } from '../../terminal/io.ts';
import { shellWord } from '../../terminal/shell-word.ts';
import { command } from '../../calling/command.ts';
import { fetching, isAddress, titleOf } from '../../terminal/fetching.ts';

const options = {
  out: text({ help: 'folder to create', default: null, defaultText: 'games/NAME' }),
  sha256: formed(
    {
      words: '64 hexadecimal digits',
      parse: (typed: string) => (/^[0-9a-f]{64}$/i.test(typed) ? typed.toLowerCase() : undefined),
    },
    {
      help: 'expected hash of the archive; another archive is not unpacked',
      default: null,
    },
  ),
  json: toggle('print the result as JSON on standard output'),
};

export const gamesFetchCommand = command({
  options,
  run: async (values, [name = ''], io) => {
    if (name !== '') await fetchGames(name, values, io);
    else if (values.sha256 === null) listArchives(io);
    else throw new EmacError('usage', '--sha256: belongs to an archive; give its name or address');
    return 0;
  },
});

function listArchives({ stdout }: Io): void {
  for (const [name, { size: bytes, holds }] of Object.entries(alfworldArchives))
    say(stdout, `${name.padEnd(20)} ${size(bytes).padStart(8)}  ${holds}`);
  say(stdout, `next: npx emac games fetch ${Object.keys(alfworldArchives)[0]}`);
}

async function fetchGames(
  name: string,
  { out, sha256, json }: Values<typeof options>,
  io: Io,
): Promise<void> {
  const { wanted, title } = archiveNamed(name, sha256);
  const folder = out ?? join('games', title);
  const fetched = await fetching({ folder, io }, ({ progress, ...with_ }) =>
    fetchArchive(wanted, folder, { ...with_, progress: progress.bytes, unpacked: progress.unpacked }),
  );
  const { games } = findGames(folder);
  if (json) say(io.stdout, JSON.stringify({ url: shownUrl(wanted.url), ...fetched, games: games.length }));
  else say(io.stdout, report(fetched, games.length));
}

/** Errors: `usage` for a name that is not known, or a hash that its archive does not have. */
function archiveNamed(name: string, sha256: string | null) {
  const known = Object.hasOwn(alfworldArchives, name) ? alfworldArchives[name] : undefined;
  if (known?.sha256 !== undefined && sha256 !== null && sha256 !== known.sha256)
    throw new EmacError(
      'usage',
      `--sha256: must be ${known.sha256} for ${name}, got ${sha256}; leave it out`,
    );
  const checked = sha256 !== null && { sha256 };
  if (known) return { wanted: { ...known, ...checked }, title: name };
  if (isAddress(name)) return { wanted: { url: name, ...checked }, title: titleOf(name) };
  const names = Object.keys(alfworldArchives);
  const near = nearestCommand(name, names)?.command;
  const meant = near === undefined ? `give ${names.join(', ')} or an address` : `did you mean ${near}?`;
  throw new EmacError('usage', `${name}: is not a published archive; ${meant}`);
}

function report({ folder, files, bytes, archive }: FetchedArchive, games: number): string {
  return [
    `games: ${folder}`,
    `${counted(files, 'file')}, ${size(bytes)}, ${counted(games, 'game')} that can be played`,
    `archive: ${size(archive.bytes)}, sha256 ${archive.sha256}`,
    ...(games === 0 ? [] : [`next: ${nextCommand(folder)}`]),
  ].join('\n');
}

/** Trains on one split and evaluates on another where the folder has splits. */
function nextCommand(folder: string): string {
  const split = (name: string) => splitIn(folder, name);
  const [train, unseen] = [split('train'), split('valid_unseen')];
  if (train === null || unseen === null) return `npx emac games list --games ${shellWord(folder)}`;
  return `npx emac train --phase bc --games ${shellWord(train)} --eval-on ${shellWord(unseen)}`;
}

/** In the folder or one below it. */
function splitIn(folder: string, name: string): string | null {
  const places = [folder, ...readdirSync(folder).map((each) => join(folder, each))];
  return places.map((place) => join(place, name)).find((path) => isFolder(path)) ?? null;
}
