/**
 * Which replies of a language model have been put to use. Labels of several episodes are asked for at once, and an
 * interruption may find some whose step was not made: these are given out again when the run goes on.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ReplyPosition } from '@emac/expert';

/** Before the first reply. */
export const noReplies: ReplyPosition = { replies: 0, tokens: 0 };

export interface ReplyUse {
  /** does `work`; the lines that are used meanwhile are the task's */
  during<T>(taskId: string, work: () => Promise<T>): Promise<T>;
  /** a line of the journal is used */
  used(line: number): void;
  /** a step of the task was made: what was asked for it has been put to use */
  made(taskId: string): void;
  /** everything has been put to use */
  settle(): void;
  /** lines that have not been put to use yet */
  pending(): ReadonlySet<number>;
}

/** Keeps lines by the task that they were asked for; one label of a task is asked for at a time. */
export function replyUse(): ReplyUse {
  const asking = new AsyncLocalStorage<string>();
  const lines = new Map<number, string | null>();
  return {
    during: (taskId, work) => asking.run(taskId, work),
    used: (line) => void lines.set(line, asking.getStore() ?? null),
    made(taskId) {
      for (const [line, task] of lines) if (task === taskId) lines.delete(line);
    },
    settle: () => lines.clear(),
    pending: () => new Set(lines.keys()),
  };
}
