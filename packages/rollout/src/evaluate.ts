/**
 * What the final policy can do: one attempt at each game, no expert, no memories, no training. The papers report
 * something else, "solved in any of twelve training rounds"; here games that were trained on are counted apart.
 */
import type { Episode, Frame, Student, TaskType, Turn, WorldSource } from '@emac/core';
import { allowedAnswers } from './allowed-answers.ts';
import { noFrame, type PolicyTexts } from './texts.ts';
import { wilsonInterval } from './wilson.ts';

export interface EvaluatedGame {
  readonly id: string;
  readonly type: TaskType | null;
  readonly won: boolean;
  /** commands given; the step limit for a failure */
  readonly steps: number;
  readonly seen_in_training: boolean;
}

export interface TypeSummary {
  readonly games: number;
  readonly won: number;
  readonly success: number;
  readonly mean_steps: number;
}

export interface EvaluationSummary {
  readonly success: number | null;
  readonly success_ci95: readonly [number, number] | null;
  readonly mean_steps: number | null;
  /** by task type, in the order of the games; `unknown` where the world does not tell */
  readonly by_type: Readonly<Record<string, TypeSummary>>;
}

/** The content of `eval.json`: the summary is over games not trained on, `seen` over the others. */
export interface EvaluationResult extends EvaluationSummary {
  readonly v: 1;
  readonly checkpoint: string;
  readonly games: readonly EvaluatedGame[];
  readonly seen: EvaluationSummary;
}

export interface EvaluationStep {
  readonly gameId: string;
  readonly index: number;
  readonly answer: string;
  readonly command: string;
  readonly observation: string;
  readonly frame?: Frame;
}

export interface Evaluation {
  readonly student: Pick<Student, 'features' | 'act'>;
  readonly world: WorldSource;
  readonly texts: PolicyTexts;
  readonly maxSteps: number;
  /** the student is kept to the commands which the world accepts */
  readonly admissibleOnly?: boolean;
  /** what is evaluated, as the result names it */
  readonly checkpoint: string;
  readonly trainedOn: ReadonlySet<string>;
  /** before the first step of a game */
  readonly onEpisode?: (episode: Pick<Episode, 'gameId' | 'observation'>) => void | Promise<void>;
  readonly onStep?: (step: EvaluationStep) => void | Promise<void>;
  readonly onGame?: (game: EvaluatedGame) => void | Promise<void>;
}

/** Plays every game of the world once with the student. */
export async function evaluate(evaluation: Evaluation): Promise<EvaluationResult> {
  const { world, checkpoint, trainedOn } = evaluation;
  const games: EvaluatedGame[] = [];
  for (let episode = await world.next(); episode; episode = await world.next()) {
    const { gameId, taskType } = episode;
    await evaluation.onEpisode?.(episode);
    const outcome = await attempt(evaluation, episode);
    const game = { id: gameId, type: taskType, ...outcome, seen_in_training: trainedOn.has(gameId) };
    games.push(game);
    await evaluation.onGame?.(game);
  }
  const unseen = games.filter((game) => !game.seen_in_training);
  const seen = games.filter((game) => game.seen_in_training);
  return { v: 1, checkpoint, games, ...summarize(unseen), seen: summarize(seen) };
}

async function attempt(evaluation: Evaluation, episode: Episode): Promise<{ won: boolean; steps: number }> {
  const { student, texts, maxSteps, admissibleOnly = false } = evaluation;
  const { gameId, observation } = episode;
  const turns: Turn[] = [];
  let { frame, admissible } = episode;
  let [won, done] = [false, false];
  while (!done && turns.length < maxSteps) {
    const features = await student.features(frame ?? noFrame);
    const text = texts.prompt({ initial: observation, turns: [...turns] }, []);
    const answer = await student.act(text, features, allowedAnswers(admissible, { texts, admissibleOnly }));
    const command = texts.command(answer);
    const step = await episode.step(command);
    ({ frame, admissible, won, done } = step);
    const told = { gameId, index: turns.length, answer, command, observation: step.observation };
    turns.push({ command, observation: step.observation });
    await evaluation.onStep?.({ ...told, ...(frame && { frame }) });
  }
  await episode.skip();
  return { won, steps: won ? turns.length : maxSteps };
}

/** Success, its interval and mean steps, over all games and by type. */
export function summarize(games: readonly EvaluatedGame[]): EvaluationSummary {
  const types = [...new Set(games.map(({ type }) => type ?? 'unknown'))];
  const byType = types.map((type) => {
    const ofType = games.filter((game) => (game.type ?? 'unknown') === type);
    const won = countWon(ofType);
    const means = { success: won / ofType.length, mean_steps: meanSteps(ofType)! };
    return [type, { games: ofType.length, won, ...means }] as const;
  });
  return {
    success: games.length > 0 ? countWon(games) / games.length : null,
    success_ci95: wilsonInterval(countWon(games), games.length),
    mean_steps: meanSteps(games),
    by_type: Object.fromEntries(byType),
  };
}

function countWon(games: readonly EvaluatedGame[]): number {
  return games.filter(({ won }) => won).length;
}

function meanSteps(games: readonly EvaluatedGame[]): number | null {
  return games.length > 0 ? games.reduce((sum, { steps }) => sum + steps, 0) / games.length : null;
}
