/**
 * How an agent speaks to a chat model: `message` puts frame and history into one message of the user; `turns` makes the history a conversation.
 * A prompt is one text either way: room and task, then `\n> {command}\n{observation}` per step, then an open `\n>`.
 */
export const dialogueForms = ['message', 'turns'] as const;

/** `messages`: an agent of one's own, or an environment with tools, brings the messages of each request (`AskedMessages`); no setting asks for it. */
export type Dialogue = (typeof dialogueForms)[number] | 'messages';

/** The text inside one turn: a backslash before each line that begins with `>`, so that `readTurns` takes no such line for a command. */
export function quotedTurn(text: string): string {
  return text.replace(/^(\\*>)/gm, '\\$1');
}

/** The turns of a prompt: observations and commands alternately, an observation first and last. Quoted lines lose their backslash. Never throws. */
export function readTurns(text: string): readonly string[] {
  const [opening, ...steps] = text.replace(/\n>\s*$/, '').split('\n> ');
  const later = steps.flatMap((step) => {
    const end = step.indexOf('\n');
    return end === -1 ? [step, ''] : [step.slice(0, end), step.slice(end + 1)];
  });
  return [opening!, ...later].map((turn) => turn.replace(/^\\(\\*>)/gm, '$1'));
}
