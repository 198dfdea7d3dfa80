/** What a checkpoint, and the run around it, records of its policy: where it was trained, on which model, how it acts. */
import { dirname, isAbsolute, join } from 'node:path';
import { EmacError } from '@emac/core';
import { isThere } from '@emac/files';
import {
  layout,
  loadCheckpoint,
  readConfig,
  readRecord,
  resolveCheckpoint,
  underNamesToday,
} from '@emac/runs';
import {
  isEnvironmentModule,
  pathFrom,
  shippedModels,
  smallNetworkOf,
  usualEnvironment,
  usualModel,
  type GivenPpoConfig,
  type GrpoConfig,
  type LewisRole,
} from '@emac/settings';
import { readForm, type PolicyForm, type PpoForm } from './policy-form.ts';
import { isModel, isOfOthers } from './projection-start.ts';

/** Of a speaker or listener: enough to open the policy of a copied checkpoint. */
export interface LewisForm extends Pick<GrpoConfig, 'game'> {
  readonly role: LewisRole;
  /** runs that were made before there was a limit on pixels have none */
  readonly model: { readonly path: string; readonly maxPixels?: number | null };
}

export interface CheckpointForm {
  /** the checkpoint's name */
  readonly name: string;
  /** the run around its folder; null for a copy */
  readonly run: string | null;
  /** its training environment; null for one trained on a dataset, or in ALFWorld's games */
  readonly env: string | null;
  /** ids of its training environments; empty without `env` */
  readonly trainedIn: readonly string[];
  /** of one trained step by step, and of a small network */
  readonly stepped: PpoForm | null;
  /** null for a small network */
  readonly spoken: PolicyForm | null;
  /** null for one that was not trained in the Lewis game */
  readonly lewis: LewisForm | null;
  /** names of its training episodes */
  readonly games: readonly string[];
}

/** By the name of a run or checkpoint; null for parameters that were not trained here. Errors: `missing`, `data`. */
export function checkpointForm(reference: string): CheckpointForm | null {
  if (isOfOthers(reference)) return null;
  const { folder, name } = resolveCheckpoint(reference);
  const { state, manifest } = loadCheckpoint(folder);
  const {
    environment: stepped = null,
    tasks,
    lewis = null,
  } = state as {
    readonly environment?: PpoForm;
    readonly tasks?: readonly string[];
    readonly lewis?: LewisForm;
  };
  const spoken = stepped && state['policy'] === undefined ? null : readForm(state, folder);
  const env = stepped?.env ?? spoken?.env ?? null;
  const trainedIn = tasks ?? (env === null ? [] : [env]);
  const form = stepped && underNamesToday(stepped);
  return { name, run: runOf(folder), env, trainedIn, stepped: form, spoken, lewis, games: manifest.games };
}

/** The settings needed to play episodes step by step with a checkpoint's policy. */
export interface SteppedForm extends Pick<CheckpointForm, 'trainedIn' | 'name'> {
  /** without an environment if the policy was trained in none */
  readonly form: Partial<GivenPpoConfig>;
  /** a small network, which acts in those environments alone */
  readonly readsNumbers: boolean;
}

/**
 * `model`: for a checkpoint outside a run, or a moved model. Errors: `missing`; `data`, `usage` unless it is a
 * checkpoint of a model.
 */
export function steppedForm(reference: string, model: string | null): SteppedForm {
  const checkpoint = checkpointForm(reference);
  if (checkpoint === null)
    throw new EmacError(
      'usage',
      `--ckpt ${reference}: must be a run of emac train --method ppo or emac train --method sft; give one, or untouched with --policy ${reference}`,
    );
  const { name, run, stepped, spoken, trainedIn } = checkpoint;
  if (stepped)
    return { form: withModel(stepped, run, model), trainedIn, name, readsNumbers: spoken === null };
  const { generation, text } = spoken!;
  const { minLength, maxLength } = generation;
  const speech = { minLength, maxLength, maxPromptTokens: text.maxTokens };
  const policy = model ?? (run === null ? 'rl-tiny' : modelOfRun(run));
  return { form: { policy, speech }, trainedIn: [], name, readsNumbers: false };
}

