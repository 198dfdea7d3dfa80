/** Where training starts: the projection, the reference policy, the games and lessons that come with them. */
import { dirname, isAbsolute, join } from 'node:path';
import type { DaggerState } from '@emac/algorithms';
import { adapterTargets, type Adapter, type AdapterTarget } from '@emac/backbone';
import { EmacError, type Random } from '@emac/core';
import { isThere } from '@emac/files';
import { drawnAdapter, type TrainedPart } from '@emac/model';
import { layout, loadCheckpoint, readConfig, readRecord, resolveCheckpoint } from '@emac/runs';
import type { TrainConfig } from '../config/train-config.ts';
import type { OpenModel } from '../opening/model.ts';
import {
  isOfOthers,
  ownProjection,
  randomProjection,
  storedProjection,
  type ProjectionStart,
} from '../opening/projection-start.ts';
import type { PlayedBefore } from '../tasks/games.ts';

/** The name of the start as it is recorded: model, random where the model has no such projection, or a path. */
export function initOf({ start }: Pick<TrainConfig, 'start'>, { files }: Pick<OpenModel, 'files'>): string {
  const { init, ref, projection } = start;
  return (
    init ?? ref ?? (projection === null || projection === ownProjection(files).kind ? 'model' : 'random')
  );
}

/** Errors: `usage` where kind or width are not those of the start; those of `storedProjection`. */
export function projectionStart(config: TrainConfig, model: OpenModel, random: Random): ProjectionStart {
  const { projection: kind, hidden } = config.start;
  const init = initOf(config, model);
  if (init === 'random') return drawnProjection(config, model, random.stream('projection'));
  const start = init === 'model' ? ownProjection(model.files) : storedProjection(init, model);
  if ((kind !== null && kind !== start.kind) || (hidden !== null && hidden !== start.hidden)) {
    const is = start.hidden === null ? start.kind : `${start.kind} of width ${start.hidden}`;
    throw new EmacError(
      'usage',
      `--projection: ${init} holds a projection that is ${is}; give --init random for another one`,
    );
  }
  return start;
}

/** A newly drawn adapter of the language model; `targets` as `--lora-targets` takes them. */
export interface FreshAdapter {
  readonly rank: number;
  readonly alpha: number;
  readonly dropout: number;
  readonly targets: string;
}

/** An adapter of the language model where training starts without one. */
export const defaultAdapter: FreshAdapter = { rank: 8, alpha: 16, dropout: 0, targets: 'all-linear' };

/** The parts that learn. */
export function trainedParts({ trained }: Pick<TrainConfig, 'trained'>): TrainedPart[] {
  return trained.parts.split(',').map((part) => (part === 'lora' ? 'adapter' : 'projection'));
}

/**
 * The adapter that a policy has: that of its start, which stays as it is where it is not trained, else a newly drawn one where one is
 * to be trained, else none. Errors: `usage` for settings that are not those of the start's, or name no projection.
 */
export function adapterStart(
  { trained }: Pick<TrainConfig, 'trained'>,
  {
    start,
    model,
    random,
    fresh = defaultAdapter,
  }: {
    readonly start: ProjectionStart;
    readonly model: OpenModel;
    readonly random: Random;
    /** what settings leave open where one is drawn */
    readonly fresh?: FreshAdapter;
  },
): Adapter | null {
  if (!trained.parts.includes('lora')) return start.adapter;
  const targets = trained.targets === null ? null : targetsOf(trained.targets);
  if (!start.adapter) {
    const { rank, alpha, dropout } = fresh;
    const settings = {
      rank: trained.rank ?? rank,
      alpha: trained.alpha ?? alpha,
      dropout: trained.dropout ?? dropout,
      targets: targets ?? targetsOf(fresh.targets),
      rankStabilized: false,
    };
    return drawnAdapter(model.files.config, settings, random.stream('adapter'));
  }
  const { settings } = start.adapter;
  const given = { rank: trained.rank, alpha: trained.alpha, targets: targets?.join() ?? null };
  const own = { rank: settings.rank, alpha: settings.alpha, targets: settings.targets.join() };
  for (const name of ['rank', 'alpha', 'targets'] as const)
    if (given[name] !== null && given[name] !== own[name])
      throw new EmacError(
        'usage',
        `--lora-${name}: training starts from an adapter whose ${name === 'targets' ? 'targets are' : `${name} is`} ${own[name]}, got ${given[name]}; leave it out, or start with --init model`,
      );
  return { ...start.adapter, settings: { ...settings, dropout: trained.dropout ?? settings.dropout } };
}

