/**
 * Proximal policy optimization (Schulman et al., arXiv 1707.06347) for any policy with answer probabilities, a critic
 * and gradients: a two-layer network, or a vision-language model that writes thoughts and an action as text (RL4VLM,
 * arXiv 2405.10292). The policy acts for some steps in parallel environments, advantages are estimated with the critic,
 * and minibatches of these steps train both. The ratio is per token (VL-DAC, arXiv 2508.04280) or per answer; values
 * are per environment step, or also per token (`tokenTrace`; bi-level GAE, VAGEN, arXiv 2510.16907).
 *
 * Departures from RL4VLM's code: every step keeps its own prompt, not the episode's first. Truncation bootstraps the
 * value (`truncation`). Entropy counts (`entropyCoefficient`). The policy learns nothing from a random fallback action.
 * Training and evaluation have separate seeds.
 *
 * Steps may come from a policy some updates older than the current one (`maxStaleness`), as with workers. The ratio is
 * then π_θ / π_behaviour, current to acting policy, clipped as usual; values are those of the acting time.
 *
 * The state changes only between two updates. It is saved there, with environments mid-episode, and resumes to the same
 * bytes.
 */
import type { CollectedSteps, StepTexts } from '@emac/rollout';
import type { Coming } from './ahead.ts';
import { temperatureOf } from './shared-settings.ts';
import { stalenessOf } from './versions.ts';
import { batchOf, type Batch } from './ppo/batch.ts';
import { improve, type Improvement } from './ppo/improve.ts';
import { explainedVariance, stepMeasures } from './ppo/measures.ts';
import { beginPlaying, type Played } from './ppo/playing.ts';
import { shapedSteps, type Shaped } from './ppo/shaping.ts';
import { predicted, type Predicted } from './ppo/temporal-predictor.ts';
import type { UpdateRates } from './ppo/update-rates.ts';
import { beginPpo, saveState, type PpoRun, type PpoState, type RunningPpo } from './ppo/ppo-run.ts';

/**
 * Trains policy and critic in place; returns the last state. Errors: `interrupted` after a checkpoint; `check-failed`
 * for numbers that are not finite; `unavailable` if an environment fails: the run then resumes from the last
 * checkpoint, without learning from later steps.
 */
export async function ppo<Action = number>(asked: PpoRun<Action>): Promise<PpoState> {
  const run = await beginPpo(asked);
  try {
    if (!run.resume) await saveState(run, run.vector.state());
    await allUpdates(run);
  } finally {
    await run.vector.close();
  }
  return run.state;
}

async function allUpdates<Action>(run: RunningPpo<Action>): Promise<void> {
  const playing = beginPlaying(run);
  try {
    while (run.state.update < run.updates && !run.isOver?.()) await updated(run, playing);
  } finally {
    await playing.stop();
  }
}

async function updated<Action>(run: RunningPpo<Action>, playing: Coming<Played<Action>>): Promise<void> {
  const { state, versions, settings } = run;
  await run.acting?.begin(state.update);
  const played = await playing.next();
  const acted = await run.acting?.end();
  const staleness = stalenessOf(played, versions.limit);
  const { steps } = played;
  const foreseen = await predicted(run, steps);
  const shaped = shapeOf(run, steps, foreseen);
  const temperature = temperatureOf(settings.play, played.update, run.updates);
  const beside = { ...shaped, temperature, tokenValues: await tokenValuesOf(run, steps) };
  const batch = batchOf(steps, settings, beside);
  const improvement = await improve(run, batch);
  if (shaped.state) state.shaping = shaped.state;
  if (foreseen) state.temporal = foreseen.state;
  run.collected?.(steps, state.update);
  await count(run, {
    batch,
    improvement,
    foreseen,
    shaped,
    ...(versions.limit > 0 && { staleness }),
    ...(acted && { acted }),
  });
  versions.keep(state.update);
  await saveState(run, played.vector);
}

