/** The first episode of an evaluation, kept with its pictures for people, whatever the policy sees. */
import { framesForPeople, type Frame, type Task } from '@emac/core';
import type { StepAction } from '@emac/opening';
import type { EpisodeWatcher, RolloutEvent } from '@emac/rollout';
import { transcriptWatcher } from '../comparison/transcripts.ts';
import { evaluationLog } from '../logs/evaluation-log.ts';

/** Of episodes in words. Errors of its functions: `cannot-create`, `io`. */
export function filmInWords(folder: string): (event: RolloutEvent) => Promise<void> {
  const log = evaluationLog(folder, framesForPeople);
  return async (event) => {
    if (event.number === 0) await log(event);
  };
}

/** Of episodes step by step, the first of which is at `task`. Errors of its functions: `cannot-create`, `io`. */
export function filmInSteps(folder: string, task: Task): EpisodeWatcher<StepAction> {
  const log = transcriptWatcher(folder, () => ({ number: 0, task }), shownIn);
  return {
    begun: (episode, environment) => (episode === 0 ? log.begun(episode, environment) : undefined),
    stepped: (episode, step) => (episode === 0 ? log.stepped(episode, step) : undefined),
    ended: (episode, scored) => (episode === 0 ? log.ended(episode, scored) : undefined),
  };
}

type Watched = Parameters<EpisodeWatcher<StepAction>['begun']>[1];

function shownIn(environment: Watched): readonly Frame[] {
  const moment = environment.moment?.();
  return moment ? framesForPeople(moment.observation) : [environment.frame()];
}
