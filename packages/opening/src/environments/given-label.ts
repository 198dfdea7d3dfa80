/** Custom code's answer as a label: an accepted command, or unusable with a reason. */
import type { Label, LabelRequest } from '@emac/core';
import { commandInDialect } from '@emac/prompt';

/** A text is a command. Anything else is unusable, and described in the reason. */
export function labelFrom(answer: unknown, { admissible }: Pick<LabelRequest, 'admissible'>): Label {
  if (answer === undefined || answer === null) return unusable('the expert has no answer');
  if (typeof answer === 'string') return command(answer, admissible);
  const { kind, command: said, reason } = answer as Readonly<Record<string, unknown>>;
  if (kind === 'action' && typeof said === 'string') return command(said, admissible);
  if (kind === 'unusable')
    return unusable(typeof reason === 'string' ? shortened(reason) : 'the expert says so');
  return unusable(`the expert's answer is not a label: ${shown(answer)}`);
}

function command(said: string, admissible: LabelRequest['admissible']): Label {
  const trimmed = said.trim();
  if (trimmed === '') return unusable("the expert's answer is empty");
  if (/[\r\n]/.test(trimmed)) return unusable("the expert's answer has several lines");
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
