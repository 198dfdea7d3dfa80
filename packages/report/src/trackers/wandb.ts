/**
 * Weights & Biases, offline: its own library for JavaScript (`@wandb/sdk` 0.5.1) asks the service for the account before anything
 * else, and offline lets go of what is logged; only its program for Python writes its offline form. What that program uploads from
 * disk are also TensorBoard's event files, so these are written, and the command that uploads them is told.
 */
import { basename, join, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import { tensorboard, type TensorboardOptions } from './tensorboard.ts';
import type { Tracker } from './tracker.ts';

export interface WandbOptions extends Omit<TensorboardOptions, 'folder'> {
  /** WANDB_MODE (offline or disabled), WANDB_DIR, WANDB_PROJECT */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface WandbTracker extends Tracker {
  /** what uploads the run; null where nothing is kept */
  readonly upload: string | null;
}

const usualProject = 'emac';
const modes = ['offline', 'disabled'] as const;

/** Errors: those of `wandbMode`; `cannot-create`, `io`. */
export function wandb({ env, ...options }: WandbOptions): WandbTracker {
  if (wandbMode(env) === 'disabled')
    return { metrics() {}, text() {}, close: () => Promise.resolve(), upload: null };
  const { run } = options;
  const base = env['WANDB_DIR'];
  const folder = base ? join(base, basename(resolve(run))) : run;
  const project = env['WANDB_PROJECT'] || usualProject;
  return {
    ...tensorboard({ ...options, folder }),
    upload: `wandb sync --sync-tensorboard --project ${quoted(project)} ${quoted(join(folder, 'tb'))}`,
  };
}

/** What WANDB_MODE says, `offline` without it. Errors: `usage` for any other mode, such as one that sends while the run goes on. */
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
