/** The environment and model of a checkpoint, as recorded in it and the run around it. */
import { dirname, isAbsolute, join } from 'node:path';
import { EmacError } from '@emac/core';
import { isThere } from '@emac/files';
import { layout, loadCheckpoint, readConfig, readRecord, resolveCheckpoint } from '@emac/runs';
import { isEnvironmentModule, shippedModels, usualEnvironment, usualModel } from '@emac/settings';
import { isOfOthers } from './projection-start.ts';

/** The training environment of a policy; ALFWorld's if not recorded. Errors: `missing`, `data`. */
export function environmentOfPolicy(reference: string): string {
  return trainedIn(reference).env;
}

/** The same with its step limit in words; null if not recorded. Errors: `missing`, `data`. */
export function trainedIn(reference: string): { readonly env: string; readonly maxSteps: number | null } {
  if (isOfOthers(reference)) return { env: usualEnvironment, maxSteps: null };
  // `environment`: of training step by step
  const { environment, policy } = loadCheckpoint(resolveCheckpoint(reference).folder).state as {
    readonly environment?: { readonly env: string };
    readonly policy?: { readonly env?: string; readonly maxSteps?: number };
  };
  const env = environment?.env ?? policy?.env ?? usualEnvironment;
  return { env, maxSteps: policy?.maxSteps ?? null };
}

/**
 * The model a checkpoint's run was trained on, if recorded (older ones lack it); else the usual one of its environment.
 * Errors: `missing`, `data`.
 */
export function trainedOnModel(reference: string): string {
  const run = runOf(resolveCheckpoint(reference).folder);
  const named = run === null ? null : namedModel(run);
  if (named !== null) return named;
  return usualModel(environmentOfPolicy(reference));
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
  if (start == null || !isThere(start.replace(/@(best|latest|\d+)$/, '')) || isOfOthers(start)) return {};
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

function namedModel(run: string): string | null {
  const { model, policy } = readConfig(run) as {
    readonly model?: { readonly path?: unknown };
    /** of PPO: a model, or the word for a small network */
    readonly policy?: unknown;
  };
  const path = model?.path ?? policy;
  if (typeof path !== 'string') return null;
  if (shippedModels.includes(path) || isAbsolute(path)) return path;
  const there = join(readRecord(run).workingDirectory, path);
  return isThere(there) ? there : path;
}
