/** How an agent speaks to an open model: in one message, or in the turns of a conversation (`Dialogue`). */
import {
  EmacError,
  isAsked,
  readAsked,
  readCallText,
  readTurns,
  type Dialogue,
  type ToolCall,
} from '@emac/core';

import { addsUp } from './prompts/adds-up.ts';
import type { Family, FamilyFiles } from './family.ts';
import type { Conversation, PromptForm } from './prompts/prompt-form.ts';

export interface SpokenForm {
  /** takes a prompt's text, whose history it turns into a conversation if that is asked for */
  readonly form: PromptForm;
  /** one sentence if conversations do not add up, else null */
  readonly note: string | null;
}

export interface SpokenTo {
  readonly folder: FamilyFiles['folder'];
  readonly family: Pick<Family, 'title' | 'vision'>;
  readonly companions: Pick<FamilyFiles['companions'], 'tokenizer'>;
}

/** Errors: `usage` for turns or messages asked of a model without a chat template. */
export function spokenForm(form: PromptForm, dialogue: Dialogue, to: SpokenTo): SpokenForm {
  if (dialogue === 'message') return { form, note: null };
  const { conversation, endToken } = form;
  if (conversation === null) throw hasNoConversations(form, dialogue, to);
  if (dialogue === 'messages') return { form: askedForm(form, conversation), note: null };
  const pictures = to.family.vision ? 1 : 0;
  const isAdding = addsUp(conversation, { endToken, pictures });
  return {
    form: {
      ...form,
      turn: (text, shown) => conversation.turn(readTurns(text), shown),
      answer: (text, answer) => conversation.answer(readTurns(text), answer),
    },
    note: isAdding ? null : notAdding(to, pictures),
  };
}

/**
 * A prompt's text is a request. An answer has the same ids after any of them, as the template's own words stand between; a call of a tool
 * gets the form in which the template writes calls.
 */
function askedForm(form: PromptForm, { asked, called }: Conversation): PromptForm {
  return {
    ...form,
    turn: (text, pictures) => asked(readAsked(text), pictures),
    answer: (text, answer) => {
      const call = callAfter(text, answer);
      return call ? called(call) : form.answer('Go on.', answer);
    },
  };
}

/** Null for words, also after a request without tools. An answer that is only counted follows no request. */
function callAfter(text: string, answer: string): ToolCall | null {
  const call = readCallText(answer);
  return call && isAsked(text) && !readAsked(text).tools ? null : call;
}

/** what asks for conversations, and what to do without them */
const asking = {
  turns: ['--dialogue turns', 'give --dialogue message'],
  messages: ['--agent, or an environment with tools', 'give a chat model with --policy'],
  data: ['--data', 'give a chat model with --policy, or texts in place of messages'],
} as const;

/** The error of a model without a chat template. */
export function hasNoConversations(
  { kind }: Pick<PromptForm, 'kind'>,
  what: keyof typeof asking,
  { folder, family }: Pick<SpokenTo, 'folder' | 'family'>,
): EmacError {
  const [flag, others] = asking[what];
  const why =
    kind === 'plain'
      ? `${folder} has no chat template; add chat_template.jinja of the published model, or ${others}`
      : `${folder} is ${family.title} model, whose prompt is no conversation; ${others}`;
  return new EmacError('usage', `${flag}: ${why}`);
}

function notAdding({ folder }: SpokenTo, pictures: number): string {
  const why =
    pictures > 0
      ? 'the picture stands in the last turn alone'
      : `the chat template of ${folder} writes an earlier turn in another way than the newest`;
  return `--dialogue turns: ${why}, so the prompt of a step does not begin with the whole prompt of the step before, and --rows episodes shares less`;
}
