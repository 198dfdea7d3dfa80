/** Where the model of a run lies, by the run's own record. */
import { dirname, join, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import { isThere } from '@emac/files';
import { layout, readConfig, readRecord } from '@emac/runs';
import { pathFrom } from '../config/stored-config.ts';
import { isModel } from './projection-start.ts';

interface Recorded {
  readonly model?: { readonly path?: unknown };
  /** of PPO: a model, or the word for a small network */
  readonly policy?: unknown;
}

/** Null for what lies in no run, for a run whose record was changed, and where no model is at that place any more. */
export function modelOfRun(ckpt: string): string | null {
  const run = runAround(ckpt);
  if (run === null) return null;
  const named = recordedModel(run);
  if (typeof named !== 'string') return null;
  const path = pathFrom(named, readRecord(run).workingDirectory);
  return isModel(path) ? path : null;
}

/** The run that a reference names, or whose folder the checkpoint is in. */
function runAround(ckpt: string): string | null {
  const places = [ckpt, ckpt.replace(/@(best|latest|\d+)$/, ''), dirname(dirname(resolve(ckpt)))];
  return places.find((place) => isThere(join(place, layout.run))) ?? null;
}

function recordedModel(run: string): unknown {
  try {
    const { model, policy } = readConfig(run) as Recorded;
    return model?.path ?? policy;
  } catch (thrown) {
    // what was trained can be used without it
    if (thrown instanceof EmacError) return null;
    throw thrown;
  }
}
