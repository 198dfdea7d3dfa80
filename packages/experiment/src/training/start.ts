/** The start of training: projection and reference policy, with their games and lessons. */
import { isAbsolute, join } from 'node:path';
import { learnsPairs, type DaggerState } from '@emac/algorithms';
import { EmacError, type Random } from '@emac/core';
import { isThere } from '@emac/files';
import {
  isOfOthers,
  ownProjection,
  randomProjection,
  runOf,
  storedProjection,
  type OpenModel,
  type PlayedBefore,
  type ProjectionStart,
} from '@emac/opening';
import { loadCheckpoint, readConfig, readRecord, resolveCheckpoint } from '@emac/runs';
import { usualEnvironment, valueAtPath, type TrainConfig } from '@emac/settings';

/** The recorded name of the start: model, random if the model has no such projection, or a path. */
export function initOf(
  { init, start: { ref, projection } }: Pick<TrainConfig, 'init' | 'start'>,
  { files }: Pick<OpenModel, 'files'>,
): string {
  return (
    init ??
    ref ??
    (projection === null || projection === ownProjection(files).projection?.kind ? 'model' : 'random')
  );
}

/** Errors: `usage` if kind or width differ from the start's; those of `storedProjection`. */
export function projectionStart(config: TrainConfig, model: OpenModel, random: Random): ProjectionStart {
  const { projection: kind, hidden } = config.start;
  const init = initOf(config, model);
  requireSomeProjection(config, model);
  if (init === 'random') return drawnProjection(config, model, random.stream('projection'));
  const start = init === 'model' ? ownProjection(model.files) : storedProjection(init, model);
  const { projection } = start;
  if (!projection) return start;
  if ((kind !== null && kind !== projection.kind) || (hidden !== null && hidden !== projection.hidden)) {
    const is =
      projection.hidden === null ? projection.kind : `${projection.kind} of width ${projection.hidden}`;
    throw new EmacError(
      'usage',
      `--projection: ${init} holds a projection that is ${is}; give --init random for another one`,
    );
  }
  return start;
}

/** Errors: `usage` where a projection is asked for, and the model reads text alone. */
function requireSomeProjection(
  { init, start: { projection, hidden } }: TrainConfig,
  { files: { family, folder } }: OpenModel,
): void {
  const asked =
    projection !== null
      ? `--projection ${projection}`
      : hidden !== null
        ? `--projection-hidden ${hidden}`
        : init === 'random'
          ? '--init random'
          : null;
  if (family.vision || asked === null) return;
  throw new EmacError(
    'usage',
    `${asked}: ${folder} is ${family.title} model, which reads text alone and has no projection; leave it out`,
  );
}

function drawnProjection({ start }: TrainConfig, { files }: OpenModel, random: Random): ProjectionStart {
  const kind = start.projection ?? 'linear';
  if (kind === 'linear' && start.hidden !== null)
    throw new EmacError('usage', '--projection-hidden: belongs to --projection mlp or mlp3');
  const hidden = kind === 'linear' ? null : (start.hidden ?? files.config.llama.hiddenSize);
  return randomProjection(random, kind, hidden);
}

/** The initial lessons of a preference-learning run. Errors: `usage` if its reference is no run. */
export function carriedMemories(
  { start, phase }: Pick<TrainConfig, 'start' | 'phase'>,
  ref: string | null,
): DaggerState['memories'] {
  if (start.carry === null || !learnsPairs(phase) || ref === null) return [];
  const { memories } = stateOf(ref).training;
  if (!memories) throw new EmacError('usage', `--carry memories: ${ref} is not a run, so it has no lessons`);
  return memories;
}

/** A policy's state from training on games; empty if it is no run. */
function stateOf(policy: string): {
  readonly training: Partial<DaggerState>;
  readonly solvedBefore: readonly string[];
} {
  if (isOfOthers(policy)) return { training: {}, solvedBefore: [] };
  const { training = {}, solvedBefore = [] } = loadCheckpoint(resolveCheckpoint(policy).folder).state as {
    readonly training?: Partial<DaggerState>;
    readonly solvedBefore?: readonly string[];
  };
  return { training, solvedBefore };
}

/** Sorted ids of the games a policy has won in all its training phases; none if it played none. */
export function solvedBy(policy: string | null): readonly string[] {
  if (policy === null || policy === 'model' || policy === 'random') return [];
  const { training, solvedBefore } = stateOf(policy);
  return [...new Set([...(training.solved ?? []), ...solvedBefore])].sort();
}

/** A reference's training games and wins; null if it played none. */
export function playedBefore(
  ref: string,
  { seen, solved }: { readonly seen: readonly string[]; readonly solved: readonly string[] },
): PlayedBefore | null {
  return stateOf(ref).training.solved ? { seen: new Set(seen), solved: new Set(solved) } : null;
}

/** The games of a phase: the requested ones, else the reference run's; null for the environment's own. */
export function gamesOf({ env, games, phase, start, dataset }: TrainConfig): string | null {
  const { ref } = start;
  if (games !== null || dataset || env !== usualEnvironment || !learnsPairs(phase)) return games;
  return ref && gamesOfRun(ref);
}

/** A run's training games; null unless the reference is a run on games. Errors: `missing`, `data`. */
function gamesOfRun(ref: string): string | null {
  if (isOfOthers(ref)) return null;
  const folder = runOf(resolveCheckpoint(ref).folder);
  if (folder === null) return null;
  const games = gamesInConfig(readConfig(folder) as object);
  if (games === null || games.startsWith('builtin:') || isAbsolute(games)) return games;
  const there = join(readRecord(folder).workingDirectory, games);
  return isThere(there) ? there : games;
}

/** As this version writes it, or the first one (`given.games`). */
function gamesInConfig(config: object): string | null {
  const games = valueAtPath(config, 'games') ?? valueAtPath(config, 'given.games');
  return typeof games === 'string' ? games : null;
}
