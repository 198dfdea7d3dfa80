/** A run's source of labels and reflections, with its events and journal. */
import type { DaggerRun } from '@emac/algorithms';
import type { Expert, LabelRequest } from '@emac/core';
import type { ExpertEvent, ReplyPosition } from '@emac/expert';

export interface Teacher {
  readonly expert: Expert;
  readonly reflect: NonNullable<DaggerRun['reflect']>;
  /** hash of the labelling code, if it is custom */
  readonly code?: string;
  /** a label costs money, or may, as with code that is not ours */
  readonly isPaid: boolean;
  /** tokens of the prompt for a label; sends nothing. Null if no prompts are sent */
  readonly promptTokens: ((request: LabelRequest) => number) | null;
  /** sentences for people */
  readonly notes: readonly string[];
  /** sets the listener for events besides labels */
  readonly listen: (tell: (event: ExpertEvent) => void) => void;
  /** sets the file that stores every language-model reply before use, and the position to resume from */
  readonly keepReplies: (path: string, from: ReplyPosition) => void;
  /** a step of the task was made with its label */
  readonly made: (taskId: string) => void;
  /** how much of that file has been used; at an interruption, by steps that were made */
  readonly position: (isExtra: boolean) => ReplyPosition;
  readonly dispose: () => void;
}
