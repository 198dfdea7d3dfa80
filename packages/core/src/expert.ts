/** The teacher's side: what the expert is asked and what it answers. */
import type { History } from './history.ts';
import type { TaskType } from './task.ts';

export interface LabelRequest {
  readonly gameId: string;
  readonly taskType: TaskType | null;
  readonly history: History;
  /** lessons from failed attempts at this game, oldest first */
  readonly memories: readonly string[];
  readonly admissible?: readonly string[];
}

/** An action, or a stated lack of one. A fault that must stop the run is thrown instead. */
export type Label =
  | { readonly kind: 'action'; readonly command: string; readonly thoughts?: readonly string[] }
  | { readonly kind: 'unusable'; readonly reason: string; readonly cause?: UnusableCause };

/** The service kept the answer back, the model would not answer, or what it answered is no command. */
export type UnusableCause = 'filtered' | 'refused' | 'no-command';

export interface Expert {
  label(request: LabelRequest): Promise<Label>;
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** A language model behind its guard, budget and journal. */
export interface LanguageModel {
  complete(messages: readonly ChatMessage[], options?: { readonly maxTokens?: number }): Promise<string>;
}
