/** Checks of a run that begins, whatever gives its settings: each has an effect, and a large model has a preset or a rate. */
import { grpoPresetNames, ppoPresetNames, presetNames, type Phase } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import { modelFilesOf, subjectOf } from '@emac/opening';
import { underNamesToday } from '@emac/runs';
import {
  grpoDefaults,
  grpoSchema,
  merged,
  ofProgram,
  ppoSchema,
  requireEffect,
  trainConfig,
  trainSchema,
  type GivenGrpoConfig,
  type GivenPpoConfig,
  type GivenSettings,
  type Layer,
  type RunCommand,
} from '@emac/settings';
import { ppoDefaults } from './reinforcement/given-config.ts';

interface GivenOf {
  readonly train: GivenSettings;
  readonly ppo: GivenPpoConfig;
  readonly grpo: GivenGrpoConfig;
}

const schemas = { train: trainSchema, ppo: ppoSchema, grpo: grpoSchema };
const presets = { train: presetNames, ppo: ppoPresetNames, grpo: grpoPresetNames };

/** The defaults beside given settings. */
const defaults: { readonly [C in RunCommand]: (given: GivenOf[C], methods: readonly string[]) => object } = {
  train: ({ env, preset, policy }, [phase]) =>
    trainConfig({
      phase: phase as Phase,
      ...(env !== undefined && { env }),
      ...(preset !== undefined && { preset }),
      ...(policy !== undefined && { policy }),
    }),
  ppo: ppoDefaults,
  grpo: grpoDefaults,
};

/** The given settings, all layers merged; `methods` run after each other. Errors: those of `requireEffect`. */
export function effective<Command extends RunCommand>(
  command: Command,
  layers: readonly Layer[],
  methods: readonly string[] = [command],
): GivenOf[Command] {
  const all = layers.reduce<unknown>((below, each) => merged(below, each.settings), {}) as GivenOf[Command];
  const beside = defaults[command](all, methods) as { readonly env: string; readonly policy: string };
  const { env, policy } = beside;
  const subjects = methods.map((method) => subjectOf({ method, env, policy }));
  return requireEffect({ schema: schemas[command], layers, defaults: beside, subjects });
}

/** Of settings that a program gives. Errors: those of `effective`; `usage` for a large model with neither preset nor rate, since those of `tiny` are far too high for it. */
export function requireBeginning<Command extends RunCommand>(
  command: Command,
  asked: GivenOf[Command],
  { policy, methods }: { readonly policy: string; readonly methods?: readonly string[] },
): void {
  const given = underNamesToday(asked);
  effective(command, ofProgram(given), methods);
  const { preset, optimization } = given as GivenSettings;
  if (preset !== undefined || optimization?.learningRate !== undefined) return;
  const files = modelFilesOf(policy);
  if (files) requirePreset([...files.tensors.values()], { policy, presets: presets[command] });
}

/** Largest number of parameters trained with the default preset. */
const most = 100_000_000;

/** Errors: `usage` for a model of more parameters. */
export function requirePreset(
  tensors: readonly { readonly shape: readonly number[] }[],
  asked: { readonly policy: string; readonly presets: readonly string[] },
): void {
  const sizes = tensors.map(({ shape }) => shape.reduce((product, each) => product * each, 1));
  const parameters = sizes.reduce((sum, each) => sum + each, 0);
  if (parameters <= most) return;
  const large = asked.presets.filter((name) => name !== 'tiny');
  const words = `${large.slice(0, -1).join(', ')} or ${large.at(-1)}`;
  throw new EmacError(
    'usage',
    `--preset: is required for a model above ${most / 1e6} million parameters, ${asked.policy} has ${Math.round(parameters / 1e6)}; give ${words}, which are for such models, or a rate with --lr (tiny, the default, is for models of about one million)`,
  );
}
