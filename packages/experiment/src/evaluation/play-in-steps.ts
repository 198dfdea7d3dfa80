/** A policy plays episodes step by step for an evaluation, here or on workers: asked in prompts all at once, or as a player. */
import type { Host, StepAction } from '@emac/opening';
import {
  attemptName,
  scoreEpisodes,
  type AskedPlayer,
  type AskedPolicy,
  type EpisodesToScore,
  type EpisodeWatcher,
  type EvaluationSubject,
  type ScoredEpisode,
} from '@emac/rollout';
import { gameOf, type EvaluatedTasks, type PlayAttempts } from './evaluate-tasks.ts';

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
    readonly host: Pick<Host, 'listener' | 'signal' | 'trial'>;
  };

/** Errors while playing: `interrupted`; those of the policy and the environments. */
export function playInSteps(playing: PlayedInSteps): PlayAttempts {
  const { tasks, attempts, elsewhere, host } = playing;
  return async ({ isOver, over, lost }) => {
    const idOf = (number: number) => tasks[number % tasks.length]!.id;
    const left = () =>
      Array.from({ length: tasks.length * attempts }, (_, number) => number).filter(
        (number) => !isOver(attemptName(idOf(number), Math.floor(number / tasks.length))),
      );
    const ended = (number: number, score: ScoredEpisode) => over(gameOf(playing, number, score));
    await elsewhere?.(left(), ended);
    await scoreEpisodes({
      ...playing,
      ...(host.trial && { watch: stepTeller(host) }),
      numbers: left(),
      ended,
      lost: (number, fault) => lost(idOf(number), fault),
      ...(host.signal && { signal: host.signal }),
    });
  };
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
