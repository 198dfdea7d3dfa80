/** Events of a command for other programs: one JSON object a line on standard output; `event` names its kind. */
import type { ProgressEvent } from '@emac/algorithms';
import type { Listener } from '@emac/opening';
import { say, type Io } from './io.ts';

/** Writes one event with the clock's time. */
export function sayEvent(
  { stdout, now }: Pick<Io, 'stdout' | 'now'>,
  event: string,
  fields: Readonly<Record<string, unknown>>,
): void {
  say(stdout, JSON.stringify({ event, time: new Date(Math.round(now())).toISOString(), ...fields }));
}

/** Every event of a command. Games and episodes have their names from `metrics.jsonl`; frames are dropped. */
export function jsonEvents(io: Pick<Io, 'stdout' | 'now'>): Required<Listener> {
  const tell = (event: string, fields: Readonly<Record<string, unknown>>) => sayEvent(io, event, fields);
  return {
    note: (text) => tell('note', { text }),
    warning: (text) => tell('warning', { text }),
    run: (folder) => tell('run', { folder }),
    begin: (part, total, { done = 0, noun = 'game' } = {}) => tell('begin', { part, total, done, of: noun }),
    advance: (game) => tell('advance', game === undefined ? {} : { game }),
    end: () => {},
    step: ({ id, step }) => tell('step', { game: id, step }),
    game: ({ id, type, won, steps, seen_in_training }) =>
      tell('game', { game: id, type, won, steps, seen_in_training }),
    training: (event) => tell(...ofTraining(event)),
    reinforced: (line) => tell('update', { metrics: line }),
    answered: (answer) => tell('answer', { ...answer }),
    offline: ({ kind, line }) => tell(kind, { metrics: line }),
    expert: ({ kind, taskId, ...fields }) => tell(kind, { game: taskId, ...fields }),
  };
}

function ofTraining(event: ProgressEvent): [event: string, fields: Readonly<Record<string, unknown>>] {
  switch (event.kind) {
    case 'update':
    case 'probe':
    case 'round-end':
      return [event.kind, { metrics: event.line }];
    case 'step': {
      const { kind, taskId, index, frames: _frames, place: _place, ...fields } = event;
      return [kind, { game: taskId, step: index + 1, ...fields }];
    }
    case 'episode-start': {
      const { kind, taskId, taskType, frames: _frames, place: _place, ...fields } = event;
      return [kind, { game: taskId, type: taskType, ...fields }];
    }
    case 'episode-end': {
      const { kind, taskId, expertWon, stored, trajectory: _trajectory, place: _place, ...fields } = event;
      return [kind, { game: taskId, expert_won: expertWon, samples: stored, ...fields }];
    }
    default: {
      const { kind, taskId, ...fields } = event;
      return [kind, { game: taskId, ...fields }];
    }
  }
}
