/**
 * Progress of a command on standard error: a line for every part that is over and every round, with one answer of the policy beside the expert's. On a terminal
 * also one line with a bar that is overwritten (steps within a game, loss, success, time left). `verbose`: a line for every game.
 */
import type { Listener } from '@emac/opening';
import { counted } from './amounts.ts';
import {
  episodeText,
  brief,
  epochText,
  exampleText,
  moreTelling,
  placeText,
  repairedText,
  roundText,
  shortenedText,
  updateText,
  type Example,
} from './event-lines.ts';
import type { Io } from './io.ts';
import { progressLine } from './progress-line.ts';
import { finished, type Over, type Standing } from './standing.ts';

/** Receives every event but `run`, the folder's name. */
export type Progress = Required<Omit<Listener, 'run'>>;

/** Progress on standard error. */
export function progress(
  io: Pick<Io, 'stderr' | 'now' | 'env'>,
  { verbose = false }: { readonly verbose?: boolean } = {},
): Progress {
  const line = progressLine(io);
  let example: Example | null = null;
  let wantsAnswer = false;
  let repaired = 0;
  const { note, move } = line;
  const step = (id: string | number, steps: number): void =>
    move({ underway: new Map(line.standing.underway).set(id, steps) });
  const finish = (text: string, over: Over | null): void => {
    if (verbose) note(`  ${text}`);
    move(finished(line.standing, over));
  };
  return {
    begin(name, total, { done = 0, noun = 'game' } = {}) {
      if (!line.isShown) note(`${name}: ${counted(total, noun)}`);
      line.begin({ name, total, done, noun, free: done });
    },
    step: ({ id, step: steps }) => step(id, steps),
    game({ id, won, steps }) {
      finish(`${id}: ${won ? `won in ${counted(steps, 'step')}` : 'not won'}`, { id, won, steps });
      const { name, done, total, won: all } = line.standing;
      if (done === total) note(`${name}: ${all} of ${total} won`);
    },
    training(event) {
      if (event.kind === 'step') {
        step(event.episode, event.index + 1);
        example = moreTelling(example, event);
      }
      if (event.kind === 'update') move({ loss: lossOf(event.line) ?? line.standing.loss });
      if (event.kind === 'episode-end') {
        if (event.fault !== undefined && !verbose) note(episodeText(event));
        finish(episodeText(event), { id: event.episode, ...event });
      }
      if (event.kind === 'episode-skipped') finish(`${placeText(event)}: solved before, skipped`, null);
      if (event.kind === 'reflection-failed') note(`${placeText(event)}: no lesson, ${event.reason}`);
      if (event.kind !== 'round-end') return;
      note(roundText(event.line, line.standing.loss));
      if (repaired > 0) note(`  ${repairedText(repaired)}`);
      repaired = 0;
      if (example) note(exampleText(example));
      example = null;
    },
    expert(event) {
      if (event.kind === 'prompt-shortened') note(`${event.taskId}: ${shortenedText(event)}`);
      if (event.kind === 'command-repaired') repaired++;
    },
    reinforced(update) {
      const before = line.standing.done;
      const done = update.phase === 'grpo' ? update.update + 1 : Number(update['environment_steps']);
      move({ done, loss: lossOf(update) ?? line.standing.loss });
      if (tenths(done, line.standing) > tenths(before, line.standing)) {
        note(`  ${updateText(update)}`);
        wantsAnswer = true;
      }
    },
    answered({ content, reward }) {
      if (wantsAnswer) note(`  an answer with reward ${reward.toPrecision(3)}: ${brief(content)}`);
      wantsAnswer = false;
    },
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
    end() {
      line.end();
      if (repaired > 0) note(repairedText(repaired));
      repaired = 0;
    },
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
