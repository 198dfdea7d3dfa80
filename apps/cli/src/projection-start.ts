/**
 * Where a projection comes from. A name may stand for the model's own, a random one, a run, a checkpoint, or another
 * model folder. A checkpoint says which frozen networks it was trained with, and is refused for others.
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openCheckpoint, type Checkpoint } from '@emac/backbone';
import { EmacError, type Random } from '@emac/core';
import { loadCheckpoint, resolveCheckpoint, type NamedTensors } from '@emac/runs';
import { modelPath, type Model } from './model.ts';
import { readPolicy, type Policy } from './policy.ts';

export interface ProjectionStart {
  readonly kind: Policy['projection']['kind'];
  /** width of the hidden layer of an mlp */
  readonly hidden: number | null;
  readonly parameters: NamedTensors | Random;
  /** ids of games it was trained on */
  readonly games: readonly string[];
  /** how it was used; null where nothing says */
  readonly policy: Policy | null;
  /** one sentence on what could not be checked; null when all was */
  readonly note: string | null;
}

const own = ['language_projection.weight', 'language_projection.bias'] as const;

/** True for a name that stands for a model folder. */
export function isModelFolder(reference: string): boolean {
  if (reference === 'emma-tiny') return true;
  return (
    existsSync(reference) && statSync(reference).isDirectory() && existsSync(join(reference, 'config.json'))
  );
}

/** The projection that a model folder holds. */
export function ownProjection(checkpoint: Checkpoint): ProjectionStart {
  const parameters = new Map(own.map((name) => [name, checkpoint.read(name)]));
  return { kind: 'linear', hidden: null, parameters, games: [], policy: null, note: null };
}

/** A projection drawn anew. */
export function randomProjection(
  random: Random,
  kind: ProjectionStart['kind'],
  hidden: number | null,
): ProjectionStart {
  return { kind, hidden, parameters: random, games: [], policy: null, note: null };
}

/** The projection of a run, checkpoint or model folder. Errors: `missing`, `data` (damaged, or of another model). */
export function storedProjection(reference: string, model: Model): ProjectionStart {
  if (isModelFolder(reference)) {
    const folder = modelPath(reference);
    if (folder === model.folder) return ownProjection(model.checkpoint);
    const note = `${reference}: a model folder says nothing about the model its projection belongs to; only its shape is checked`;
    return { ...ownProjection(openCheckpoint(folder)), note };
  }
  const { folder } = resolveCheckpoint(reference);
  const { projection, state, manifest } = loadCheckpoint(folder);
  if (manifest.baseModel !== model.identity)
    throw new EmacError(
      'data',
      `${reference}: was trained with another model (${short(manifest.baseModel)}) than ${model.folder} (${short(model.identity)}); give that one with --model`,
    );
  const policy = readPolicy(state, folder);
  const { kind, hidden } = policy.projection;
  return { kind, hidden, parameters: projection, games: manifest.games, policy, note: null };
}

function short(identity: string): string {
  return identity.slice(0, 12);
}
