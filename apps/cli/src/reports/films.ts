/** Films of evaluated games: frames with task, commands and the result in words. */
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { createFolder, readInside, writeFileAtomic } from '@emac/files';
import { decodeImage, encodeFilm, type Scene } from '@emac/images';
import type { EpisodeHead } from '@emac/pages/data';
import { readEpisodeOf, readRun } from '@emac/report';
import { layout } from '@emac/runs';
import type { Form } from '../options/form.ts';

/** The games to film: all, won, failed, or a number of them. */
export type Filmed = 'all' | 'won' | 'failures' | number;

const words = ['all', 'won', 'failures'] as const;

export const filmedForm: Form<Filmed> = {
  words: 'all, won, failures, or a number of games',
  choices: words,
  parse: (text) => {
    const word = words.find((each) => each === text);
    if (word) return word;
    return /^\d{1,6}$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
  },
};

/** Writes `gifs/NUMBER.gif` of these games into the folder of an evaluation; returns their paths. */
export async function writeFilms(folder: string, which: Filmed, now: Date): Promise<string[]> {
  const chosen = chosenOf(readRun(folder, now).episodes, which);
  createFolder(join(folder, 'gifs'));
  const paths: string[] = [];
  for (const { episode } of chosen) {
    const path = join(folder, 'gifs', `${String(episode).padStart(6, '0')}.gif`);
    writeFileAtomic(path, encodeFilm(await scenesOf(folder, episode)));
    paths.push(path);
  }
  return paths;
}

function chosenOf(episodes: readonly EpisodeHead[], which: Filmed): readonly EpisodeHead[] {
  if (which === 'all') return episodes;
  if (which === 'won') return episodes.filter(({ won }) => won);
  if (which === 'failures') return episodes.filter(({ won }) => !won);
  return episodes.slice(0, which);
}

/** Errors: `data` for a game played without pictures. */
async function scenesOf(folder: string, episode: number): Promise<Scene[]> {
  const { task, frames, shown, won } = readEpisodeOf(folder, episode);
  const end = won ? 'Won.' : 'Not won.';
  const told = [
    { name: frames[0], caption: task },
    ...shown.map(({ command, observation, frames: [name] }, index) => {
      const answer = observation === 'Nothing happens.' ? ' (refused)' : '';
      const last = index === shown.length - 1 ? ` ${end}` : '';
      return { name, caption: `${index + 1}. ${command}${answer}.${last}` };
    }),
  ];
  return Promise.all(
    told.map(async ({ name, caption }) => {
      if (name === undefined)
        throw new EmacError(
          'data',
          `${folder}: episode ${episode} has no pictures; give --observe image or both`,
        );
      return { frame: await decodeImage(readInside(folder, join(layout.frames, name))), caption };
    }),
  );
}
