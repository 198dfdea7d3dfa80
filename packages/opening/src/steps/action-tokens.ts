/**
 * A vision-language-action model: it reads the picture and OpenVLA's sentence and generates an action's seven tokens
 * and the end token (Kim et al. 2024, arXiv 2406.09246). The tokens are the last ids of the vocabulary; statistics of
 * the fine-tuning data give their meaning.
 */
import { join } from 'node:path';
import { openVlaActions, type ModelFiles } from '@emac/backbone';
import { EmacError, promptOf, type Frame, type Policy } from '@emac/core';
import { isThere, readText } from '@emac/files';
import { sightOf, type StepTexts } from '@emac/rollout';
import {
  encodeAction,
  invertGripper,
  normalizeAction,
  preparedPicture,
  readAnswer,
  readStatistics,
  vlaPrompt,
  type ActionStatistics,
  type DatasetStatistics,
} from '@emac/vla';
import { isPlayedElsewhere } from '../environments/kind-of.ts';
import { suiteName } from './robots.ts';
import { statisticsFile, statisticsOf } from './statistics-name.ts';

export interface ActionWords {
  readonly statistics: ActionStatistics;
  /** action ids count down from here */
  readonly vocabulary: number;
}

/** A model's encoding of an environment's actions. Errors: `missing` without statistics of the suite, `data`. */
export function actionWordsOf(
  files: Pick<ModelFiles, 'folder' | 'family' | 'config'>,
  id: string,
): ActionWords {
  const place = join(files.folder, statisticsFile);
  const isOpenVla = files.family.name === 'openvla';
  if (!isThere(place) && !isOpenVla)
    throw new EmacError(
      'missing',
      `${files.folder}: has no ${statisticsFile}, so its tokens cannot be read as actions; ${id} needs a model with one, such as vla-tiny, or ${remedy(id)}`,
    );
  const text = isThere(place) ? readText(place) : JSON.stringify(openVlaActions(files).normStats);
  return {
    statistics: entryOf(id, readStatistics(text), isThere(place) ? place : files.folder).action,
    vocabulary: isOpenVla ? openVlaActions(files).vocabulary : files.config.llama.vocabulary,
  };
}

function entryOf(
  id: string,
  statistics: Readonly<Record<string, DatasetStatistics>>,
  place: string,
): DatasetStatistics {
  try {
    return statisticsOf(suiteName(id), statistics);
  } catch (cause) {
    if (!(cause instanceof EmacError)) throw cause;
    throw new EmacError(cause.code, `${place}: ${cause.message}; or ${remedy(id)}`, { cause });
  }
}

const remedy = (id: string): string =>
  `put the ${statisticsFile} of ${id} into the model's folder, as emac collect --rlds makes it; add this entry to an existing file`;

/** Converts the gripper from −1 open, 1 closed to the data's 1 open, 0 closed. */
export function asData(action: readonly number[]): number[] {
  const [gripper] = invertGripper(action).slice(-1);
  return [...action.slice(0, -1), (gripper! + 1) / 2];
}

/** Ids that say an action as the environment takes it, the gripper −1 open and 1 closed; the end token is not among them. Errors: `data`. */
export function actionTokens(action: readonly number[], { statistics, vocabulary }: ActionWords): number[] {
  return encodeAction(normalizeAction(asData(action), statistics), vocabulary);
}

interface ActionReading {
  readonly words: ActionWords;
  readonly endToken: number;
  /** added to a step's reward if its answer is no action; the robot then does nothing */
  readonly penalty: number;
  readonly encode: Policy['encode'];
}

/** The policy also learns from an invalid answer, by its penalty. */
export function actionTexts({
  words,
  endToken,
  penalty,
  encode,
}: ActionReading): StepTexts<readonly number[]> {
  return {
    frames: true,
    penalizes: true,
    prompt: async ({ frame, text }) => promptOf([await sightOf({ encode }, frame!)], vlaPrompt(text)),
    read: ({ tokens }) => {
      const said = readAnswer(tokens, { ...words, endToken });
      return {
        action: said.action,
        actionStart: 0,
        ...(said.kind === 'malformed' && { penalty }),
      };
    },
  };
}

/**
 * OpenVLA in LIBERO gets pictures as in its published evaluation: through a JPEG, 224 × 224, the middle nine tenths;
 * clients have rotated them already. All other pictures are unchanged.
 */
export function seenPicture(
  frame: Frame,
  { env, family }: { readonly env: string; readonly family: string },
): Frame {
  return family === 'openvla' && isPlayedElsewhere(env) ? preparedPicture(frame, { turn: false }) : frame;
}
