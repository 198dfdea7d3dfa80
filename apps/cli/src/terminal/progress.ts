/**
 * Progress of a command on standard error. On a terminal: one line with a bar that is overwritten (steps within a game, loss, success, time left). Elsewhere:
 * one line for every episode and round.
 */
import type { Listener } from '@emac/opening';
import { counted } from './amounts.ts';
import { episodeText, epochText, placeText, roundText, shortenedText, updateText } from './event-lines.ts';
import type { Io } from './io.ts';
import { progressLine } from './progress-line.ts';
import { finished, type Over, type Standing } from './standing.ts';

/** Receives every event but `run`, the folder's name. */
export type Progress = Required<Omit<Listener, 'run'>>;

/** Progress on standard error. */
export function progress(io: Pick<Io, 'stderr' | 'now' | 'env'>): Progress {
  const line = progressLine(io);
  const { note, move } = line;
  const step = (id: string | number, steps: number): void =>
    move({ underway: new Map(line.standing.underway).set(id, steps) });
  const finish = (text: string, over: Over | null): void => {
    if (!line.isShown) note(`  ${text}`);
    move(finished(line.standing, over));
  };
  return {
    begin(name, total, { done = 0, noun = 'game' } = {}) {
      if (!line.isShown) note(`${name}: ${counted(total, noun)}`);
      line.begin({ name, total, done, noun, free: done });
    },
    step: ({ id, step: steps }) => step(id, steps),
    game: ({ id, won, steps }) =>
      finish(`${id}: ${won ? `won in ${counted(steps, 'step')}` : 'not won'}`, { id, won, steps }),
    training(event) {
      if (event.kind === 'step') step(event.episode, event.index + 1);
      if (event.kind === 'update') move({ loss: lossOf(event.line) ?? line.standing.loss });
      if (event.kind === 'episode-end') finish(episodeText(event), { id: event.episode, ...event });
      if (event.kind === 'episode-skipped') finish(`${placeText(event)}: solved before, skipped`, null);
      if (event.kind === 'reflection-failed') note(`${placeText(event)}: no lesson, ${event.reason}`);
      if (event.kind === 'round-end') note(roundText(event.line, line.standing.loss));
    },
    expert(event) {
      if (event.kind === 'prompt-shortened') note(`${event.taskId}: ${shortenedText(event)}`);
    },
    reinforced(update) {
      const before = line.standing.done;
      const done = update.phase === 'grpo' ? update.update + 1 : Number(update['environment_steps']);
      move({ done, loss: lossOf(update) ?? line.standing.loss });
      if (!line.isShown && tenths(done, line.standing) > tenths(before, line.standing))
        note(`  ${updateText(update)}`);
    },
    answered: () => {},
    offline(event) {
      if (event.kind === 'update')
        move({
          loss: lossOf(event.line) ?? line.standing.loss,
          done: line.standing.done + Number(event.line['samples']),
        });
      if (event.kind === 'round-end') note(epochText(event.line));
    },
    advance(id) {
      const underway = new Map(line.standing.underway);
      if (id !== undefined) underway.delete(id);
      move({ done: line.standing.done + 1, underway });
    },
    note,
    warning: note,
    end: () => line.end(),
  };
}

/** The finished share of a part, in tenths: a log has a line for each. */
function tenths(done: number, { total }: Pick<Standing, 'total'>): number {
  return Math.floor((10 * done) / total);
}

/** An update skipped for an overflow has no loss. */
function lossOf(line: { readonly [field: string]: unknown }): number | null {
  return line['loss'] == null ? null : Number(line['loss']);
}
