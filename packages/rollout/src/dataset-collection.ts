/**
 * Play that becomes a dataset: every state that the expert labelled, with the picture that was seen there. For
 * preferences only those where the student would have said something else, which is then the worse answer.
 */
import type { Episode, Frame, TaskType } from '@emac/core';
import { playEpisode } from './play-episode.ts';
import type { Phase } from './settings.ts';
import { noFrame } from './texts.ts';
import type { Acting } from './training-run.ts';
import { initialState } from './training-state.ts';

/** One record of a dataset, before its picture has a name. */
export interface CollectedSample {
  readonly gameId: string;
  readonly taskType: TaskType | null;
  readonly frame: Frame;
  /** what the student reads */
  readonly text: string;
  /** the expert's command */
  readonly output: string;
  /** the student's own command; null for imitation */
  readonly worse: string | null;
}

export interface CollectedEpisode {
  readonly won: boolean;
  /** commands given */
  readonly steps: number;
  readonly samples: readonly CollectedSample[];
}

export type Collecting = Omit<Acting, 'state' | 'report' | 'studentMemory'> & { readonly phase: Phase };

/** Plays one game; `number` tells its draws from those of other episodes. Errors: `interrupted`, the expert's. */
export async function collectEpisode(
  collecting: Collecting,
  episode: Episode,
  number: number,
): Promise<CollectedEpisode> {
  const { phase, random } = collecting;
  const frames: (Frame | undefined)[] = [episode.frame];
  const state = { ...initialState(phase, random.path), current: { steps: [], updatesLeft: null } };
  const report: Acting['report'] = (event) => {
    if (event.kind === 'step') frames.push(event.frame);
  };
  const { steps, won } = await playEpisode({ ...collecting, state, report }, episode, number);
  const { gameId, taskType } = episode;
  const samples = steps.flatMap(({ index, text, label, own }): CollectedSample[] => {
    if (label === null || (phase === 'dpo' && (own === label || own === ''))) return [];
    const frame = frames[index] ?? noFrame;
    return [{ gameId, taskType, frame, text, output: label, worse: phase === 'dpo' ? own : null }];
  });
  return { won, steps: steps.length, samples };
}
