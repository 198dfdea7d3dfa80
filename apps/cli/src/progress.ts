/**
 * How far a command is, on standard error: on a terminal one line that is written over (loss, success, time left),
 * elsewhere one line for every episode and round.
 */
import type { ExpertEvent } from '@emac/expert';
import type { EvaluatedGame, MetricsLine, OfflineEvent, ProgressEvent } from '@emac/trainer';
import { say, type Writer } from './io.ts';
import { counted, duration } from './stopwatch.ts';

export interface Progress {
  /** begins a part of `total` games, or other things, some of which may be done already */
  begin(name: string, total: number, start?: { readonly done?: number; readonly noun?: string }): void;
  /** an evaluated game */
  game(game: EvaluatedGame): void;
  event(event: ProgressEvent): void;
  /** what a label does not say */
  expert(event: ExpertEvent): void;
  /** of training on a dataset */
  offline(event: OfflineEvent): void;
  /** one more thing is done */
  advance(): void;
  /** a sentence that stays */
  note(line: string): void;
  /** takes the line away */
  end(): void;
}

/** Where a part stands. */
interface Standing {
  readonly name: string;
  readonly total: number;
  readonly done: number;
  readonly won: number;
  /** of the episode that is played; 0 between episodes */
  readonly step: number;
  readonly loss: number | null;
  readonly start: number;
  readonly noun: string;
  /** games that were done before `start` */
  readonly before: number;
}

/** Progress on a writer, with a clock in milliseconds. */
export function progress(writer: Writer, now: () => number): Progress {
  let standing: Standing = {
    ...{ name: '', total: 0, done: 0, won: 0, step: 0, loss: null, before: 0, noun: 'game' },
    start: now(),
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
    event(event) {
      if (event.kind === 'step') move({ step: event.index + 1 });
      if (event.kind === 'update') move({ loss: lossOf(event.line) ?? standing.loss });
      if (event.kind === 'episode-end') finish(episodeText(event), event.won);
      if (event.kind === 'episode-skipped') finish(`${placeText(event)}: solved before, skipped`, false);
      if (event.kind === 'reflection-failed') note(`${placeText(event)}: no lesson, ${event.reason}`);
      if (event.kind === 'round-end') note(roundText(event.line, standing.loss));
    },
    expert(event) {
      if (event.kind === 'prompt-shortened') note(`${event.gameId}: ${shortenedText(event)}`);
    },
    offline(event) {
      if (event.kind === 'update') {
        const loss = lossOf(event.line) ?? standing.loss;
        move({ loss, done: standing.done + Number(event.line['samples']) });
      }
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

function standingText(standing: Standing, now: number): string {
  const { name, total, done, noun, won, step, loss, start, before } = standing;
  const words = [`${name}: ${noun} ${Math.min(done + 1, total)} of ${total}`];
  if (noun === 'game') words.push(`${won} won`);
  if (step > 0) words.push(`step ${step}`);
  if (loss !== null) words.push(`loss ${loss.toPrecision(3)}`);
  const here = done - before;
  if (here > 0 && done < total) words.push(`${duration(((now - start) / here) * (total - done))} left`);
  return words.join(' · ');
}

function placeText({ round, gameId }: { readonly round: number; readonly gameId: string }): string {
  return `round ${round + 1}, ${gameId}`;
}

function episodeText(event: Extract<ProgressEvent, { kind: 'episode-end' }>): string {
  const steps = counted(event.steps, 'step');
  const outcome = event.won
    ? `won in ${steps}`
    : event.repeated
      ? `in circles after ${steps}`
      : `not won in ${steps}`;
  return `${placeText(event)}: ${outcome}, ${counted(event.stored, 'sample')}`;
}

function shortenedText({ dropped, fits }: Extract<ExpertEvent, { kind: 'prompt-shortened' }>): string {
  if (!fits) return 'the prompt is longer than --expert-context, even with rules and task alone';
  const left = [
    counted(dropped.turns, 'turn'),
    counted(dropped.examples, 'example'),
    counted(dropped.memories, 'lesson'),
  ].filter((each) => !each.startsWith('0 '));
  return `the prompt is longer than --expert-context, so it lacks ${left.join(', ')} or more`;
}

function roundText(
  { round, won, played, samples, updates, unusable }: MetricsLine,
  loss: number | null,
): string {
  const learned = `${counted(Number(samples), 'sample')}, ${counted(Number(updates), 'update')}`;
  const lacking = Number(unusable) > 0 ? `, ${counted(Number(unusable), 'step')} without a label` : '';
  return `round ${Number(round) + 1}: ${won} of ${played} won, ${learned}${lacking}${loss === null ? '' : `, loss ${loss.toPrecision(3)}`}`;
}

function epochText({ round, loss, samples, updates }: MetricsLine): string {
  const learned = `${counted(Number(samples), 'sample')}, ${counted(Number(updates), 'update')}`;
  return `epoch ${Number(round) + 1}: ${learned}, loss ${Number(loss).toPrecision(3)}`;
}