/** The named model, or that of the checkpoint's run, with its path resolved from where the run began. */
function withModel(form: PpoForm, run: string | null, model: string | null): PpoForm {
  const meant =
    run === null ? form : { ...form, policy: pathFrom(form.policy, readRecord(run).workingDirectory) };
  const network = smallNetworkOf(form);
  if (network && (model === null || model === form.policy)) return meant;
  if (network && network.file === null)
    throw new EmacError('usage', `--policy ${model}: the checkpoint has ${form.policy}; leave it out`);
  return model === null ? meant : { ...form, policy: model };
}

/**
 * The model a checkpoint's run was trained on, if recorded (older ones lack it); else the usual one of its environment.
 * Errors: `missing`, `data`.
 */
export function trainedOnModel(reference: string): string {
  const { run = null, env = null } = checkpointForm(reference) ?? {};
  return (run === null ? null : namedModel(run)) ?? usualModel(env ?? usualEnvironment);
}

/** The run around a checkpoint folder that was named itself; null for a copy. */
export function runOf(checkpoint: string): string | null {
  const around = dirname(dirname(checkpoint));
  return isThere(join(around, layout.run)) && isThere(join(around, layout.config)) ? around : null;
}

/** Errors: `data` if the configuration names none. */
export function modelOfRun(run: string): string {
  const named = namedModel(run);
  if (named !== null) return named;
  throw new EmacError('data', `${run}: its configuration names no model; give it with --model`);
}

/** What training from a policy takes over unless it is given: the environment of its run, if it is another than ALFWorld, and its model. */
export interface KnownStart {
  readonly env?: string;
  readonly policy?: string;
}

/** Of a run's policy; nothing for a model, a word, a copy without its run, what is not there, or no start. Errors: `data`. */
export function knownStart(start: string | null | undefined): KnownStart {
  if (start == null || !isNamedFolder(start) || isOfOthers(start)) return {};
  const run = runOf(resolveCheckpoint(start).folder);
  if (run === null) return {};
  const { env = usualEnvironment } = readConfig(run) as { readonly env?: string };
  const there = isAbsolute(env) ? env : join(readRecord(run).workingDirectory, env);
  const policy = namedModel(run);
  return {
    ...(env !== usualEnvironment && { env: isEnvironmentModule(env) && isThere(there) ? there : env }),
    ...(policy !== null && { policy }),
  };
}

/** A policy to train, by one name: `model` null for the usual one, `init` for trained parameters. */
export interface NamedStart {
  readonly model: string | null;
  readonly init: string | null;
}

/** A model, a small network, or a run to continue from. Errors: `missing` for a name of none of them; `data`. */
export function startNamed(policy: string | undefined): NamedStart {
  if (policy === undefined) return { model: null, init: null };
  if (smallNetworkOf({ policy }) || isModel(policy)) return { model: policy, init: null };
  if (!isNamedFolder(policy))
    throw new EmacError(
      'missing',
      `policy: ${policy} does not exist; give a model's name or folder, mlp or cnn, or the folder of a run`,
    );
  return { model: knownStart(policy).policy ?? null, init: policy };
}

/** Whether a name, which may end in a checkpoint's, is something on disk. */
function isNamedFolder(name: string): boolean {
  return isThere(name.replace(/@(best|latest|\d+)$/, ''));
}

function namedModel(run: string): string | null {
  const { policy: path } = readConfig(run) as { readonly policy?: unknown };
  if (typeof path !== 'string') return null;
  if (shippedModels.includes(path) || isAbsolute(path)) return path;
  const there = join(readRecord(run).workingDirectory, path);
  return isThere(there) ? there : path;
}
