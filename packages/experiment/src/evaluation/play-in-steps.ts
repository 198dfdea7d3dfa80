/** A policy plays episodes step by step for an evaluation, here or on workers: asked in prompts all at once, or as a player. */
import type { Host, StepAction } from '@emac/opening';
import {
  attemptName,
  scoreEpisodes,
  traceLine,
  type AskedPlayer,
  type AskedPolicy,
  type EpisodesToScore,
  type EpisodeWatcher,
  type EvaluatedGame,
  type EvaluationSubject,
  type FileOfPicture,
  type ScoredEpisode,
  type TraceStep,
} from '@emac/rollout';
import { gameOf, type EvaluatedTasks, type PlayAttempts } from './evaluate-tasks.ts';
import { bothWatch, tracedPlay } from './traced-play.ts';

/** Plays episodes on workers, and reports each score on arrival. */
export type ScoresElsewhere = (
  numbers: readonly number[],
  ended: (episode: number, scored: ScoredEpisode) => void,
) => Promise<unknown>;

/** Episodes are numbered: all first attempts come before the second ones. */
export type PlayedInSteps = EvaluatedTasks &
  Pick<EvaluationSubject, 'env'> &
  Pick<EpisodesToScore<StepAction>, 'environments' | 'random' | 'randomOf' | 'seedOf' | 'watch'> &
  (AskedPolicy<StepAction> | AskedPlayer<StepAction>) & {
    /** absent: here. Workers have no watchers */
    readonly elsewhere?: ScoresElsewhere | undefined;
    /** each attempt becomes a line of `traces.jsonl`, with files of these pictures; absent: none. Workers tell no steps */
    readonly traced?: FileOfPicture | undefined;
    readonly host: Pick<Host, 'listener' | 'signal' | 'trial'>;
  };

/** Errors while playing: `interrupted`; those of the policy and the environments. */
export function playInSteps(playing: PlayedInSteps): PlayAttempts {
  const { tasks, attempts, elsewhere, host } = playing;
  const traced = playing.traced ? tracedPlay(playing.traced) : null;
  return async ({ isOver, over, lost }) => {
    const idOf = (number: number) => tasks[number % tasks.length]!.id;
    const left = () =>
      Array.from({ length: tasks.length * attempts }, (_, number) => number).filter(
        (number) => !isOver(attemptName(idOf(number), Math.floor(number / tasks.length))),
      );
    const ended = (number: number, score: ScoredEpisode) => {
      const game = gameOf(playing, number, score);
      over(game, traced ? { trace: lineOf(game, score, traced.taken(number)) } : {});
    };
    await elsewhere?.(left(), ended);
    const watch = bothWatch(host.trial ? stepTeller(host) : playing.watch, traced?.watch);
    await scoreEpisodes({
      ...playing,
      ...(watch && { watch }),
      numbers: left(),
      ended,
      lost: (number, fault) => lost(idOf(number), fault),
      ...(host.signal && { signal: host.signal }),
    });
  };
}

function lineOf(
  { id, type, attempt, won }: EvaluatedGame,
  { truncated, return: reward }: ScoredEpisode,
  steps: readonly TraceStep[],
): object {
  return traceLine(steps, {
    task: id,
    task_type: type,
    ...(attempt !== undefined && { attempt }),
    reward,
    success: won,
    end: truncated ? 'truncated' : 'terminated',
  });
}

/** Only a trial counts steps: a small network makes too many to tell. */
function stepTeller({ listener }: Pick<Host, 'listener'>): EpisodeWatcher<StepAction> {
  const steps = new Map<number, number>();
  return {
    begun: () => {},
    stepped(episode) {
      const step = (steps.get(episode) ?? 0) + 1;
      steps.set(episode, step);
      listener?.step?.({ id: String(episode), step });
    },
    ended: () => {},
  };
}
