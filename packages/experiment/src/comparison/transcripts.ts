/** What every policy of a comparison did, `episodes/NUMBER.jsonl` in its folder, in the form of a run's transcripts. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Task } from '@emac/core';
import { readJournal } from '@emac/files';
import type { StepAction } from '@emac/opening';
import type { EpisodeWatcher } from '@emac/rollout';
import { layout, transcriptsIn } from '@emac/runs';

/** An action, and what the environment showed after it. */
export interface Turn {
  readonly command: string;
  /** its words; empty if it has none */
  readonly observation: string;
}

export interface Told {
  readonly task: Task;
  /** words before the first action */
  readonly first: string;
  readonly turns: readonly Turn[];
  readonly won: boolean;
}

/** Writes an episode that is over. Errors: `cannot-create`, `io`. */
export function writeTranscript(folder: string, episode: number, { task, first, turns, won }: Told): void {
  const of = { episode, place: episode, round: 0, taskId: task.id };
  transcriptsIn(folder).transcript(episode, [
    { kind: 'episode-start', ...of, taskType: task.type, observation: first },
    ...turns.map((turn, index) => ({ kind: 'step', ...of, index, own: turn.command, label: null, ...turn })),
    { kind: 'episode-end', ...of, won, expertWon: false, steps: turns.length },
  ]);
}

/** An episode's number in a result, task × attempts + attempt, and its task. */
export interface Placed {
  readonly number: number;
  readonly task: Task;
}

/** Writes the episodes of an evaluation as they end; `placeOf` has an episode by its place in the order of play. */
export function transcriptWatcher(
  folder: string,
  placeOf: (episode: number) => Placed,
): EpisodeWatcher<StepAction> {
  const begun = new Map<number, Turn[]>();
  return {
    begun: (episode) => void begun.set(episode, []),
    stepped(episode, { environment, action, outcome }) {
      const observation = `reward ${Number(outcome.reward.toFixed(4))}`;
      begun.get(episode)?.push({ command: nameOf(action, environment.actions), observation });
    },
    ended(episode, { return: sum }) {
      const turns = begun.get(episode) ?? [];
      begun.delete(episode);
      const { number, task } = placeOf(episode);
      writeTranscript(folder, number, { task, first: '', turns, won: sum > 0 });
    },
  };
}

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
