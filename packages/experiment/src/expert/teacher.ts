/**
 * Who labels and who reflects: the hand-coded expert or the planner with scripted lessons, or a language model for both. The openai
 * package is loaded only for the latter. A key in the environment alone changes nothing.
 */
import { EmacError, invariant, type Expert, type Random } from '@emac/core';
import type { ExpertEvent } from '@emac/expert';
import { scriptedReflection } from '@emac/reflexion';
import type { TrainingRun } from '@emac/trainer';
import { handcodedExpert, noisyExpert, plannerExpert, thinkingExpert, type Game } from '@emac/world';
import type { Io } from './io.ts';
import { languageModelOptions, type LanguageModelValues } from './llm-options.ts';
import { noReplies, type ReplyPosition } from './reply-journal.ts';
import type { TrainValues } from './train-options.ts';

export interface Teacher {
  readonly expert: Expert;
  readonly reflect: NonNullable<TrainingRun['reflect']>;
  /** sentences for people */
  readonly notes: readonly string[];
  /** who hears what labels do not say */
  readonly listen: (tell: (event: ExpertEvent) => void) => void;
  /** names the file that keeps every reply of a language model before it is used, and where in it to go on */
  readonly keepReplies: (path: string, from: ReplyPosition) => void;
  /** how much of that file has been used */
  readonly position: () => ReplyPosition;
  readonly dispose: () => void;
}

type ExpertValues = LanguageModelValues & Pick<TrainValues, 'expert' | 'expert-noise' | 'imitate-thoughts'>;

interface TeacherParts {
  /** of waiting times between attempts, and of noise */
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
  if (values.expert === 'openai') {
    refuseNoise(values);
    const { openaiTeacher } = await import('./openai-teacher.ts');
    return openaiTeacher(values, io, random);
  }
  refuseLanguageModel(values);
  const scripted = values.expert === 'planner' ? plannerExpert(gameFinder(games)) : handcodedExpert();
  const expert = withNoise(scripted, values['expert-noise'], random.stream('noise'));
  return {
    expert: values['imitate-thoughts'] ? thinkingExpert(expert) : expert,
    reflect: ({ history, expertCommands }) =>
      Promise.resolve(scriptedReflection({ history, expertCommands })),
    notes: [],
    listen: () => {},
    keepReplies: () => {},
    position: () => noReplies,
    dispose: () => {},
  };
}

function refuseLanguageModel(values: ExpertValues): void {
  for (const [flag, option] of Object.entries(languageModelOptions))
    if (values[flag as keyof LanguageModelValues] !== option.default)
      throw new EmacError('usage', `--${flag}: belongs to --expert openai, which was not asked for`);
}

function refuseNoise(values: ExpertValues): void {
  if (values['expert-noise'] !== 0)
    throw new EmacError('usage', '--expert-noise: belongs to scripted experts, not to --expert openai');
}

function withNoise(expert: Expert, probability: number, random: Random): Expert {
  if (probability > 1)
    throw new EmacError('usage', `--expert-noise: must be a probability from 0 to 1, got ${probability}`);
  return probability === 0 ? expert : noisyExpert(expert, { probability, random });
}

function gameFinder(games: readonly Game[]): (gameId: string) => Game {
  const byId = new Map(games.map((game) => [game.id, game]));
  return (gameId) => {
    const game = byId.get(gameId);
    invariant(game !== undefined, `planner: ${gameId} is not among the games of the run`);
    return game;
  };
}
