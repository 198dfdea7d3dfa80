/** A player on the tasks of a comparison. */
import { EmacError, isWon, type Episode, type Random } from '@emac/core';
import type { EnvironmentPlayer, Host } from '@emac/opening';
import { evaluationResult, type EvaluationSubject, type ScoredEpisode } from '@emac/rollout';
import type { EvaluatedEpisode, PpoEvaluation } from '../reinforcement/ppo-evaluation.ts';
import type { ComparedTask, ComparedTasks } from './compared-tasks.ts';
import type { Told, Turn } from './transcripts.ts';

/** An episode that a player has played. */
export interface PlayedEpisode extends Omit<ScoredEpisode, 'truncated'> {
  readonly won: boolean;
}

export interface PlayerEvaluation
  extends
    Pick<ComparedTasks, 'opened' | 'tasks' | 'isAsGames'>,
    Pick<EvaluationSubject, 'sampling' | 'seed'> {
  readonly player: EnvironmentPlayer;
  /** name in the result */
  readonly name: string;
  readonly attempts: number;
  readonly random: Random;
  /** episodes that were over before an interruption, by number: task × attempts + attempt */
  readonly known: ReadonlyMap<number, PlayedEpisode>;
  readonly ended: (episode: number, played: PlayedEpisode & { readonly told: Told }) => void;
  readonly host: Pick<Host, 'listener' | 'signal'>;
}

/** Plays every task as often as asked. Errors: `interrupted`; those of player and environment. */
export async function evaluatePlayer(evaluation: PlayerEvaluation): Promise<PpoEvaluation> {
  const { tasks, attempts, known, player, host } = evaluation;
  const played = new Map(known);
  const left = Array.from({ length: tasks.length * attempts }, (_, number) => number)
    .filter((number) => !played.has(number))
    .values();
  let fault: unknown = null;
  const seat = async (): Promise<void> => {
    for (const number of left) {
      if (fault !== null) return;
      const task = tasks[Math.floor(number / attempts)]!;
      const { told, ...over } = await playEpisode(evaluation, task, number % attempts);
      played.set(number, over);
      evaluation.ended(number, { ...over, told });
      host.listener?.advance?.(task.id);
    }
  };
  // all seats stop before a fault is thrown, so nothing plays on behind the caller
  await Promise.all(
    Array.from({ length: player.atOnce }, () => seat().catch((thrown: unknown) => (fault ??= thrown))),
  );
  if (fault !== null) throw fault;
  return resultOf(evaluation, played);
}

async function playEpisode(
  { opened, player, random, host }: PlayerEvaluation,
  task: ComparedTask,
  attempt: number,
): Promise<PlayedEpisode & { readonly told: Told }> {
  const own = random.stream(task.id).stream(attempt);
  const episode = await opened.begin(task, task.seed);
  try {
    return await played({ episode, opened, player, random: own, host });
  } finally {
    await episode.close();
  }
}

interface Playing extends Pick<PlayerEvaluation, 'opened' | 'player' | 'random' | 'host'> {
  readonly episode: Episode;
}

async function played({ episode, opened, player, random, host }: Playing) {
  const { task, first } = episode;
  const turns: Turn[] = [];
  let [observation, sum, fallbacks] = [first, 0, 0];
  for (;;) {
    if (host.signal?.aborted) throw new EmacError('interrupted', 'evaluation: stopped on request');
    const history = { initial: first.text, turns: [...turns] };
    const { action, isFallback } = await player.act({ task, history, observation, random });
    const { observation: next, reward, terminated, truncated, info } = await episode.step(action);
    turns.push({ command: action, observation: next.text });
    host.listener?.step?.({ id: task.id, step: turns.length });
    sum += reward;
    if (isFallback) fallbacks++;
    observation = next;
    // an environment may not count what is no action of its own
    if (!terminated && !truncated && turns.length < opened.maxSteps) continue;
    const won = isWon(opened, { won: info.won, return: sum });
    return {
      return: sum,
      steps: turns.length,
      fallbacks,
      won,
      told: { task, first: first.text, turns, won },
    };
  }
}

function resultOf(
  { opened, tasks, attempts, isAsGames, name, sampling, seed }: PlayerEvaluation,
  played: ReadonlyMap<number, PlayedEpisode>,
): PpoEvaluation {
  const gameOf = ({ id, type }: ComparedTask, number: number): EvaluatedEpisode => {
    const { return: sum, steps, fallbacks, won: judged } = played.get(number)!;
    const won = isAsGames || opened.hasGoal ? judged : sum > 0;
    return {
      id,
      type,
      won,
      steps,
      seen_in_training: false,
      ...(attempts > 1 && { attempt: (number % attempts) + 1 }),
      return: sum,
      fallbacks,
    };
  };
  const games = tasks.flatMap((task, place) =>
    Array.from({ length: attempts }, (_, attempt) => gameOf(task, place * attempts + attempt)),
  );
  const subject = { checkpoint: name, env: opened.id, policy: name, sampling, seed };
  return evaluationResult(games, subject) as PpoEvaluation;
}
