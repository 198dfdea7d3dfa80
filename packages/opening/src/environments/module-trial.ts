/**
 * Tries one step of a custom module before anything is written, so an invalid environment is reported at once and not
 * in the middle of a run.
 */
import { EmacError, isReward, largestReward, messageOf, type OpenedKind, type Task } from '@emac/core';
import { refused } from './module-faults.ts';

/**
 * The environment, after one step in the first task of each set. Errors: `data` for an invalid observation, reward or
 * player's answer.
 */
export async function triedOut(path: string, opened: OpenedKind): Promise<OpenedKind> {
  const offered: string[] = [];
  for (const set of ['training', 'heldOut'] as const)
    try {
      offered.push(...(await tried(path, opened, opened.tasks[set].at(0))));
    } catch (thrown) {
      if (thrown instanceof EmacError) throw thrown;
      throw new EmacError('data', `--env ${path}: failed in a trial: ${messageOf(thrown)}`, {
        cause: thrown,
      });
    }
  return { ...opened, offered };
}

/** Returns the actions offered first. */
async function tried(path: string, opened: OpenedKind, task: Task): Promise<readonly string[]> {
  const episode = await opened.begin(task, '0');
  try {
    const { text, admissible } = episode.first;
    const history = { initial: text, turns: [] };
    const label = await opened.player?.label({ task, history, memories: [], admissible });
    if (label?.kind === 'unusable')
      throw refused(path, `its expert has no action at the start of ${task.id}: ${label.reason}`);
    const { reward } = await episode.step(label?.command ?? admissible?.[0] ?? 'look');
    if (!isReward(reward))
      throw refused(
        path,
        `a step of ${task.id} must give a finite reward, at most ${largestReward}, got ${String(reward)}`,
      );
    return admissible ?? [];
  } finally {
    await episode.close();
  }
}
