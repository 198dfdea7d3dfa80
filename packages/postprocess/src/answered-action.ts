/**
 * Finds the action named in a vision-language model's answer. Prompts ask for JSON with an `"action"`, and models write it almost correctly.
 * The answer is first parsed as JSON; if that fails, the text after `"action":` is searched for one action. If there is none or several, the
 * caller picks a random one, and the result says so: nobody chose it, so it should earn no credit. Both published ways are here too; they pick
 * at random more often, and read more into an answer.
 */
import { answerParts } from './answer-part.ts';
import { jsonObjects } from './json-objects.ts';

export interface AnsweredAction {
  /** as in the list */
  readonly action: string;
  /** how it was found: `random` if the caller picked it */
  readonly source: 'json' | 'scan' | 'random';
}

export interface AnswerReading {
  /** the words or signs of all actions; case is ignored */
  readonly actions: readonly string[];
  /** called once if the answer names no action, to pick a random one */
  readonly draw: (actions: readonly string[]) => string;
  /**
   * `strict`, the default; `rl4vlm`: any action in the text after `"action":`, also within words; `vlm-finetune`: the same with whole words.
   * Without `"action":` both use only the last character, and an action `10` is first removed from the text.
   */
  readonly way?: 'strict' | 'rl4vlm' | 'vlm-finetune';
}

/** Reads an answer; never throws. */
export function answeredAction(
  text: string,
  { actions, draw, way = 'strict' }: AnswerReading,
): AnsweredAction {
  const found = way === 'strict' ? read(text, actions) : readAsPublished(text, actions, way);
  return found ?? { action: draw(actions), source: 'random' };
}

function read(text: string, actions: readonly string[]): AnsweredAction | null {
  const value = jsonAction(text);
  const exact = value === null ? undefined : actions.find((action) => isSame(action, value));
  if (exact !== undefined) return { action: exact, source: 'json' };
  const [scanned, ...others] = scannedActions(answerParts(text).answer, actions);
  return scanned !== undefined && others.length === 0 ? { action: scanned, source: 'scan' } : null;
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.trim().toLowerCase();
}

function jsonAction(text: string): string | null {
  for (const answer of jsonObjects(text)) {
    const value = answer['action'];
    if (typeof value === 'string' || typeof value === 'number') return String(value);
  }
  return null;
}

/** Actions in the value after the last `"action":`; without it, words anywhere, and a sign only if it is the whole answer. */
function scannedActions(text: string, actions: readonly string[]): string[] {
  const [, tail] = /"action"\s*:(?![\s\S]*"action"\s*:)([\s\S]*)/i.exec(text) ?? [];
  if (tail !== undefined) return named(valueIn(tail), actions);
  const whole = text.trim().replace(/^["'`]+|["'`.]+$/g, '');
  const same = actions.filter((action) => isSame(action, whole));
  return same.length > 0 ? same : named(text, actions.filter(isWord));
}

/** A quoted value, or the text up to the end of the line or object. */
function valueIn(tail: string): string {
  const quoted = /^\s*"([^"\n]*)"(.*)/.exec(tail);
  if (!quoted) return /^[^,}\n]*/.exec(tail.trimStart())![0];
  const [, value, rest] = quoted;
  // "a" or "b" names two actions
  return /^\s*(?:[,}\\].*)?$/.test(rest!) ? value! : value! + rest!;
}

function isWord(action: string): boolean {
  return /[a-z]/i.test(action);
}

/** Every action in the text: words and numbers as wholes, signs anywhere, the longest first, so no part of one counts. */
function named(text: string, actions: readonly string[]): string[] {
  let rest = text.toLowerCase();
  return [...actions]
    .sort((one, other) => other.length - one.length)
    .filter((action) => {
      const pattern = new RegExp(bounded(action.toLowerCase()), 'g');
      const without = rest.replace(pattern, ' ');
      if (without === rest) return false;
      rest = without;
      return true;
    });
}

/** `\b` only beside letters and digits: signs have no word boundaries. */
function bounded(action: string): string {
  const escaped = action.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
  return `${/^\w/.test(action) ? '\\b' : ''}${escaped}${/\w$/.test(action) ? '\\b' : ''}`;
}

/** Bissmella/VLM_finetune and RL4VLM/RL4VLM, VLM_PPO/a2c_ppo_acktr/rl_utils.py, `text_projection`. */
function readAsPublished(
  text: string,
  actions: readonly string[],
  way: 'rl4vlm' | 'vlm-finetune',
): AnsweredAction | null {
  const lowered = text.toLowerCase();
  // if it is missing, Python's text[-1:] is the last character
  let tail = lowered.slice(lowered.indexOf('"action":'));
  const found = new Set<string>();
  if (actions.includes('10') && tail.includes('10')) {
    found.add('10');
    tail = tail.replaceAll('10', '');
  }
  for (const action of actions) {
    const isThere =
      way === 'rl4vlm' || !/[a-z0-9]/i.test(action)
        ? tail.includes(action)
        : new RegExp(bounded(action.toLowerCase())).test(tail);
    if (isThere) found.add(action);
  }
  const [only, ...others] = found;
  return only !== undefined && others.length === 0 ? { action: only, source: 'scan' } : null;
}
