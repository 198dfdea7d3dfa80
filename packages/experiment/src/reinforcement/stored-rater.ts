/**
 * Step ratings from a dataset with action scores, as a language model writes them for `emac collect --env
 * --quality-scores`. Steps with a known picture are rated; others get no rating, which counts as the mean of the rated
 * ones.
 */
import { EmacError, type Frame, type StepEnvironment } from '@emac/core';
import { datasetFile, openDataset, withoutPicture, type Dataset, type DatasetRecord } from '@emac/datasets';
import { sha256 } from '@emac/files';
import { localWorld, openEnvironment, ownPalette, scriptedRater, type Host } from '@emac/opening';
import type { StepRater } from '@emac/rollout';
import type { PpoConfig } from '@emac/settings';

interface StoredRatings {
  readonly rate: StepRater;
  /** of the dataset */
  readonly sha256: string;
  /** different pictures with ratings */
  readonly pictures: number;
}

/**
 * Reads a dataset, or the `train.json` of a folder; `seer` is a separate environment that draws like the dataset's.
 * Errors: `missing`, `io`, `data` if it rates no step of that environment.
 */
export async function storedRater(
  path: string,
  { seer, palette }: { readonly seer: StepEnvironment; readonly palette: string },
): Promise<StoredRatings> {
  const place = datasetFile(path);
  const dataset = openDataset(place, { flag: '--utility-data', images: null });
  try {
    const ratings = await ratingsIn(dataset, seer.id);
    if (ratings.size === 0)
      throw new EmacError(
        'data',
        `--utility-data ${place}: has no utilities of ${seer.id}; collect them with emac collect --env --expert openai --quality-scores`,
      );
    return { rate: rater(ratings, { seer, palette }), sha256: dataset.sha256, pictures: ratings.size };
  } finally {
    dataset.close();
  }
}

/** By the picture's content; missions appear only in prompts. */
type Ratings = ReadonlyMap<string, readonly Rated[]>;
type Rated = Pick<DatasetRecord, 'text_input'> & { readonly utilities: Readonly<Record<string, number>> };

async function ratingsIn(dataset: Dataset, env: string): Promise<Ratings> {
  const ratings = new Map<string, Rated[]>();
  const drawn = new Map<string, string>();
  for (let index = 0; index < dataset.length; index++) {
    const { utilities, text_input, task_type } = dataset.record(index);
    if (!utilities || task_type !== env) continue;
    const [picture] = dataset.pictures(index);
    if (!picture) throw withoutPicture(dataset.path, dataset.number(index));
    const { hash, frame } = picture;
    const seen = drawn.get(hash) ?? pixelsOf(await frame());
    drawn.set(hash, seen);
    const known = ratings.get(seen) ?? [];
    if (!known.some((each) => each.text_input === text_input)) known.push({ utilities, text_input });
    ratings.set(seen, known);
  }
  return ratings;
}

function pixelsOf({ width, height, data }: Frame): string {
  return `${width} ${height} ${sha256(data)}`;
}

function rater(
  ratings: Ratings,
  { seer, palette }: { readonly seer: StepEnvironment; readonly palette: string },
): StepRater {
  const { words } = localWorld(seer.id);
  // a mission counts if the prompt names it; prompts for wrapped colours do not
  const missionOf = (environment: StepEnvironment): string => {
    const seen = { text: environment.text(), arrays: environment.observe() };
    return words?.prompt(seen, { palette }).includes(seen.text) ? seen.text : '';
  };
  return (environment, action) => {
    seer.restore(environment.state());
    // environments with ratings are stepped here, synchronously
    const mission = missionOf(environment as StepEnvironment);
    const known = ratings.get(pixelsOf(seer.frame())) ?? [];
    const rated = known.find(({ text_input }) => text_input.includes(mission));
    const rating = rated?.utilities[environment.actions[action]!] ?? null;
    return () => rating;
  };
}

/** The rater (null if unused), and the versions a resumed run must match. Errors: `usage`, `missing`, `io`, `data`. */
export async function openRating(
  { env, utilities, shaping, play }: PpoConfig,
  { listener }: Host,
): Promise<{ readonly rate: StepRater | null; readonly versions: Readonly<Record<string, string>> }> {
  if (shaping.utility === null && utilities === null) return { rate: null, versions: {} };
  const rate = scriptedRater(env);
  if (utilities === null) return { rate, versions: {} };
  if (shaping.utility === null)
    throw new EmacError('usage', '--utility-data: belongs to --utility, which was not given');
  const seer = openEnvironment(env, { palette: ownPalette(play.palette), maxSteps: play.maxSteps });
  const { sha256, pictures, ...stored } = await storedRater(utilities, { seer, palette: play.palette });
  listener?.note?.(`${pictures} pictures of ${utilities} have ratings`);
  return { rate: stored.rate, versions: { utilities: sha256 } };
}
