/**
 * How far a command is, on standard error: on a terminal one line that is written over (loss, success, time left),
 * elsewhere one line for every episode and round.
 */
import type { EvaluatedGame, ProgressEvent } from '@emac/trainer';
import { say, type Writer } from './io.ts';
import { duration } from './stopwatch.ts';

export interface Progress {
  /** begins a part of `total` games */
  begin(name: string, total: number): void;
  /** an evaluated game */
  game(game: EvaluatedGame): void;
  event(event: ProgressEvent): void;
  /** a sentence that stays */
  note(line: string): void;
  /** takes the line away */
  end(): void;
}

/** Progress on a writer, with a clock in milliseconds. */
export function progress(writer: Writer, now: () => number): Progress {
  let part = { name: '', total: 0, done: 0, won: 0, start: now() };
  let loss: string | null = null;
  let step = 0;

  const show = (): void => {
    if (!writer.isTerminal) return;
    const { name, total, done, won } = part;
    const words = [`${name}: game ${Math.min(done + 1, total)} of ${total}`, `${won} won`];
    if (step > 0) words.push(`step ${step}`);
    if (loss !== null) words.push(`loss ${loss}`);
    if (done > 0) words.push(`${duration(((now() - part.start) / done) * (total - done))} left`);
    writer.write(`\r\x1b[K${words.join(' · ').slice(0, writer.columns - 1)}`);
  };
  const note = (line: string): void => {
    if (writer.isTerminal) writer.write('\r\x1b[K');
    say(writer, line);
  };
  const finished = (won: boolean): void => {
    part = { ...part, done: part.done + 1, won: part.won + (won ? 1 : 0) };
    step = 0;
    show();
  };

  return {
    begin(name, total) {
      part = { name, total, done: 0, won: 0, start: now() };
      [loss, step] = [null, 0];
      if (writer.isTerminal) show();
      else if (total > 0) note(`${name}: ${total} games`);
    },
    game({ id, won, steps }) {
      if (!writer.isTerminal) note(`  ${id}: ${won ? `won in ${steps} steps` : 'not won'}`);
      finished(won);
    },
    event(event) {
      switch (event.kind) {
        case 'step':
          step = event.index + 1;
          return show();
        case 'update':
          loss = Number(event.line['loss']).toPrecision(3);
          return show();
        case 'episode-end': {
          const outcome = event.won ? `won in ${event.steps} steps` : event.repeated ? `in circles after ${event.steps} steps` : `not won in ${event.steps} steps`;
          if (!writer.isTerminal) note(`  round ${event.round + 1}, ${event.gameId}: ${outcome}, ${event.stored} samples`);
          return finished(event.won);
        }
        case 'episode-skipped':
          if (!writer.isTerminal) note(`  round ${event.round + 1}, ${event.gameId}: solved before, skipped`);
          return finished(false);
        case 'round-end': {
          const { round, won, played, samples, updates } = event.line;
          return note(`round ${Number(round) + 1}: ${won} of ${played} won, ${samples} samples, ${updates} updates${loss === null ? '' : `, loss ${loss}`}`);
        }
        default:
          return;
      }
    },
    note,
    end() {
      if (writer.isTerminal) writer.write('\r\x1b[K');
    },
  };
}
