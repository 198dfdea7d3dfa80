/** Checks which of two players a pixel limit applies to: models that are no run, and pictures that are sent. */
import { EmacError } from '@emac/core';
import { untrained } from '@emac/settings';
import { checkpointForm } from '../models/checkpoint-form.ts';
import { isModel } from '../models/projection-start.ts';
import type { AgentPlace } from './open-agents.ts';
import { isAddress } from './remote-agents.ts';

export interface Players {
  readonly names: readonly string[];
  /** whether a service is sent pictures, and not their names */
  readonly isSent: boolean;
}

/** Sentences on players that ignore it. Errors: `usage` if all do. */
export function requireHeeded(maxPixels: number | null, { names, isSent }: Players): string[] {
  if (maxPixels === null) return [];
  const reasons = names.map((name) => reasonOf(name, { maxPixels, isSent }));
  const flag = `--max-pixels ${maxPixels}`;
  if (!reasons.includes(null))
    throw new EmacError(
      'usage',
      `${flag}: has no effect here (${[...new Set(reasons)].join(', ')}); give models, or leave it out`,
    );
  // a player that knows the drawn concept misses nothing
  return reasons.filter((reason) => reason !== null && reason !== seesNone).map((each) => `${flag}: ${each}`);
}

const seesNone = 'true reads no pictures';

/** Why a player ignores it; null if it does not. */
function reasonOf(
  name: string,
  { maxPixels, isSent }: { readonly maxPixels: number; readonly isSent: boolean },
): string | null {
  if (name === 'true') return seesNone;
  if (isAddress(name)) return isSent ? null : `${name} receives names of pictures only`;
  const form = name === untrained ? null : checkpointForm(name)?.lewis;
  // runs that were made before there was a limit have none
  const own = form ? (form.model.maxPixels ?? null) : maxPixels;
  return own === maxPixels ? null : `${name} keeps ${own ?? "the model's own limit"}, as it was trained`;
}

/** Settings for a player named by a model folder: those that apply to models. */
export function modelNamed(name: string, model: AgentPlace['model']): AgentPlace['model'] {
  return name !== untrained && isModel(name) ? { ...model, path: name } : model;
}
