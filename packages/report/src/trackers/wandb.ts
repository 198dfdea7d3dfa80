/**
 * Weights & Biases, offline. Its JavaScript library (`@wandb/sdk` 0.5.1) needs the service first and discards metrics
 * offline; only its Python program writes its offline format. That program also uploads TensorBoard's event files, so
 * these are written, and the upload command is printed.
 */
import { basename, join, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import { tensorboard, type TensorboardOptions, type Tracker } from './tensorboard.ts';

export interface WandbOptions extends Omit<TensorboardOptions, 'folder'> {
  /** WANDB_MODE (offline or disabled), WANDB_DIR, WANDB_PROJECT */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface WandbTracker extends Tracker {
  /** the command that uploads the run; null if nothing is stored */
  readonly upload: string | null;
}

const usualProject = 'emac';
const modes = ['offline', 'disabled'] as const;

/** Errors: those of `wandbMode`; `cannot-create`, `io`. */
export function wandb({ env, ...options }: WandbOptions): WandbTracker {
  if (wandbMode(env) === 'disabled') return { follow() {}, close() {}, upload: null };
  const { run } = options;
  const base = env['WANDB_DIR'];
  const folder = base ? join(base, basename(resolve(run))) : run;
  const project = env['WANDB_PROJECT'] || usualProject;
  return {
    ...tensorboard({ ...options, folder }),
    upload: `wandb sync --sync-tensorboard --project ${quoted(project)} ${quoted(join(folder, 'tb'))}`,
  };
}

/**
 * The mode in WANDB_MODE, by default `offline`. Errors: `usage` for any other mode, such as one that uploads during the
 * run.
 */
export function wandbMode(env: WandbOptions['env']): (typeof modes)[number] {
  const asked = env['WANDB_MODE'] || 'offline';
  const mode = modes.find((each) => each === asked);
  if (mode) return mode;
  throw new EmacError(
    'usage',
    `WANDB_MODE: must be ${modes.join(' or ')}, got ${JSON.stringify(asked)}; nothing is sent while a run goes on, it is uploaded afterwards`,
  );
}

/** A word of a shell. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
