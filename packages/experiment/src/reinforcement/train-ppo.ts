/** PPO for programs. */
import { plainHost, requireFittingInference, type Host } from '@emac/opening';
import { requireDraws, type GivenPpoConfig } from '@emac/settings';
import { requireBeginning } from '../beginning.ts';
import { ppoConfig, withFound } from './given-config.ts';
import { beginChain, type Finishing } from '../life/chain.ts';
import { refuseElsewhere } from '../life/run.ts';
import { requireFittingPpo } from './fitting-settings.ts';
import { ppoRecipe, type FinishedPpo, type PpoAsked, type PpoTypes } from './recipe.ts';

/** Trains in a new run folder. Errors before that is made leave nothing behind; later ones are `RunError`s. */
export async function trainPpo(
  given: GivenPpoConfig,
  host: Host & Finishing<PpoTypes> = plainHost(),
): Promise<FinishedPpo> {
  const planned = asked(given);
  if (host.rehearse) refuseElsewhere('--inference', planned.config.inference.url);
  const [run] = await beginChain(ppoRecipe, planned, host);
  return run!;
}

/** Checked before anything is opened. Errors: `usage`, `config`. */
function asked(given: GivenPpoConfig): PpoAsked {
  const config = ppoConfig(withFound(given));
  requireFittingPpo(config);
  requireBeginning('ppo', given, config);
  requireDraws(config.evaluation, 'eval-');
  requireFittingInference(config);
  return { config, here: config };
}
