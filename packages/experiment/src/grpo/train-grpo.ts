/** GRPO for programs: in an environment, or in the Lewis game with one role or both in turns. */
import { EmacError } from '@emac/core';
import {
  checkpointForm,
  isAddress,
  plainHost,
  requireEpisodesHere,
  requirePlayable,
  serviceNamed,
  type Host,
} from '@emac/opening';
import { grpoConfig, ofOneRole, type GivenGrpoConfig, type GrpoConfig, type LewisRole } from '@emac/settings';
import { requireBeginning } from '../beginning.ts';
import { beginChain, type Finishing } from '../life/chain.ts';
import { refuseElsewhere } from '../life/run.ts';
import { askedHere, grpoRecipe, type FinishedGrpo, type GrpoAsked, type GrpoTypes } from './recipe.ts';

/** largest seed of a chain, whose runs use 1000 times the seed and more */
const mostSeed = 999_999_999_999 - 1;

/** Trains in an environment, or one role of the Lewis game, in a new run folder. Errors before that is made leave nothing behind; later ones are `RunError`s. */
export async function trainGrpo(
  given: GivenGrpoConfig & { readonly role?: LewisRole | null },
  host?: Host,
): Promise<FinishedGrpo> {
  const [run] = await trainGrpoRuns(given, host);
  return run!;
}

/**
 * One run, or with `role: 'both'` a chain with one run per turn. The listener is first; each trains against the other
 * role's newest run, from its own newest. Errors: those of `trainGrpo`.
 */
export async function trainGrpoRuns(
  given: GivenGrpoConfig,
  host: Host & Finishing<GrpoTypes> = plainHost(),
): Promise<FinishedGrpo[]> {
  const { role, turns, init, seed } = grpoConfig(given);
  if (role !== 'both') {
    const planned = asked({ ...given, role }, host);
    const other = role === 'speaker' ? 'listener' : 'speaker';
    const name = planned.config[other];
    if (host.rehearse && role !== null && isAddress(name)) refuseElsewhere(`--${other}`, name);
    return beginChain(grpoRecipe, planned, host);
  }
  if (init !== null)
    throw new EmacError(
      'usage',
      '--init: holds one role, and --role both trains two; give --speaker or --listener a run',
    );
  // every turn has its own seed
  if (seed > mostSeed)
    throw new EmacError('usage', `--seed: must be at most ${mostSeed} with --role both, got ${seed}`);
  const first = asked({ ...given, role: 'listener', turn: 0, turns, seed: 1000 * seed }, host);
  return beginChain(grpoRecipe, first, host);
}

/** Checked before anything is opened. Errors: `usage`, `config`. */
function asked(given: GivenGrpoConfig, host: Host): GrpoAsked {
  const config = ofOneRole(limitedAsInit(grpoConfig({ ...partner(given, host), ...given }), given));
  requirePlayable(config);
  requireEpisodesHere(config, 'grpo', host);
  requireFittingStaleness(config);
  requireBeginning('grpo', given, config);
  return askedHere(config);
}

/**
 * The services in environment variables, if the configuration names no partner. Errors: `usage` if the partner has no
 * address.
 */
function partner(given: GivenGrpoConfig, { env }: Pick<Host, 'env'>): Partial<GrpoConfig> {
  if (given.role == null) return {};
  const other = given.role === 'speaker' ? 'listener' : 'speaker';
  return given[other] === undefined ? { [other]: serviceNamed(other, env) } : {};
}

/** Keeps the pixel limit of the start's training unless given; runs older than the setting had none. */
function limitedAsInit(config: GrpoConfig, { model: given }: Pick<GivenGrpoConfig, 'model'>): GrpoConfig {
  const { init, model } = config;
  const form = init === null || given?.maxPixels !== undefined ? null : checkpointForm(init)?.lewis;
  return !form ? config : { ...config, model: { ...model, maxPixels: form.model.maxPixels ?? null } };
}

/**
 * Errors: `usage` with stale answers if a service provides prompts: its replies are counted by update, but prompts are
 * requested ahead.
 */
function requireFittingStaleness({ role, speaker, optimization }: GrpoConfig): void {
  const { maxStaleness } = optimization;
  if (maxStaleness === 0 || role !== 'listener' || !isAddress(speaker)) return;
  throw new EmacError(
    'usage',
    `--max-staleness ${maxStaleness}: would make prompts before the updates that learn from them, but replies of --speaker ${speaker} are counted per update; give one of the two`,
  );
}
