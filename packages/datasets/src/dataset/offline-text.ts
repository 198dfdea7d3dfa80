/** A dataset's prompts, pictures and outputs as a policy gets them: a game's history and a command, or verbatim, or a robot's action in tokens of the trained model. */
import type { ModelFiles } from '@emac/backbone';
import { EmacError, quotedTurn, type Dialogue, type Policy } from '@emac/core';
import { sha256 } from '@emac/files';
import type { Student } from '@emac/model';
import { actionTokens, actionWordsOf, type ActionWords, type PolicyForm } from '@emac/opening';
import { postprocess } from '@emac/postprocess';
import { studentTarget } from '@emac/prompt';
import { noFrame, type AnsweredPrompt } from '@emac/rollout';
import type { Dataset, DatasetRecord, PublishedRecord } from './offline-dataset.ts';
import type { SeenPicture } from './offline-pictures.ts';

/** The fields that decide how a record's texts are used. */
type RecordForm = Pick<PublishedRecord, 'verbatim'>;

/** how every prompt ends */
export const promptEnd = '\n>';

const histories: Pick<AnsweredPrompt, 'target' | 'command'> = { target: studentTarget, command: postprocess };
const asTheyStand: typeof histories = { target: (output) => output, command: (answer) => answer.trim() };

/** How a record's outputs are written, and compared with answers. */
export function outputTexts({ verbatim }: RecordForm): typeof histories {
  return verbatim ? asTheyStand : histories;
}

/** The text of a record. */
type RecordText = RecordForm & Pick<PublishedRecord, 'text_input'>;

/** How a policy reads prompts: `dialogue` absent: `message`. */
interface PromptReading {
  readonly maxTokens: number;
  readonly dialogue?: Dialogue | undefined;
}

/** A record's complete prompt; a verbatim one is one turn. */
export function wholePrompt(
  { text_input, verbatim }: RecordText,
  { dialogue }: Pick<PromptReading, 'dialogue'>,
): string {
  if (!verbatim) return openPrompt(text_input);
  return dialogue === 'turns' ? quotedTurn(text_input) : text_input;
}

/** A history with its open `>`. */
function openPrompt(text: string): string {
  const open = text.trimEnd();
  return open.endsWith(promptEnd) ? open : `${text}${promptEnd}`;
}

/** A record's shortest possible prompt: for a history the part before its first step. */
export function shortestPrompt(record: RecordText, reading: Pick<PromptReading, 'dialogue'>): string {
  if (record.verbatim) return wholePrompt(record, reading);
  const [opening = ''] = partsOf(openPrompt(record.text_input));
  return `${opening}${promptEnd}`;
}

/** Splits off the part before the first step, and the steps. */
function partsOf(prompt: string): string[] {
  return prompt.slice(0, -promptEnd.length).split('\n> ');
}

/**
 * A record's prompt: a history that ends with an open `>`, as while acting; it is added if missing. Over `maxTokens` the oldest steps
 * are dropped, never the part before the first step. A verbatim prompt is unchanged.
 */
export function datasetPrompt(
  record: RecordText,
  { maxTokens, dialogue }: PromptReading,
  { countPromptTokens }: Pick<Policy, 'countPromptTokens'>,
): string {
  const whole = wholePrompt(record, { dialogue });
  if (record.verbatim || countPromptTokens(whole) <= maxTokens) return whole;
  const [opening = '', ...steps] = partsOf(whole);
  while (steps.length > 0) {
    steps.shift();
    const shorter = `${[opening, ...steps].join('\n> ')}${promptEnd}`;
    if (countPromptTokens(shorter) <= maxTokens) return shorter;
  }
  return `${opening}${promptEnd}`;
}

const blank: SeenPicture = {
  hash: sha256(noFrame.data),
  frame: () => Promise.resolve(noFrame),
};

/** What a policy observes, and whether it reads no prompt without a picture. */
type Seeing = Pick<PolicyForm['text'], 'observe'> & Pick<Student, 'needsPicture'>;

/** A record's pictures; for a policy that observes text alone blank ones. */
export function givenPictures(
  dataset: Pick<Dataset, 'pictures' | 'record'>,
  index: number,
  seeing: Seeing,
): readonly SeenPicture[] {
  if (seeing.observe !== 'text') return dataset.pictures(index);
  return Array.from({ length: shownPictures(dataset.record(index), seeing) }, () => blank);
}

/** How many pictures `givenPictures` gives for a record. In a game, text alone comes with one blank picture, as it does in play. */
export function shownPictures(
  { pictures, said }: Pick<DatasetRecord, 'pictures' | 'said'>,
  { observe, needsPicture }: Seeing,
): number {
  if (observe !== 'text') return pictures.length;
  return said ? Math.max(needsPicture ? 1 : 0, pictures.length) : 1;
}

export interface Speaker {
  readonly model: { readonly files: Pick<ModelFiles, 'folder' | 'family' | 'config'> };
  readonly student: Pick<Student, 'endToken'>;
}

/**
 * Ids of an action and the end token. Errors: `data` for a record without an environment, or with another number of
 * dimensions; `missing` if the model has no statistics for it.
 */
export function actionSpeaker({ model, student }: Speaker, path: string) {
  const known = new Map<string, ActionWords>();
  return ({ task_type }: Pick<DatasetRecord, 'task_type'>, action: readonly number[]): readonly number[] => {
    if (task_type === undefined)
      throw new EmacError('data', `${path}: a record with an action needs its environment as task_type`);
    const words = known.get(task_type) ?? actionWordsOf(model.files, task_type);
    known.set(task_type, words);
    return [...actionTokens(action, words), student.endToken];
  };
}
