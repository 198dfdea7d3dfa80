/**
 * The hand-coded expert: a pure function of the texts an agent has read. It replays the history, so it can take over
 * from any state, and never sees the world's facts. Departures from ALFWorld's own expert: no random choices, no
 * closing of doors, receptacles searched by chance per step, both dialects tracked. It reads the texts of the embodied
 * environment (AI2-THOR) as well.
 */
import type { Expert, History, Label } from '@emac/core';
import type { Dialect } from '../dialect.ts';
import { isEmbodied, readGoal, taskSentence } from './goal.ts';
import { recall } from './memory.ts';
import type { Known } from './memory.ts';
import { obstacle, proposals } from './proposals.ts';

export interface HandcodedOptions {
  /** assumed until the texts reveal the world's dialect; default `move` */
  readonly dialect?: Dialect;
  /** commands the world accepts now; other proposals are skipped */
  readonly admissible?: readonly string[];
}

/** The expert behind core's contract. */
export function handcodedExpert(options: Pick<HandcodedOptions, 'dialect'> = {}): Expert {
  return {
    label: ({ history, admissible }) =>
      Promise.resolve(decide(history, { ...options, ...(admissible && { admissible }) })),
  };
}

/** The expert's next command; null if it cannot work on the task. */
export function handcodedCommand(history: History, options: HandcodedOptions = {}): string | null {
  const label = decide(history, options);
  return label.kind === 'action' ? label.command : null;
}

function decide(history: History, options: HandcodedOptions): Label {
  const sentence = taskSentence(history.initial);
  if (sentence === null) return unusable('the first observation names no task');
  const goal = readGoal(sentence);
  if (!goal) return unusable(`the task follows no template: ${sentence}`);
  const known = recall(history);
  const reason = obstacle({ goal, known });
  if (reason !== null) return unusable(reason);
  // AI2-THOR's list is derived from texts: some listed commands are refused, and some accepted ones are missing
  const trusted = isEmbodied(history.initial) ? { dialect: 'put' as const } : options;
  const admissible = trusted.admissible && new Set(trusted.admissible);
  for (const command of proposals({ goal, known, dialects: dialectsOf(known, trusted) }))
    if (!known.refused.has(command) && (admissible?.has(command) ?? true)) return { kind: 'action', command };
  return unusable('every proposal was refused');
}

function unusable(reason: string): Label {
  return { kind: 'unusable', reason };
}

function dialectsOf(known: Known, { dialect = 'move', admissible }: HandcodedOptions): readonly Dialect[] {
  if (admissible?.some((command) => command === 'help' || command.startsWith('move '))) return ['move'];
  if (admissible?.some((command) => command.startsWith('put '))) return ['put'];
  if (known.dialect) return [known.dialect];
  return dialect === 'move' ? ['move', 'put'] : ['put', 'move'];
}
