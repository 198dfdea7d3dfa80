/** A policy by its name: a run, a checkpoint, a model or a published file, opened to act. */
import type { VisionNorm } from '@emac/backbone';
import type { Student } from '@emac/model';
import type { SpeechConfig } from '@emac/settings';
import type { Host } from '../host.ts';
import { openModel, type OpenedAs, type OpenModel } from './model.ts';
import { requireFrameAlone, requirePictures, speechOf, type PolicyForm } from './policy-form.ts';
import { trainedOnModel } from './made-with.ts';
import { isModel, isOfOthers, projectionForm, storedProjection } from './projection-start.ts';
import { openStudent } from './student.ts';

const usualSteps = 50;

export interface PolicyPlace {
  readonly ckpt: string;
  /** path null: `ckpt` if that is a model, the run's, else emma-tiny */
  readonly model: Omit<OpenedAs, 'path'> & { readonly path: string | null };
  readonly speech: SpeechConfig;
  /** null: as in training, else 50 */
  readonly maxSteps: number | null;
  /** null: as in training, else false */
  readonly admissibleOnly: boolean | null;
}

export interface OpenedPolicy {
  readonly model: OpenModel;
  readonly student: Student;
  readonly form: PolicyForm;
  /** last norm of the vision model, if the projection came with one */
  readonly visionNorm: VisionNorm | null;
  /** ids of games it was trained on */
  readonly trainedOn: readonly string[];
  /** sentences on skipped checks, and on a conversation that does not add up */
  readonly notes: readonly string[];
}

/** Opens, `films` for games that are to be filmed; the caller disposes of the student. Errors: `missing`, `data`, `usage`, `unavailable`. */
export async function openPolicy(
  place: PolicyPlace,
  host: Pick<Host, 'env' | 'writesNothing'>,
  { films = false }: { readonly films?: boolean | undefined } = {},
): Promise<OpenedPolicy> {
  const path = place.model.path ?? modelFor(place.ckpt);
  const model = await openModel({ ...place.model, path }, host);
  const start = storedProjection(place.ckpt, model);
  const { form, visionNorm } = start;
  const { generation, text } = speechOf(place.speech, form, model.files);
  const admissibleOnly = place.admissibleOnly ?? form?.admissibleOnly ?? false;
  requireFrameAlone(text.observe, { admissibleOnly });
  if (films) requirePictures(text.observe);
  const student = await openStudent(model, start, { generation, text });
  return {
    model,
    student,
    form: {
      ...(form?.env !== undefined && { env: form.env }),
      projection: projectionForm(start),
      generation,
      text,
      maxSteps: place.maxSteps ?? form?.maxSteps ?? usualSteps,
      admissibleOnly,
      visionNorm: visionNorm && { epsilon: visionNorm.epsilon },
    },
    visionNorm,
    trainedOn: start.games,
    notes: [start.note, student.note].filter((note) => note !== null),
  };
}

function modelFor(reference: string): string {
  if (isModel(reference)) return reference;
  return isOfOthers(reference) ? 'emma-tiny' : trainedOnModel(reference);
}
