/** What `emac eval` keeps in a folder; of episodes that are played step by step also films, or VLA-RL's folder. */
import { basename, join } from 'node:path';
import { EmacError } from '@emac/core';
import {
  defaultPolicyOf,
  isFolderName,
  publishedFolder,
  publishedLog,
  rolloutPath,
  rolloutRecords,
  type Evaluating,
} from '@emac/experiment';
import { isFolder, isThere, writeFileAtomic } from '@emac/files';
import { isWorded, type StepAction } from '@emac/opening';
import type { EpisodeWatcher } from '@emac/rollout';
import { filmingWatcher } from '../../reports/episode-films.ts';
import type { Filmed } from '../../reports/films.ts';
import type { Io } from '../../terminal/io.ts';

export interface KeptSteps {
  readonly env: string;
  readonly ckpt: string;
  /** the model, if it was named */
  readonly policy: string | null;
  readonly temperature: number;
  readonly seed: number;
  /** all with a layout, unless others are chosen */
  readonly gif: Filmed | null;
  /** `out` gets the layout of VLA-RL's code; the folder's name begins with policy and task */
  readonly layout: 'published' | null;
  /** at the end of that name */
  readonly note: string | null;
  readonly out: string | null;
  /** workers play, or a client */
  readonly isQueued: boolean;
  readonly isAtClient: boolean;
}

/** Before anything opens or is created. Errors: `usage` for films without a folder, `cannot-create` for a file in its place. */
export function requireFolder(
  { gif, layout, data }: Pick<KeptSteps, 'gif' | 'layout'> & { readonly data?: unknown },
  { out, isFile }: { readonly out: string | null; readonly isFile: boolean },
): void {
  const shows = layout ? '--layout' : gif !== null ? '--gif' : null;
  if (shows && data != null) throw new EmacError('usage', `${shows}: belongs to games, but --data has none`);
  if (shows && (out === null || (isFile && !isFolderName(out))))
    throw new EmacError(
      'usage',
      `${shows}: is written into the folder of an evaluation; give --out FOLDER/, or leave it out`,
    );
  if (!isFile && out !== null && isThere(out) && !isFolder(out))
    throw new EmacError('cannot-create', `--out ${out}: is a file; give the name of a folder`);
}

/** Before anything opens or is created. Errors: `usage`. */
export function requireShown({ env, gif, layout, note, isQueued, isAtClient }: KeptSteps): void {
  const shows = layout ? '--layout' : gif !== null ? '--gif' : null;
  const wrong = [
    [layout === null && note !== null, '--note: belongs to --layout published, which was not given'],
    [
      shows && isAtClient,
      `${shows}: is for environments on this machine, but a client plays ${env}; leave it out`,
    ],
    [
      isQueued && isAtClient,
      `--queue: workers play environments on their machines, got --env ${env}, which a client plays; leave it out`,
    ],
    [
      shows && isQueued,
      `--queue: workers show no steps; leave it out, or leave out ${shows}, which keeps steps`,
    ],
    [
      shows && isWorded(env),
      `${shows}: is for environments of numbered actions, but actions of ${env} are words; leave it out`,
    ],
  ] as const;
  for (const [isWrong, sentence] of wrong) if (isWrong) throw new EmacError('usage', sentence);
}

/** Written into an evaluation's folder beside its result. Errors: `usage`. */
export function keptSteps(kept: KeptSteps, io: Pick<Io, 'now'>): NonNullable<Evaluating['beside']> {
  const { env, ckpt, policy, layout, gif, out } = kept;
  const written = { with: JSON.stringify({ layout, gif }) };
  const filming = (folder: string, isFresh: boolean, places = {}) =>
    gif === null ? null : filmingWatcher(folder, gif, { ...places, goesOn: !isFresh });
  if (layout === null) return { ...written, begin: filming };
  const model = ckpt === 'untouched' ? (policy ?? defaultPolicyOf(env)) : ckpt;
  const placeOf = (episode: number, isWon: boolean) => rolloutPath(env, episode, isWon);
  return {
    ...written,
    out: publishedFolder(out!, { ...kept, model }, new Date(io.now())),
    begin: (folder, isFresh) => together(rolloutRecords(folder, env), filming(folder, isFresh, { placeOf })!),
    end: (folder, result) =>
      writeFileAtomic(join(folder, `${basename(folder, '.part')}.txt`), publishedLog(result)),
  };
}

/** Calls `first` before `second`, because `second` may step the environment. */
function together(
  first: EpisodeWatcher<StepAction>,
  second: EpisodeWatcher<StepAction>,
): EpisodeWatcher<StepAction> {
  return {
    begun: (...begun) => [first, second].forEach((each) => each.begun(...begun)),
    stepped: (...stepped) => [first, second].forEach((each) => each.stepped(...stepped)),
    ended: (...ended) => [first, second].forEach((each) => each.ended(...ended)),
  };
}
