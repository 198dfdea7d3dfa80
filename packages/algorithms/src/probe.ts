/**
 * A fixed set of steps to measure training by: the expert plays the training tasks once, and the labels of its steps are
 * what loss is measured on before, between and after. For preference training each step also needs a worse command: the
 * policy's own where it differs, else another admissible one.
 */
import type { Prompt, Random, Trajectory } from '@emac/core';
import { expertActs, labelled, rollout, type Rollout } from '@emac/rollout';

export interface ProbeStep {
  readonly taskId: string;
  readonly step: number;
  readonly prompt: Prompt;
  /** the expert's command */
  readonly label: string;
  /** a command other than the label; null when none is known */
  readonly rejected: string | null;
}

export interface ProbeCollection {
  /** with an expert, who acts */
  readonly rollout: Omit<Rollout, 'asksPolicy' | 'stopRepeating' | 'policyMemory'>;
  readonly random: Random;
  /** also find rejected commands, by asking the policy */
  readonly withRejected: boolean;
}

/** Lets the expert play every task once and returns its steps; an unusable label ends that episode. */
export async function collectProbe({
  rollout: play,
  random,
  withRejected,
}: ProbeCollection): Promise<ProbeStep[]> {
  const attempts = play.environment.tasks.map((task, number) => {
    const own = random.stream(task.id);
    return { task, number, random: own, memories: [], expertShare: expertActs.start, made: [] };
  });
  const setup = { ...play, asksPolicy: withRejected, stopRepeating: false, policyMemory: false };
  const trajectories = await rollout(setup, attempts);
  return trajectories.flatMap((trajectory) => probeSteps(trajectory, { random, withRejected }));
}

function probeSteps(
  { task, steps }: Trajectory,
  { random, withRejected }: Pick<ProbeCollection, 'random' | 'withRejected'>,
): ProbeStep[] {
  const unusable = steps.findIndex(({ label }) => labelled(label) === null);
  return steps
    .slice(0, unusable < 0 ? steps.length : unusable)
    .map(({ prompt, label, own, observation }, index) => {
      const command = labelled(label)!;
      const { admissible } = observation;
      const stream = random.stream(task.id).stream(index);
      const rejected = withRejected
        ? rejectedCommand(command, own ?? '', { admissible, random: stream })
        : null;
      return { taskId: task.id, step: index, prompt: prompt!, label: command, rejected };
    });
}

/** The policy's own command where it differs from the expert's, else another admissible one, else null. */
export function rejectedCommand(
  label: string,
  own: string,
  { admissible, random }: { readonly admissible: readonly string[] | null; readonly random: Random },
): string | null {
  if (own !== label && own !== '') return own;
  const others = (admissible ?? []).filter((command) => command !== label);
  return others.length > 0 ? random.pick(others) : null;
}
