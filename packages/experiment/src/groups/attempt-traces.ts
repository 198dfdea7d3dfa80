/** The attempts of an update as lines of `traces.jsonl`, with what each was rewarded and credited with. */
import type { LearnedAttempts } from '@emac/algorithms';
import { traceLine, traceStep, type FileOfPicture } from '@emac/rollout';

export function attemptTraces(
  { update, attempts, credits }: LearnedAttempts,
  fileOf: FileOfPicture,
): object[] {
  return attempts.map(({ trajectory, steps, reward, return: sum }, place) => {
    const { task, end, won } = trajectory;
    const traced = steps.map(({ prompt, answer, reward: own }, index) =>
      traceStep({ prompt, answer, action: trajectory.steps[index]!.action, reward: own }, fileOf),
    );
    return traceLine(traced, {
      update,
      attempt: place,
      task: task.id,
      task_type: task.type,
      reward,
      return: sum,
      advantage: credits[place]!.advantage,
      success: won,
      end,
    });
  });
}
