/** A request to a chat model, as an agent of one's own asks it; as a text it is the prompt of the dialogue `messages`. */
import type { Fact } from './environment.ts';
import { invariant } from './error.ts';

export interface AskedMessage {
  readonly role: string;
  readonly content: string;
  /** what a chat template may read beside them */
  readonly [field: string]: Fact;
}

export interface AskedMessages {
  readonly messages: readonly AskedMessage[];
  /** longest answer in tokens; absent: the policy's own limit */
  readonly maxTokens?: number;
  /** texts that end an answer; absent: none */
  readonly stop?: readonly string[];
}

/** Equal requests give equal texts. */
export function askedText({ messages, maxTokens, stop = [] }: AskedMessages): string {
  return JSON.stringify({
    messages,
    ...(maxTokens !== undefined && { maxTokens }),
    ...(stop.length > 0 && { stop }),
  });
}

/** The request of such a text. Errors: `internal` for any other text. */
export function readAsked(text: string): AskedMessages {
  invariant(text.startsWith('{"messages":'), 'prompt: is not the request of an agent');
  return JSON.parse(text) as AskedMessages;
}
