/**
 * A fixed set of steps to measure training: the expert plays the training tasks once, and the loss is measured on its
 * labels before, during and after training. For preferences each step also needs a worse command, the policy's own;
 * steps where policy and expert agree have none.
 */
import type { Environment, Prompt, Random, Trajectory } from '@emac/core';
import { expertActs, labelled, rollout, type Rollout } from '@emac/rollout';
import { rightAnswer, worseThan } from './learned-answers.ts';

export interface ProbeStep {
  readonly taskId: string;
  readonly step: number;
  readonly prompt: Prompt;
  /** the expert's command */
  readonly label: string;
  /** the policy's command instead of the label; null if they agree, there is none, or it was not asked */
  readonly rejected: string | null;
  /** both in the policy's form */
  readonly chosen: string;
  readonly worse: string | null;
}

export interface ProbeCollection {
  /** with an expert that acts */
  readonly rollout: Omit<Rollout, 'asksPolicy' | 'stopRepeating' | 'policyMemory'> & {
    readonly environment: Environment;
  };
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
  return trajectories.flatMap((trajectory) => probeSteps(trajectory, play.texts));
}

function probeSteps({ task, steps }: Trajectory, texts: Rollout['texts']): ProbeStep[] {
  const unusable = steps.findIndex(({ label }) => labelled(label) === null);
  return steps.slice(0, unusable < 0 ? steps.length : unusable).map((step, index) => {
    const { command, said } = rightAnswer(step, texts, { trainOnUnusable: false })!;
    const worse = worseThan(command, step, texts);
    return {
      taskId: task.id,
      step: index,
      prompt: step.prompt!,
      label: command,
      rejected: worse?.command ?? null,
      chosen: said,
      worse: worse?.said ?? null,
    };
  });
}
