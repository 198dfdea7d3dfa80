/** The world of a game: training concepts, held-out ones, and the pictures of their views. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { EmacError, type Frame, type Random } from '@emac/core';
import { isFile, isFolder, whileReading } from '@emac/files';
import {
  catalogueOfListing,
  drawGames,
  drawnCatalogue,
  readCatalogue,
  splitConcepts,
  type Catalogue,
  type LewisGame,
  type Split,
} from '@emac/lewis';
import type { GrpoConfig } from '@emac/settings';

/** The picture of a view's name. Errors: `missing`, `data`. */
export type Pictures = (name: string) => Promise<Frame>;

export interface LewisWorld extends Split {
  readonly pictures: Pictures;
  /** folder of the pictures; null in the built-in world, which any agent can draw */
  readonly folder: string | null;
}

/** Errors: `missing` if nothing is there, `data` for an invalid catalogue, or a folder without pictures. */
export async function openLewisWorld({
  pictures,
  splitSeed,
  trainingShare,
}: Pick<GrpoConfig['game'], 'pictures' | 'splitSeed' | 'trainingShare'>): Promise<LewisWorld> {
  const { catalogue, folder } = pictures === 'drawn' ? drawn : worldAt(pictures);
  const { openPictures } = await import('@emac/bridge');
  const read = openPictures({ folder, drawn: folder === null });
  return {
    ...splitConcepts(catalogue, { seed: splitSeed, trainingShare }),
    pictures: (name) => read.frame(name),
    folder,
  };
}

/** Games of training: its concepts in their training views. */
export function trainingGames(
  { training }: Split,
  game: GrpoConfig['game'],
  random: Random,
): readonly LewisGame[] {
  return drawGames(training, { candidates: game.candidates, views: 'train', random });
}

/** So many games with held-out concepts and views, fixed by the generator; all if there are fewer. */
export function heldOutGames(
  { heldOut }: Split,
  { candidates, games }: { readonly candidates: number; readonly games: number },
  random: Random,
): readonly LewisGame[] {
  const all = drawGames(heldOut, { candidates, views: 'test', random: random.stream('games') });
  return random
    .stream('order')
    .shuffle([...all])
    .slice(0, games);
}

interface World {
  readonly catalogue: Catalogue;
  readonly folder: string | null;
}

const drawn: World = { catalogue: drawnCatalogue(), folder: null };

function worldAt(path: string): World {
  if (isFolder(path)) return { catalogue: catalogueOfListing(filesIn(path)), folder: path };
  if (!isFile(path))
    throw new EmacError(
      'missing',
      `--pictures ${path}: does not exist; give drawn, a folder of pictures, or a catalogue.json`,
    );
  const text = whileReading(path, () => readFileSync(path, 'utf8'));
  return { catalogue: readCatalogue(parsed(path, text)), folder: dirname(path) };
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new EmacError('data', `--pictures ${path}: is not JSON; give a catalogue or a folder`);
  }
}

/** Paths below a folder, with slashes. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
}