/** Values before the tokens of each answer, by the critic as it is; null if answers have one advantage each. */
async function tokenValuesOf(
  { actorCritic, settings }: Pick<RunningPpo, 'actorCritic' | 'settings'>,
  { prompts, answers }: CollectedSteps<unknown>,
): Promise<readonly Float32Array[] | null> {
  if (settings.advantages.tokenTrace === undefined) return null;
  const { minibatchSize } = settings.optimization;
  const found: Float32Array[] = [];
  for (let start = 0; start < prompts.length; start += minibatchSize) {
    const said = answers.slice(start, start + minibatchSize).map(({ tokens }) => tokens);
    const values = await actorCritic.values(prompts.slice(start, start + minibatchSize), said);
    let next = 0;
    for (const { length } of said) found.push(values.slice(next, (next += length)));
  }
  return found;
}

/** The shaping of the steps, with bonuses of both kinds added. */
function shapeOf(
  { settings, state, updates }: Pick<RunningPpo, 'settings' | 'state' | 'updates'>,
  steps: CollectedSteps<unknown>,
  foreseen: Predicted | null,
): Shaped {
  const { update, shaping: before = null } = state;
  const shaped = shapedSteps(steps, settings.shaping, { before, update, updates });
  const novel = foreseen?.bonuses;
  if (!novel) return shaped;
  return { ...shaped, bonuses: shaped.bonuses?.map((bonus, place) => bonus + novel[place]!) ?? novel };
}

interface Done {
  readonly batch: Batch;
  readonly improvement: Improvement;
  readonly foreseen: Predicted | null;
  readonly shaped: Pick<Shaped, 'ratedShare'>;
  /** updates the acting policy lagged behind; absent without staleness */
  readonly staleness?: number;
  readonly acted?: Readonly<Record<string, number>>;
}

/** Ends an update: reports it and advances the state. */
async function count(
  run: Pick<RunningPpo, 'state' | 'episode' | 'metrics' | 'choice' | 'settings' | 'actorCritic'> & {
    readonly texts: Pick<StepTexts, 'penalizes'>;
  },
  {
    batch: { steps, temperature, returns, bonuses },
    improvement,
    foreseen,
    shaped: { ratedShare },
    staleness,
    acted,
  }: Done,
): Promise<void> {
  const { state } = run;
  const { measures, rates, policyLearns } = improvement;
  const update = state.update++;
  state.environmentSteps += steps.prompts.length;
  state.episodes += steps.finished.length;
  state.running = steps.running;
  for (const episode of steps.finished) await run.episode?.(episode);
  await run.metrics({
    v: 1,
    kind: 'update',
    phase: 'ppo',
    update,
    environment_steps: state.environmentSteps,
    lr: rates.policy,
    ...valueRate(run, rates),
    ...(run.settings.play.finalTemperature !== undefined && { temperature }),
    policy_learns: policyLearns ? 1 : 0,
    gradient_steps: improvement.steps,
    ...(staleness !== undefined && { staleness }),
    ...stepMeasures(steps, run.texts),
    ...measures,
    ...(bonuses && { mean_bonus: bonuses.reduce((sum, bonus) => sum + bonus, 0) / bonuses.length }),
    ...(ratedShare !== null && { rated_share: ratedShare }),
    ...foreseen?.measures,
    ...acted,
    explained_variance: explainedVariance(steps.values, returns),
    ...run.choice?.measures?.(),
  });
}

/** The critic's learning rate, if it has its own schedule; its groups have one scale. */
function valueRate(
  { settings, actorCritic: { groups } }: Pick<RunningPpo, 'settings' | 'actorCritic'>,
  { value }: UpdateRates,
): { readonly value_lr?: number } {
  if (settings.optimization.valueSchedule === null) return {};
  return { value_lr: value * (groups.value[0]?.learningRateScale ?? 1) };
}
