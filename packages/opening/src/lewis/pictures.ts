/** The world of a game: training concepts, held-out ones, and the pictures of their views. */
import { readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { EmacError, type Frame, type Random } from '@emac/core';
import { isFile, isFolder, readText } from '@emac/files';
import {
  catalogueOfListing,
  drawGames,
  drawnCatalogue,
  readCatalogue,
  splitConcepts,
  type Catalogue,
  type GameOptions,
  type LewisGame,
  type Split,
  type SplitOptions,
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
  const world = pictures === 'drawn' ? drawn : worldAt(pictures);
  const { folder } = world;
  const { openPictures } = await import('@emac/bridge');
  const read = openPictures({ folder, drawn: folder === null });
  return {
    ...splitOf(world, { seed: splitSeed, trainingShare }),
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
  return gamesOnce(training, { candidates: game.candidates, views: 'train', random });
}

/** So many games with held-out concepts and views, fixed by the generator; all if there are fewer. */
export function heldOutGames(
  { heldOut }: Split,
  { candidates, games }: { readonly candidates: number; readonly games: number },
  random: Random,
): readonly LewisGame[] {
  const all = gamesOnce(heldOut, { candidates, views: 'test', random: random.stream('games') });
  return random
    .stream('order')
    .shuffle([...all])
    .slice(0, games);
}

/** Drawn games by concepts: turns, and evaluations after training, play the same again. */
const drawnBefore = new WeakMap<Catalogue, Map<string, readonly LewisGame[]>>();

/** Games depend on the generator's path alone, not on what was drawn from it. */
function gamesOnce(concepts: Catalogue, options: GameOptions): readonly LewisGame[] {
  const before = drawnBefore.get(concepts) ?? new Map<string, readonly LewisGame[]>();
  drawnBefore.set(concepts, before);
  const key = `${options.candidates} ${options.views} ${options.random.path}`;
  const games = before.get(key) ?? drawGames(concepts, options);
  before.set(key, games);
  return games;
}

interface World {
  readonly catalogue: Catalogue;
  readonly folder: string | null;
}

const drawn: World = { catalogue: drawnCatalogue(), folder: null };

/** Of the drawn world, by seed and share. */
const drawnSplits = new Map<string, Split>();

function splitOf({ catalogue, folder }: World, options: SplitOptions): Split {
  if (folder !== null) return splitConcepts(catalogue, options);
  const key = JSON.stringify(options);
  const split = drawnSplits.get(key) ?? splitConcepts(catalogue, options);
  drawnSplits.set(key, split);
  return split;
}

function worldAt(path: string): World {
  if (isFolder(path)) return { catalogue: catalogueOfListing(filesIn(path)), folder: path };
  if (!isFile(path))
    throw new EmacError(
      'missing',
      `--pictures ${path}: does not exist; give drawn, a folder of pictures, or a catalogue.json`,
    );
  const text = readText(path);
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
