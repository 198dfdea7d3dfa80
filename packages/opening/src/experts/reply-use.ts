/**
 * Tracks which replies of a language model have been used. Labels of concurrent episodes are requested together, so an
 * interruption may find some whose step was not made. A resumed run gets these again.
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
  /** a step of the task was made, so its replies are used */
  made(taskId: string): void;
  /** everything has been put to use */
  settle(): void;
  /** lines that have not been put to use yet */
  pending(): ReadonlySet<number>;
}

/** Keeps lines by task; each task has one label request at a time. */
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
