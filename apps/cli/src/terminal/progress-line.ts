/** The overwritten line on a terminal: bar, steps, time left. Elsewhere only notes are written. */
import { say, type Io } from './io.ts';
import { shareDone, standingText, type Standing } from './standing.ts';
import { timeLeft } from './time-left.ts';

export interface ProgressLine {
  /** false without a terminal */
  readonly isShown: boolean;
  readonly standing: Standing;
  /** starts another part */
  begin(part: Partial<Standing>): void;
  move(change: Partial<Standing>): void;
  /** writes a permanent line */
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

/** Milliseconds until the line is drawn again without an event. */
const tick = 1000;

/** On standard error. */
export function progressLine({ stderr: writer, now, env }: Pick<Io, 'stderr' | 'now' | 'env'>): ProgressLine {
  // a dumb terminal cannot rewrite a line, and CI logs are read later
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
