/**
 * How far a command is, on standard error: on a terminal one line with a bar that is written over (steps within a game, loss,
 * success, time left), elsewhere one line for every episode and round.
 */
import type { MetricsLine } from '@emac/algorithms';
import type { Listener } from '@emac/experiment';
import { counted } from './amounts.ts';
import { episodeText, epochText, placeText, roundText, shortenedText } from './event-lines.ts';
import { say, type Io } from './io.ts';
import { shareDone, standingText, type Standing } from './standing.ts';
import { timeLeft } from './time-left.ts';

/** Hears everything but which folder it is. */
export type Progress = Required<Omit<Listener, 'run'>>;

const nothingYet: Standing = {
  name: '',
  total: 0,
  done: 0,
  won: null,
  underway: new Map(),
  loss: null,
  noun: 'game',
  free: 0,
  steps: 0,
  episodes: 0,
};

/** Milliseconds after which the line is written again although nothing happened. */
const tick = 1000;

/** Progress on standard error. */
export function progress({ stderr: writer, now, env }: Pick<Io, 'stderr' | 'now' | 'env'>): Progress {
  // a dumb terminal cannot go back in a line, and logs of CI are read later
  const hasBar = writer.isTerminal && env['TERM'] !== 'dumb' && !env['CI'];
  let standing = nothingYet;
  let left = timeLeft(now());
  let timer: NodeJS.Timeout | null = null;
  const clear = (): void => {
    if (hasBar) writer.write('\r\x1b[K');
  };
  const note = (line: string): void => {
    clear();
    say(writer, line);
    if (timer !== null) draw();
  };
  const draw = (): void => {
    if (!hasBar) return;
    const at = now();
    const text = standingText(standing, left.at(at, shareDone(standing)), writer.columns - 1);
    writer.write(`\r\x1b[K${text}`);
  };
  const move = (change: Partial<Standing>): void => {
    standing = { ...standing, ...change };
    draw();
  };
  const stop = (): void => {
    if (timer !== null) clearInterval(timer);
    timer = null;
  };
  const step = (id: string | number, steps: number): void =>
    move({ underway: new Map(standing.underway).set(id, steps) });
  const finish = (line: string, over: Over | null): void => {
    if (!hasBar) note(`  ${line}`);
    move(finished(standing, over));
  };
  return {
    begin(name, total, { done = 0, noun = 'game' } = {}) {
      if (!hasBar) note(`${name}: ${counted(total, noun)}`);
      left = timeLeft(now());
      stop();
      if (hasBar) timer = setInterval(draw, tick).unref();
      move({ ...nothingYet, name, total, done, noun, free: done });
    },
    step: ({ id, step: steps }) => step(id, steps),
    game: ({ id, won, steps }) =>
      finish(`${id}: ${won ? `won in ${counted(steps, 'step')}` : 'not won'}`, { id, won, steps }),
    training(event) {
      if (event.kind === 'step') step(event.episode, event.index + 1);
      if (event.kind === 'update') move({ loss: lossOf(event.line) ?? standing.loss });
      if (event.kind === 'episode-end') finish(episodeText(event), { id: event.episode, ...event });
      if (event.kind === 'episode-skipped') finish(`${placeText(event)}: solved before, skipped`, null);
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
    advance(id) {
      const underway = new Map(standing.underway);
      if (id !== undefined) underway.delete(id);
      move({ done: standing.done + 1, underway });
    },
    note,
    end() {
      stop();
      clear();
    },
  };
}

interface Over {
  readonly id: string | number;
  readonly won: boolean;
  readonly steps: number;
}

/** The standing after an episode; null for one that was passed over. */
function finished(standing: Standing, over: Over | null): Partial<Standing> {
  const done = standing.done + 1;
  if (over === null) return { done, free: standing.free + 1 };
  const underway = new Map(standing.underway);
  // a game that nobody saw a step of was played before an interruption
  const free = standing.free + (underway.delete(over.id) ? 0 : 1);
  const won = (standing.won ?? 0) + (over.won ? 1 : 0);
  return { done, underway, won, free, steps: standing.steps + over.steps, episodes: standing.episodes + 1 };
}

/** An update that was skipped for an overflow has none. */
function lossOf(line: MetricsLine): number | null {
  return line['loss'] == null ? null : Number(line['loss']);
}
