/** A request to a chat model, as an agent of one's own asks it; as a text it is the prompt of the dialogue `messages`. */
import type { Fact } from './fact.ts';
import { invariant } from './error.ts';
import type { AnswerConstraint } from './policy.ts';
import type { AskedTool } from './tool-call.ts';

export interface AskedMessage {
  readonly role: string;
  readonly content: string;
  /** what a chat template may read beside them */
  readonly [field: string]: Fact;
}

export interface AskedMessages {
  readonly messages: readonly AskedMessage[];
  /** what the answer may call; absent: nothing */
  readonly tools?: readonly AskedTool[];
  /** what the answer must be; absent: any text */
  readonly form?: AnswerConstraint;
  /** longest answer in tokens; absent: the policy's own limit */
  readonly maxTokens?: number;
  /** texts that end an answer; absent: none */
  readonly stop?: readonly string[];
}

/** Equal requests give equal texts. */
export function askedText({ messages, tools = [], form, maxTokens, stop = [] }: AskedMessages): string {
  return JSON.stringify({
    messages,
    ...(tools.length > 0 && { tools }),
    ...(form && { form }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(stop.length > 0 && { stop }),
  });
}

/** Whether a text is such a request. */
export function isAsked(text: string): boolean {
  return text.startsWith('{"messages":');
}

/** The request of such a text. Errors: `internal` for any other text. */
export function readAsked(text: string): AskedMessages {
  invariant(isAsked(text), 'prompt: is not the request of an agent');
  return JSON.parse(text) as AskedMessages;
}
