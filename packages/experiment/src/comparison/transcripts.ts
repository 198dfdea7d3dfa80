/** What every policy of a comparison did, `episodes/NUMBER.jsonl` in its folder, in the form of a run's transcripts. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Task } from '@emac/core';
import { readJournal } from '@emac/files';
import type { StepAction } from '@emac/opening';
import { isSuccess, type EpisodeWatcher } from '@emac/rollout';
import { layout, transcriptsIn } from '@emac/runs';
import { picturesIn } from '../logs/run-log.ts';

interface Turn {
  readonly command: string;
  /** the environment's words after it, or its reward */
  readonly observation: string;
  readonly frames: readonly Frame[];
}

/** An episode's number in a result, task × attempts + attempt, and its task. */
export interface Placed {
  readonly number: number;
  readonly task: Task;
}

/** Writes the episodes of an evaluation as they end; `placeOf` has an episode by its place in the order of play, `framesOf` the pictures that are kept: by default none. Errors: `cannot-create`, `io`. */
export function transcriptWatcher(
  folder: string,
  placeOf: (episode: number) => Placed,
  framesOf: (environment: Watched) => readonly Frame[] = () => [],
): EpisodeWatcher<StepAction> {
  const begun = new Map<number, { readonly first: Omit<Turn, 'command'>; readonly turns: Turn[] }>();
  const { transcript, ...kept } = transcriptsIn(folder);
  const pictures = picturesIn(kept);
  return {
    begun: (episode, environment) => {
      const observation = environment.moment?.().history.initial ?? '';
      begun.set(episode, { first: { observation, frames: framesOf(environment) }, turns: [] });
    },
    stepped(episode, { environment, action, outcome }) {
      const { moment, actions } = environment;
      const observation = moment?.().observation.text ?? `reward ${Number(outcome.reward.toFixed(4))}`;
      begun.get(episode)?.turns.push({
        command: nameOf(action, actions),
        observation,
        frames: framesOf(environment),
      });
    },
    async ended(episode, scored) {
      const { first, turns } = begun.get(episode)!;
      begun.delete(episode);
      const { number, task } = placeOf(episode);
      const of = { episode: number, place: number, round: 0, taskId: task.id };
      const { frames, ...shown } = first;
      const start = { kind: 'episode-start', ...of, taskType: task.type, ...shown };
      const steps: object[] = [];
      for (const [index, { frames, ...turn }] of turns.entries())
        steps.push({
          kind: 'step',
          ...of,
          index,
          own: turn.command,
          label: null,
          ...turn,
          ...(await pictures(frames)),
        });
      transcript(number, [
        { ...start, ...(await pictures(frames)) },
        ...steps,
        { kind: 'episode-end', ...of, won: isSuccess(scored), expertWon: false, steps: turns.length },
      ]);
    },
  };
}

type Watched = Parameters<EpisodeWatcher<StepAction>['begun']>[1];

/** A robot's numbers are separated by spaces. */
function nameOf(action: StepAction, names: readonly string[]): string {
  return typeof action === 'number' ? names[action]! : [action].flat().join(' ');
}

/** The actions of an episode; null if it was not recorded. Errors: `data` for a damaged file. */
export function actionsOf(folder: string, episode: number): string[] | null {
  const path = join(folder, layout.episodes, `${String(episode).padStart(6, '0')}.jsonl`);
  if (!existsSync(path)) return null;
  const lines = readJournal(path) as { readonly kind: string; readonly command?: string }[];
  return lines.flatMap(({ kind, command }) => (kind === 'step' ? [command!] : []));
}
