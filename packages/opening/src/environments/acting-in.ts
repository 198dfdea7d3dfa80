/**
 * The environment and speech of a policy, as recorded in its checkpoint, so commands that open it need not repeat its
 * run's settings.
 */
import { EmacError, type SpeechForm } from '@emac/core';
import { isEnvironmentModule, usualEnvironment } from '@emac/settings';
import { checkpointForm, type CheckpointForm } from '../models/checkpoint-form.ts';
import type { PpoForm } from '../models/policy-form.ts';
import { kindNamed } from './kind-of.ts';
import { kinds } from './kinds.ts';

export interface ActingIn {
  readonly env: string;
  /** its training environment; null if unknown */
  readonly trained: string | null;
  /** colours of its pictures; null for the environment's own */
  readonly palette: string | null;
  /** speech settings not in its form; empty if the form is complete */
  readonly speech: Partial<Pick<SpeechForm, 'thoughts' | 'scores'>>;
  /** why it cannot be asked in words; null if it can */
  readonly wordless: string | null;
}

/**
 * `env`: the environment to act in, null for the training environment. Errors: `missing`, `data`; `usage` if there are
 * several.
 */
export function actingIn(reference: string, env: string | null): ActingIn {
  const form = checkpointForm(reference);
  if (form === null) return { ...inWords(env ?? environmentOfModel(reference)), trained: null };
  if (form.stepped) return reinforced(form, form.stepped, env);
  const trained = form.env ?? environmentOfData(reference, form);
  // the form of a policy trained in episodes records its speech there
  const isSaid = form.env !== null && (env === null || env === trained);
  return { ...inWords(env ?? trained), trained, ...(isSaid && { speech: {} }) };
}

/** The environment of a policy's training; ALFWorld if that is not recorded. Errors: as `actingIn`'s. */
export function trainedIn(reference: string): string {
  const form = checkpointForm(reference);
  return form === null ? usualEnvironment : (form.env ?? environmentOfData(reference, form));
}

/**
 * The environment for a step-by-step evaluation: that of an emac train --method ppo run, or of a dataset collected in one; null for
 * others. Errors: as `actingIn`'s.
 */
export function steppedIn(reference: string): string | null {
  const form = checkpointForm(reference);
  if (form === null) return null;
  if (form.stepped) return form.stepped.env;
  const env = form.env === null ? environmentOfData(reference, form) : usualEnvironment;
  return env === usualEnvironment ? null : env;
}

function reinforced(
  { spoken }: CheckpointForm,
  { env: trained, policy, play, speech }: PpoForm,
  asked: string | null,
): ActingIn {
  const env = asked ?? trained;
  const { palette = 'true' } = play ?? {};
  const network = spoken === null ? `is a small network (${policy}) and reads numbers, not words` : null;
  const isRobot = kindNamed(trained)?.robot !== undefined;
  return {
    ...inWords(env),
    trained,
    palette: palette === 'true' ? null : palette,
    ...(isStepped(env) && {
      speech: { thoughts: !speech?.actionOnly, scores: speech?.actionScores ?? false },
    }),
    wordless: network ?? (isRobot ? `moves a robot in ${trained} by numbers, not by words` : null),
  };
}

/** Answers in numbered environments have thoughts, as their published prompts ask for them. */
function inWords(env: string): Omit<ActingIn, 'trained'> {
  return { env, palette: null, speech: isStepped(env) ? { thoughts: true } : {}, wordless: null };
}

function isStepped(env: string): boolean {
  return !isEnvironmentModule(env) && kindNamed(env)?.local !== undefined;
}

/** Errors: `usage` for a shipped model that has learned to read several. */
function environmentOfModel(reference: string): string {
  const own = kinds.filter(({ policy }) => policy === reference);
  if (own.length === 0 || own.some(({ ids }) => ids.includes(usualEnvironment))) return usualEnvironment;
  const where = own.map(({ ids }) => ids[0]!).join(' or ');
  throw new EmacError(
    'usage',
    `--ckpt ${reference}: can act in several environments; add --env, such as ${where}`,
  );
}

/** The environment of the training dataset's episodes, whose names begin with it. Errors: `usage` for several. */
function environmentOfData(reference: string, { games }: CheckpointForm): string {
  const names = new Set(games.map((game) => game.slice(0, Math.max(0, game.lastIndexOf('/')))));
  const found = [...names].filter(isStepped);
  if (found.length === 0) return usualEnvironment;
  if (names.size === 1) return found[0]!;
  throw new EmacError(
    'usage',
    `--ckpt ${reference}: was trained in several environments; add --env with one of them, such as ${found[0]!}`,
  );
}
