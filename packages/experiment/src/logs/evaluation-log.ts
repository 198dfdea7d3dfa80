/** Transcripts and pictures of an evaluation, in the form of a run's: an episode's number is its game's index. */
import type { Frame, Observation } from '@emac/core';
import type { RolloutEvent } from '@emac/rollout';
import { transcriptsIn } from '@emac/runs';
import { runLog } from './run-log.ts';

/** Writes into a folder; `framesOf` has the pictures that are kept, by default those that the policy saw. Errors: `cannot-create`, `io`. */
export function evaluationLog(
  folder: string,
  framesOf: (observation: Observation) => readonly Frame[] = ({ frames }) => frames,
): (event: RolloutEvent) => Promise<void> {
  const log = runLog({ ...transcriptsIn(folder), event: () => {} });
  return async (event) => {
    const of = { episode: event.number, place: event.number, round: 0 };
    switch (event.kind) {
      case 'episode-start': {
        const { text: observation } = event.first;
        const frames = framesOf(event.first);
        const { id: taskId, type: taskType } = event.task;
        return log({ kind: 'episode-start', ...of, taskId, taskType, observation, frames });
      }
      case 'step': {
        const { own, action: command, result } = event.step;
        const { text: observation } = result.observation;
        const frames = framesOf(result.observation);
        const said = { own, label: null, command, observation, frames };
        return log({ kind: 'step', ...of, taskId: event.task.id, index: event.index, ...said });
      }
      case 'episode-end': {
        const { trajectory } = event;
        const { task, won, steps, end } = trajectory;
        const came = { won, expertWon: false, steps: steps.length, repeated: end === 'repeated', stored: 0 };
        return log({ kind: 'episode-end', ...of, taskId: task.id, ...came, trajectory });
      }
    }
  };
}
