/**
 * Writes records of a trial log like EMMA and Reflexion (noahshinn/reflexion alfworld_runs). Skipped solved games leave
 * one line in both. `emmaTrialRecord` and `reflexionTrialRecord` take a text unchanged, byte for byte as published;
 * `trialRecord` makes the text itself, so that `readTrialLog` restores the input.
 */
import type { History } from '@emac/core';
import { emmaText, initialObservation, reflexionText } from '@emac/prompt';

export type TrialLayout = 'emma' | 'reflexion';

export interface TrialOutcome {
  /** index of the game in the run's list */
  readonly index: number;
  /** the episode as `emmaText` or `reflexionText` of @emac/prompt lays it out */
  readonly text: string;
  readonly success: boolean;
}

export interface Trial {
  /** index of the game in the run's list */
  readonly index: number;
  readonly success: boolean;
  readonly history: History;
  /** a last command without an observation */
  readonly pending?: string;
  /** lessons shown, oldest first; the last three are written */
  readonly memories?: readonly string[];
  /** the text before the episode; default none */
  readonly base?: string;
}

/** EMMA's record: the transcript of a failure, one line for a success. */
export function emmaTrialRecord({ index, text, success }: TrialOutcome): string {
  return success ? skippedTrialRecord(index) : record(`${index}:\n${text}STATUS: FAIL`);
}

/** Reflexion's record: the transcript with its status. */
export function reflexionTrialRecord({ index, text, success }: TrialOutcome): string {
  return record(`${index}:\n${text}\n\nSTATUS: ${success ? 'OK' : 'FAIL'}`);
}

/** The line of a game solved earlier. */
export function skippedTrialRecord(index: number): string {
  return record(`${index}: Success`);
}

/**
 * A record that no command or observation can break: each becomes one line. Departure from the published writers, whose
 * records break if a model's command contains blank lines or lines that begin with `> `.
 */
export function trialRecord(trial: Trial, layout: TrialLayout = 'emma'): string {
  const { index, success, base = '', memories = [] } = trial;
  const input = { ...inLines(trial), base, memories: memories.map(oneLine) };
  return layout === 'emma'
    ? emmaTrialRecord({ index, success, text: emmaText(input) })
    : reflexionTrialRecord({ index, success, text: reflexionText(input) });
}

/** An episode with commands and observations of one line each; single lines are unchanged. */
export function inLines({ history, pending }: Pick<Trial, 'history' | 'pending'>): {
  readonly history: History;
  readonly pending?: string;
} {
  const turns = history.turns.map(({ command, observation }) => ({
    command: oneLine(command),
    observation: oneLine(observation),
  }));
  const initial = initialObservation(history.initial)
    .split(lineBreaks)
    .reduce((before, line) =>
      line === '' || line.startsWith('> ') ? `${before} ${line}` : `${before}\n${line}`,
    );
  return { history: { initial, turns }, ...(pending === undefined ? {} : { pending: oneLine(pending) }) };
}

const lineBreaks = /[\n\r\v\f\u0085\u2028\u2029]+/;

function oneLine(text: string): string {
  return text.split(lineBreaks).join(' ');
}

function record(body: string): string {
  return `\n#####\n\nEnvironment #${body}\n\n#####\n`;
}
