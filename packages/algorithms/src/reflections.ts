/**
 * Lessons from a round's failures, requested concurrently and returned in the order of the failures. Reflection reads
 * the policy's actions and the environment's replies, as in Reflexion. It does not read the expert's thoughts at these
 * states, since nobody acted on them.
 */
import { EmacError, messageOf } from '@emac/core';
import type { Running } from './dagger-run.ts';
import { stopIfAsked } from './run-state.ts';
import { lessonsOf, type FailedEpisode } from './dagger-state.ts';

export interface Lesson {
  readonly taskId: string;
  readonly lesson: string;
}

const inFlight = 8;

/**
 * One lesson per failure; a failing service loses that lesson and is reported. The state is not changed. Errors:
 * `interrupted`, and all errors of `reflect` except `unavailable`, after all requests have ended.
 */
export async function newLessons(run: Running): Promise<readonly Lesson[]> {
  const { reflect, state } = run;
  if (!reflect) return [];
  const lessons: (Lesson | null)[] = [];
  const waiting = state.failures.entries();
  let isStopped = false;
  const worker = async (): Promise<void> => {
    for (const [place, failure] of waiting) {
      if (isStopped) return;
      try {
        lessons[place] = await lessonFrom(run, reflect, failure);
      } catch (thrown) {
        isStopped = true;
        throw thrown;
      }
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: inFlight }, worker));
  for (const each of workers) if (each.status === 'rejected') throw each.reason;
  stopIfAsked(run);
  return lessons.filter((lesson) => lesson !== null);
}

async function lessonFrom(
  run: Running,
  reflect: NonNullable<Running['reflect']>,
  failure: FailedEpisode,
): Promise<Lesson | null> {
  const { state, report } = run;
  const { taskId } = failure;
  const { round } = state;
  stopIfAsked(run);
  await report?.({ kind: 'reflecting', round, taskId });
  try {
    const lesson = await reflect({ ...failure, lessons: lessonsOf(state, taskId) });
    return lesson === null ? null : { taskId, lesson };
  } catch (thrown) {
    if (!(thrown instanceof EmacError) || thrown.code !== 'unavailable') throw thrown;
    await report?.({ kind: 'reflection-failed', round, taskId, reason: messageOf(thrown) });
    return null;
  }
}
