/**
 * How far a command is, on standard error: on a terminal one line that is written over (loss, success, time left),
 * elsewhere one line for every episode and round.
 */
import type { MetricsLine } from '@emac/algorithms';
import type { Listener } from '@emac/experiment';
import { counted } from './amounts.ts';
import { episodeText, epochText, placeText, roundText, shortenedText } from './event-lines.ts';
import { say, type Io } from './io.ts';
import { standingText, type Standing } from './standing.ts';

/** Hears everything. */
export type Progress = Required<Omit<Listener, 'run'>>;

/** Progress on standard error. */
export function progress({ stderr: writer, now }: Pick<Io, 'stderr' | 'now'>): Progress {
  let standing: Standing = {
    name: '',
    total: 0,
    done: 0,
    won: 0,
    step: 0,
    loss: null,
    start: now(),
    noun: 'game',
    before: 0,
  };
  const clear = (): void => {
    if (writer.isTerminal) writer.write('\r\x1b[K');
  };
  const note = (line: string): void => {
    clear();
    say(writer, line);
  };
  const move = (change: Partial<Standing>): void => {
    standing = { ...standing, ...change };
    clear();
    if (writer.isTerminal) writer.write(standingText(standing, now()).slice(0, writer.columns - 1));
  };
  const finish = (line: string, won: boolean): void => {
    if (!writer.isTerminal) note(`  ${line}`);
    move({ step: 0, done: standing.done + 1, won: standing.won + (won ? 1 : 0) });
  };
  return {
    begin(name, total, { done = 0, noun = 'game' } = {}) {
      if (!writer.isTerminal) note(`${name}: ${counted(total, noun)}`);
      move({ name, total, done, noun, won: 0, step: 0, loss: null, start: now(), before: done });
    },
    game: ({ id, won, steps }) =>
      finish(`${id}: ${won ? `won in ${counted(steps, 'step')}` : 'not won'}`, won),
    training(event) {
      if (event.kind === 'step') move({ step: event.index + 1 });
      if (event.kind === 'update') move({ loss: lossOf(event.line) ?? standing.loss });
      if (event.kind === 'episode-end') finish(episodeText(event), event.won);
      if (event.kind === 'episode-skipped') finish(`${placeText(event)}: solved before, skipped`, false);
      if (event.kind === 'reflection-failed') note(`${placeText(event)}: no lesson, ${event.reason}`);
      if (event.kind === 'round-end') note(roundText(event.line, standing.loss));
    },
    expert(event) {
      if (event.kind === 'prompt-shortened') note(`${event.taskId}: ${shortenedText(event)}`);
    },
    offline(event) {
      if (event.kind === 'update')
        move({
          loss: lossOf(event.line) ?? standing.loss,
          done: standing.done + Number(event.line['samples']),
        });
      if (event.kind === 'round-end') note(epochText(event.line));
    },
    advance: () => move({ done: standing.done + 1 }),
    note,
    end: clear,
  };
}

/** An update that was skipped for an overflow has none. */
function lossOf(line: MetricsLine): number | null {
  return line['loss'] == null ? null : Number(line['loss']);
}
