/** Starts, resumes and saves a run. */
import { EmacError } from '@emac/core';
import { createOptimizer } from '@emac/optim';
import type { DaggerRun, Running } from './dagger-run.ts';
import { initialState, progressOf, type DaggerState } from './dagger-state.ts';
import type { Learner } from './methods/method.ts';
import { restoreChoice, resumedState, stopIfAsked } from './run-state.ts';

/** A run at its beginning, or at its checkpoint. Errors: `data` if the checkpoint belongs to another run. */
export function begin(run: DaggerRun): Running {
  const { phase, settings, policy, random, resume, memories } = run;
  const fresh = initialState(phase, random.path, memories);
  const owner = { v: fresh.v, phase, randomPath: random.path };
  const state = resume ? resumedState(resume.state, owner, Object.keys(fresh)) : fresh;
  const optimizer = createOptimizer(policy.groups, settings.optimization, resume?.optimizer);
  if (resume) restoreChoice(run.choice, state);
  requireSameMoment(run.learner, state);
  return { ...run, state, optimizer, saved: progressOf(state) };
}

/** Does the work; if it stops with consistent state, saves first. */
export async function savedWhereItStops(run: Running, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const { learner, state } = run;
    const isWhole = leavesStateWhole(thrown) && isSameMoment(learner, state);
    if (isWhole && progressOf(state) !== run.saved) await storeCheckpoint(run, { isExtra: true });
    throw thrown;
  }
}

/** Errors: `interrupted` if the run was asked to stop. */
export async function saveCheckpoint(run: Running): Promise<void> {
  await storeCheckpoint(run, { isExtra: false });
  stopIfAsked(run);
}

async function storeCheckpoint(run: Running, { isExtra }: { readonly isExtra: boolean }): Promise<void> {
  const { checkpoint, state, optimizer, choice } = run;
  if (choice) state.choice = choice.state();
  await checkpoint?.({ state: structuredClone(state), optimizer: optimizer.state(), isExtra });
  run.saved = progressOf(state);
}

/** Faults of services and requests to stop; not those of the disk, of the numbers, or of the state itself. */
function leavesStateWhole(thrown: unknown): boolean {
  return !(thrown instanceof EmacError) || ['interrupted', 'unavailable', 'auth'].includes(thrown.code);
}

/** False while the samples of a group are stored: some are in the buffer that the state does not count yet. */
function isSameMoment(learner: Learner, state: DaggerState): boolean {
  return learner.appended() === state.appended;
}

function requireSameMoment(learner: Learner, state: DaggerState): void {
  if (isSameMoment(learner, state)) return;
  const counts = `${learner.appended()} samples in the buffer, ${state.appended} in the state`;
  throw new EmacError(
    'data',
    `training: buffer and state must be of one checkpoint, got ${counts}; use both from one checkpoint`,
  );
}
