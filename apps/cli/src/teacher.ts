/**
 * Who labels and who reflects: the hand-coded expert or the planner with scripted lessons, or a language model for both. The openai
 * package is loaded only for the latter. A key in the environment alone changes nothing.
 */
import { EmacError, invariant, type Expert, type LanguageModel, type Random } from '@emac/core';
import { openJournal, type Journal } from '@emac/files';
import { reflect, scriptedReflection } from '@emac/reflexion';
import type { TrainingRun } from '@emac/trainer';
import { handcodedExpert, plannerExpert, type Game } from '@emac/world';
import type { Io } from './io.ts';
import type { TrainValues } from './train-options.ts';

export interface Teacher {
  readonly expert: Expert;
  readonly reflect: NonNullable<TrainingRun['reflect']>;
  /** names the file that keeps every reply of a language model before it is used */
  readonly keepReplies: (path: string) => void;
  readonly dispose: () => void;
}

type ExpertValues = Pick<TrainValues, 'expert' | 'expert-base-url' | 'expert-model' | 'expert-api'>;

interface TeacherParts {
  /** of waiting times between attempts */
  readonly random: Random;
  /** all that will be played: the planner looks into them */
  readonly games: readonly Game[];
}

/** The teacher that the flags name. Errors: `usage`, `auth` without key and address. */
export async function openTeacher(
  values: ExpertValues,
  io: Pick<Io, 'env' | 'now'>,
  { random, games }: TeacherParts,
): Promise<Teacher> {
  if (values.expert === 'openai') return openaiTeacher(values, io, random);
  for (const flag of ['expert-base-url', 'expert-model', 'expert-api'] as const)
    if (values[flag] !== null)
      throw new EmacError('usage', `--${flag}: belongs to --expert openai, which was not asked for`);
  return {
    expert: values.expert === 'planner' ? plannerExpert(gameFinder(games)) : handcodedExpert(),
    reflect: ({ history, expertCommands }) =>
      Promise.resolve(scriptedReflection({ history, expertCommands })),
    keepReplies: () => {},
    dispose: () => {},
  };
}

function gameFinder(games: readonly Game[]): (gameId: string) => Game {
  const byId = new Map(games.map((game) => [game.id, game]));
  return (gameId) => {
    const game = byId.get(gameId);
    invariant(game !== undefined, `planner: ${gameId} is not among the games of the run`);
    return game;
  };
}

async function openaiTeacher(
  values: ExpertValues,
  { env, now }: Pick<Io, 'env' | 'now'>,
  random: Random,
): Promise<Teacher> {
  const { openaiExpert, openaiLanguageModel } = await import('@emac/expert');
  const api = values['expert-api'] ?? 'chat';
  let journal: Journal | undefined;
  const languageModel = openaiLanguageModel({
    model: values['expert-model'] ?? '',
    apiKey: env['OPENAI_API_KEY'],
    baseUrl: values['expert-base-url'] ?? undefined,
    api,
    clock: now,
    random,
    journal: {
      append: (entry) => {
        journal?.append(entry);
        journal?.sync();
      },
    },
  });
  return {
    expert: openaiExpert({ languageModel, format: api === 'completions' ? 'react' : 'chat' }),
    reflect: (failure) => reflectOn(failure, languageModel),
    keepReplies: (path) => (journal = openJournal(path)),
    dispose: () => journal?.close(),
  };
}

function reflectOn(
  { history, lessons, expertCommands }: Parameters<Teacher['reflect']>[0],
  languageModel: LanguageModel,
): Promise<string> {
  return reflect({ history, memories: lessons, languageModel, expertCommands });
}
