/** A policy by its name: a run, a checkpoint, a model or a published file, opened to act. */
import type { OpenedKind } from '@emac/core';
import { usualEnvironment, type SpeechConfig } from '@emac/settings';
import type { Host } from '../host.ts';
import { languagePolicy, type LanguagePolicy } from './language-policy.ts';
import { openModel, type OpenedAs } from './model.ts';
import { requireFrameAlone, requirePictures, speechOf } from './policy-form.ts';
import { trainedOnModel } from './checkpoint-form.ts';
import { isModel, isOfOthers, storedProjection } from './projection-start.ts';

const usualSteps = 50;

export interface PolicyPlace {
  readonly ckpt: string;
  /** where it acts; default its training environment, else ALFWorld */
  readonly env?: string;
  /** of that environment, if it writes messages itself */
  readonly dialogue?: OpenedKind['dialogue'];
  /** path null: `ckpt` if that is a model, the run's, else emma-tiny */
  readonly model: Omit<OpenedAs, 'path'> & { readonly path: string | null };
  readonly speech: SpeechConfig;
  /** null: as in training, else 50 */
  readonly maxSteps: number | null;
  /** null: as in training, else false */
  readonly admissibleOnly: boolean | null;
  /** texts in full where nothing says what it observes, as no policy plays; default false */
  readonly isTold?: boolean;
}

export interface EvaluatedPolicy extends LanguagePolicy {
  /** ids of games it was trained on */
  readonly trainedOn: readonly string[];
  /** sentences on skipped checks, and on a conversation that does not add up */
  readonly notes: readonly string[];
}

/** Opens, `films` for games that are to be filmed; the caller disposes of the student. Errors: `missing`, `data`, `usage`, `unavailable`. */
export async function openPolicy(
  place: PolicyPlace,
  host: Pick<Host, 'env' | 'trial' | 'memory'>,
  { films = false }: { readonly films?: boolean | undefined } = {},
): Promise<EvaluatedPolicy> {
  const path = place.model.path ?? modelFor(place.ckpt);
  const model = await openModel({ ...place.model, path }, host);
  const start = storedProjection(place.ckpt, model);
  const { form } = start;
  const acting = place.env ?? form?.env ?? usualEnvironment;
  const { generation, text } = speechOf(place.speech, form, {
    files: model.files,
    env: acting,
    dialogue: place.dialogue,
    isTold: place.isTold,
  });
  const admissibleOnly = place.admissibleOnly ?? form?.admissibleOnly ?? false;
  requireFrameAlone(text.observe, { admissibleOnly });
  if (films) requirePictures(text.observe);
  const maxSteps = place.maxSteps ?? form?.maxSteps ?? usualSteps;
  const env = form?.env;
  const asked = { ...(env !== undefined && { env }), generation, text, maxSteps, admissibleOnly };
  const policy = await languagePolicy(model, { start, form: asked });
  return {
    ...policy,
    trainedOn: start.games,
    notes: [start.note, policy.note].filter((note) => note !== null),
  };
}

function modelFor(reference: string): string {
  if (isModel(reference)) return reference;
  return isOfOthers(reference) ? 'emma-tiny' : trainedOnModel(reference);
}
