/** The expert's interface: its questions and labels. */
import type { Task } from './environment.ts';
import type { History } from './history.ts';
import type { Observation } from './observation.ts';

export interface LabelRequest {
  readonly task: Task;
  readonly history: History;
  /** lessons from failed attempts at this task, oldest first */
  readonly memories: readonly string[];
  /** commands that the environment accepts now; null if unknown */
  readonly admissible: readonly string[] | null;
}

/** An action, or a reason for its absence. A fault that must stop the run is thrown instead. */
export type Label =
  | {
      readonly kind: 'action';
      readonly command: string;
      readonly thoughts?: readonly string[];
      /** the reply named another command, which was repaired; absent: false */
      readonly isRepaired?: true;
    }
  | { readonly kind: 'unusable'; readonly reason: string; readonly cause?: UnusableCause };

/** The service withheld the answer, the model refused, or its answer is no command. */
export type UnusableCause = 'filtered' | 'refused' | 'no-command';

/** What a person who labels is shown besides. */
export interface ShownState {
  /** as the policy sees it */
  readonly observation: Observation;
  /** the policy's action, once it is known; null: its answer names none, or it was not asked. Its faults are handled elsewhere */
  readonly choice: Promise<string | null>;
}

export interface Expert {
  label(request: LabelRequest, shown?: ShownState): Promise<Label>;
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** A language model, behind its guard, budget and journal. */
export interface LanguageModel {
  complete(messages: readonly ChatMessage[], options?: { readonly maxTokens?: number }): Promise<string>;
}
