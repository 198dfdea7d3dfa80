/** Refuses settings without effect in a training that begins, whatever gave them. */
import type { Phase } from '@emac/algorithms';
import { subjectOf } from '@emac/opening';
import {
  grpoDefaults,
  grpoSchema,
  merged,
  ppoSchema,
  requireEffect,
  trainConfig,
  trainSchema,
  type GivenGrpoConfig,
  type GivenPpoConfig,
  type GivenSettings,
  type Layer,
} from '@emac/settings';
import { ppoDefaults } from './reinforcement/given-config.ts';

/** Settings of imitation and preferences. Errors: those of `requireEffect`. */
export function effectiveTraining(layers: readonly Layer[], phases: readonly Phase[]): GivenSettings {
  const { env, preset, policy } = allOf<GivenSettings>(layers);
  const defaults = trainConfig({
    phase: phases[0]!,
    ...(env !== undefined && { env }),
    ...(preset !== undefined && { preset }),
    ...(policy !== undefined && { policy }),
  });
  const place = { env: defaults.env, policy: defaults.policy };
  const subjects = phases.map((method) => subjectOf({ method, ...place }));
  return requireEffect({ schema: trainSchema, layers, defaults, subjects });
}

/** Settings of PPO. Errors: those of `requireEffect`. */
export function effectivePpo(layers: readonly Layer[]): GivenPpoConfig {
  const defaults = ppoDefaults(allOf(layers));
  const subject = subjectOf({ method: 'ppo', env: defaults.env, policy: defaults.policy });
  return requireEffect({ schema: ppoSchema, layers, defaults, subjects: [subject] });
}

/** Settings of GRPO. Errors: those of `requireEffect`. */
export function effectiveGrpo(layers: readonly Layer[]): GivenGrpoConfig {
  const defaults = grpoDefaults(allOf(layers));
  const subject = subjectOf({ method: 'grpo', env: defaults.env, policy: defaults.policy });
  return requireEffect({ schema: grpoSchema, layers, defaults, subjects: [subject] });
}

const allOf = <Given>(layers: readonly Layer[]): Given =>
  layers.reduce<unknown>((below, each) => merged(below, each.settings), {}) as Given;