/** Errors: `usage` for a name that no projection has. */
function targetsOf(text: string): AdapterTarget[] {
  if (text === 'all-linear') return [...adapterTargets];
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !adapterTargets.some((target) => target === name));
  if (unknown !== undefined)
    throw new EmacError(
      'usage',
      `--lora-targets: ${JSON.stringify(unknown)} matches no projection of the language model; give all-linear, or some of ${adapterTargets.join(', ')}`,
    );
  return adapterTargets.filter((target) => names.includes(target));
}

function drawnProjection({ start }: TrainConfig, { files }: OpenModel, random: Random): ProjectionStart {
  const kind = start.projection ?? 'linear';
  if (kind === 'linear' && start.hidden !== null)
    throw new EmacError('usage', '--projection-hidden: belongs to --projection mlp or mlp3');
  const hidden = kind === 'linear' ? null : (start.hidden ?? files.config.llama.hiddenSize);
  return randomProjection(random, kind, hidden);
}

/** The lessons that a run of preference learning begins with. Errors: `usage` where its reference is no run. */
export function carriedMemories(
  { start, phase }: Pick<TrainConfig, 'start' | 'phase'>,
  ref: string | null,
): DaggerState['memories'] {
  if (start.carry === null || phase === 'bc' || ref === null) return [];
  const { memories } = stateOf(ref).training;
  if (!memories)
    throw new EmacError('usage', `--carry memories: ${ref} is not a run, so it holds no lessons`);
  return memories;
}

/** What training on games left in a policy; nothing where that is no run. */
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

/** Ids of games that a policy has won while it was trained, in all its phases, sorted; none where it played none. */
export function solvedBy(policy: string | null): readonly string[] {
  if (policy === null || policy === 'model' || policy === 'random') return [];
  const { training, solvedBefore } = stateOf(policy);
  return [...new Set([...(training.solved ?? []), ...solvedBefore])].sort();
}

/** What a reference did with games: those that it was trained on, and those that it won; null where it played none. */
export function playedBefore(
  ref: string,
  { seen, solved }: { readonly seen: readonly string[]; readonly solved: readonly string[] },
): PlayedBefore | null {
  return stateOf(ref).training.solved ? { seen: new Set(seen), solved: new Set(solved) } : null;
}

const usualGames = 'builtin:train';

/** The games of a phase: those that were asked for, else those of the reference's run, else the built-in ones. */
export function gamesOf({ play, phase, start }: Pick<TrainConfig, 'play' | 'phase' | 'start'>): string {
  if (play.games !== null) return play.games;
  return (phase === 'dpo' && start.ref !== null && gamesOfRun(start.ref)) || usualGames;
}

/** What a run trained on; null where the reference is no run, or one on a dataset. Errors: `missing`, `data`. */
function gamesOfRun(ref: string): string | null {
  if (isOfOthers(ref)) return null;
  const checkpoint = resolveCheckpoint(ref).folder;
  const folder = dirname(dirname(checkpoint));
  if (!isThere(join(folder, layout.config)) || !isThere(join(folder, layout.run))) return null;
  const games = gamesInConfig(readConfig(folder));
  if (games === null || games.startsWith('builtin:') || isAbsolute(games)) return games;
  const there = join(readRecord(folder).workingDirectory, games);
  return isThere(there) ? there : games;
}

/** As this version writes it, or the first one (`given.games`). */
function gamesInConfig(config: unknown): string | null {
  const { play, given } = config as {
    readonly play?: { readonly games?: unknown };
    readonly given?: { readonly games?: unknown };
  };
  const games = play?.games ?? given?.games;
  return typeof games === 'string' ? games : null;
}
