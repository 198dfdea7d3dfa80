/**
 * The line that is written over, on a terminal: bar, steps, time left. Elsewhere nothing is written but notes.
 */
import { say, type Io } from './io.ts';
import { shareDone, standingText, type Standing } from './standing.ts';
import { timeLeft } from './time-left.ts';

export interface ProgressLine {
  /** false where nobody sees a line that is written over */
  readonly isShown: boolean;
  readonly standing: Standing;
  /** another part begins */
  begin(part: Partial<Standing>): void;
  move(change: Partial<Standing>): void;
  /** a line that stays */
  note(text: string): void;
  end(): void;
}

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

/** On standard error. */
export function progressLine({ stderr: writer, now, env }: Pick<Io, 'stderr' | 'now' | 'env'>): ProgressLine {
  // a dumb terminal cannot go back in a line, and logs of CI are read later
  const isShown = writer.isTerminal && env['TERM'] !== 'dumb' && !env['CI'];
  let standing = nothingYet;
  let left = timeLeft(now());
  let timer: NodeJS.Timeout | null = null;
  const over = (text: string): void => {
    if (isShown) writer.write(`\r\u001b[K${text}`);
  };
  const draw = (): void =>
    over(standingText(standing, left.at(now(), shareDone(standing)), writer.columns - 1));
  const stop = (): void => {
    if (timer !== null) clearInterval(timer);
    timer = null;
  };
  return {
    isShown,
    get standing() {
      return standing;
    },
    begin(part) {
      stop();
      left = timeLeft(now());
      standing = { ...nothingYet, ...part };
      draw();
      if (isShown) timer = setInterval(draw, tick).unref();
    },
    move(change) {
      standing = { ...standing, ...change };
      draw();
    },
    note(text) {
      over('');
      say(writer, text);
      if (timer !== null) draw();
    },
    end() {
      stop();
      over('');
    },
  };
}
