/**
 * Somebody's own expert behind the same guard as a language model: what it throws never becomes a label or a gap, but stops the run, which
 * can go on; what is no command that the world accepts is no label.
 */
import { EmacError, messageOf, type Expert, type Label, type LabelRequest } from '@emac/core';
import { commandInDialect } from '@emac/prompt';
import type { GivenExpert } from './expert-module.ts';

/** as often as a language model is asked that fails to answer */
const mostTries = 3;

/** Errors: `unavailable` where it throws as often as it is asked. */
export function guardedExpert(given: GivenExpert): Expert {
  return { label: async (request) => labelFrom(await asked(given, request), request) };
}

/** It is handed a copy: what it does to that changes nothing here. */
async function asked(given: GivenExpert, request: LabelRequest): Promise<unknown> {
  for (let tries = 1; ; tries++)
    try {
      return await given.label(structuredClone(request));
    } catch (thrown) {
      if (tries < mostTries) continue;
      throw new EmacError(
        'unavailable',
        `--expert ${given.name}: threw ${tries} times in ${request.task.id}: ${messageOf(thrown)}; mend it and go on`,
        { cause: thrown },
      );
    }
}

/** A text is a command. Everything that is no label is said to be unusable, with what it is. */
export function labelFrom(answer: unknown, { admissible }: Pick<LabelRequest, 'admissible'>): Label {
  if (answer === undefined || answer === null) return unusable('it has no answer');
  if (typeof answer === 'string') return command(answer, admissible);
  const { kind, command: said, reason } = answer as Readonly<Record<string, unknown>>;
  if (kind === 'action' && typeof said === 'string') return command(said, admissible);
  if (kind === 'unusable') return unusable(typeof reason === 'string' ? shortened(reason) : 'it says so');
  return unusable(`its answer is no label but ${shown(answer)}`);
}

function command(said: string, admissible: LabelRequest['admissible']): Label {
  const trimmed = said.trim();
  if (trimmed === '') return unusable('its answer is empty');
  if (/[\r\n]/.test(trimmed)) return unusable('its answer has several lines');
  if (admissible === null) return { kind: 'action', command: trimmed };
  const forms = [trimmed, ...(['move', 'put'] as const).map((each) => commandInDialect(trimmed, each))];
  const known = forms.find((each) => admissible.includes(each));
  return known === undefined
    ? unusable(`the world does not accept "${shortened(trimmed)}"`)
    : { kind: 'action', command: known };
}

function unusable(reason: string): Label {
  return { kind: 'unusable', cause: 'no-command', reason };
}

function shown(answer: unknown): string {
  try {
    return shortened(JSON.stringify(answer) ?? typeof answer);
  } catch {
    return typeof answer;
  }
}

function shortened(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 80);
}
