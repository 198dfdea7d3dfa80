/** The texts between a policy and a custom environment. */
import type { History, Speech, SpeechForm, SpeechPolicy } from '@emac/core';
import { observedHistory } from '@emac/prompt';
import { guarded, isFunction, refused } from './module-faults.ts';
import { policyTexts } from './texts.ts';

/** The prompt in the module's own words; null without. */
export type OwnPrompt = ((history: History) => string) | null;

/** Errors: `data` for a prompt that is no function. */
export function promptFrom(path: string, found: Readonly<Record<string, unknown>>): OwnPrompt {
  const { prompt } = found;
  if (prompt === undefined || prompt === null) return null;
  if (!isFunction(prompt)) throw refused(path, 'prompt must be a function of a history');
  return (history) => {
    const text = guarded(path, 'prompt', () => prompt.call(found, history));
    if (typeof text === 'string' && text !== '') return text;
    throw refused(path, `prompt must give a text, got ${text === '' ? 'an empty one' : typeof text}`);
  };
}

/** ALFWorld's history form, or the module's own prompt, with the action verbatim on one line. */
export function moduleSpeech(policy: SpeechPolicy, form: SpeechForm, own: OwnPrompt): Speech {
  const texts = policyTexts(policy, form);
  return {
    ...texts,
    prompt: (moment) => {
      const { initial, turns } = moment.history;
      if (own)
        return withinTokens(policy, form, {
          own,
          history: observedHistory({ initial, turns }, form.observe),
        });
      // the form removes ALFWorld's greeting, which ends in a blank line
      const history = { turns, initial: initial.includes('\n\n') ? `\n\n${initial}` : initial };
      return texts.prompt({ ...moment, history });
    },
    read: ({ text }) => ({
      action:
        text
          .trim()
          .split(/[\r\n]/)[0]!
          .trim() || null,
      actionStart: 0,
    }),
  };
}

interface Prompting {
  readonly own: NonNullable<OwnPrompt>;
  readonly history: History;
}

/** The longest prompt within the limit: the oldest steps are dropped. */
function withinTokens(policy: SpeechPolicy, { maxTokens }: SpeechForm, { own, history }: Prompting): string {
  for (let dropped = 0; ; dropped++) {
    const text = own({ ...history, turns: history.turns.slice(dropped) });
    if (dropped >= history.turns.length || policy.countPromptTokens(text) <= maxTokens) return text;
  }
}
