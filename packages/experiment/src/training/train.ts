/** Training for programs: one phase or several. */
import { invariant } from '@emac/core';
import type { Host } from '@emac/opening';
import { trainConfig, type GivenSettings, type GivenTrainConfig, type TrainConfig } from '@emac/settings';
import { requireBeginning } from '../beginning.ts';
import { beginChain, type Finishing } from '../life/chain.ts';
import { trainRecipe, type FinishedRun, type TrainTypes } from './recipe.ts';

/** A host that is called after every phase, before the next one begins. */
export type TrainingHost = Host & Finishing<TrainTypes>;

/** Trains one phase in a new run folder. Errors: as `trainPhases`. */
export async function train(
  { phase, ...given }: GivenTrainConfig,
  host?: TrainingHost,
): Promise<FinishedRun> {
  const [run] = await trainPhases(given, [phase], host);
  return run!;
}

/**
 * Trains phase after phase, each in its own run folder and against the one before; missing settings come from the
 * phase's preset. Errors: those of `planTraining` leave nothing behind; a fault of a started run is a `RunError`.
 */
export async function trainPhases(
  given: GivenSettings,
  phases: readonly TrainConfig['phase'][],
  host?: TrainingHost,
): Promise<FinishedRun[]> {
  const [phase] = phases;
  invariant(phase, 'trainPhases: needs one phase or more');
  const config = trainConfig({ ...given, phase });
  requireBeginning('train', given, { policy: config.policy, methods: phases });
  return beginChain(trainRecipe, { config, phases, given, drawn: [], directory: null }, host);
}
