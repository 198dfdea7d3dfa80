/** Who labels and who reflects in a run, and what else the run tells and asks of them. */
import type { DaggerRun } from '@emac/algorithms';
import type { Expert, LabelRequest } from '@emac/core';
import type { ExpertEvent, ReplyPosition } from '@emac/expert';

export interface Teacher {
  readonly expert: Expert;
  readonly reflect: NonNullable<DaggerRun['reflect']>;
  /** hash of the code that labels, where that is not ours */
  readonly code?: string;
  /** a label costs money, or may, as with code that is not ours */
  readonly isPaid: boolean;
  /** tokens of the prompt that a label would be asked for with; nothing is asked. Null where none are sent */
  readonly promptTokens: ((request: LabelRequest) => number) | null;
  /** sentences for people */
  readonly notes: readonly string[];
  /** who hears what labels do not say */
  readonly listen: (tell: (event: ExpertEvent) => void) => void;
  /** names the file that keeps every reply of a language model before it is used, and where in it to go on */
  readonly keepReplies: (path: string, from: ReplyPosition) => void;
  /** a step of the task was made with its label */
  readonly made: (taskId: string) => void;
  /** how much of that file has been used; at an interruption, by steps that were made */
  readonly position: (isExtra: boolean) => ReplyPosition;
  readonly dispose: () => void;
}
