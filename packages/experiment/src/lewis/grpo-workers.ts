/** Workers that answer and learn for a run of GRPO, told what the run is. */
import { basename } from 'node:path';
import type { Prompt } from '@emac/core';
import { warn, type Host } from '@emac/opening';
import type { GrpoConfig, LewisRole } from '@emac/settings';
import type { GroupWorkers } from '../groups/group-play.ts';
import type { GroupPolicy } from '../groups/group-policy.ts';
import { runAnswers, storeAnswerPlan } from '../workers/answers-elsewhere.ts';
import { runAnswerGradients } from '../workers/learned-gradients.ts';
import { shareStart } from '../workers/policy-start.ts';
import { requirePromptLength } from './lewis-policy.ts';

export interface AnsweredRun {
  /** its paths as they are here */
  readonly config: GrpoConfig & { readonly role: LewisRole };
  readonly policy: Pick<GroupPolicy, 'student' | 'model'>;
  /** a run or checkpoint whose parameters the policy takes; null for none */
  readonly start: { readonly from: string | null };
  readonly host: Host;
}

/** Null where there are no workers. Errors: those of the shared folder and of reading the start. */
export function grpoWorkers(
  { folder }: { readonly folder: string },
  { config, policy: { student, model }, start, host }: AnsweredRun,
): GroupWorkers | null {
  const { workers } = host;
  if (!workers) return null;
  warnOfOneGroup(config, host);
  const asked = {
    run: basename(folder),
    plan: storeAnswerPlan(workers.folder, { config, model }),
    task: `${config.env} ${config.role}`,
    host,
    start: shareStart(workers.folder, start.from),
    policy: student,
    ahead: config.optimization.maxStaleness,
    check: (prompt: Prompt) => requirePromptLength(student, prompt, config.speech.maxPromptLength),
  };
  const [answers, gradients] = [runAnswers(workers, asked), runAnswerGradients(workers, asked)];
  return {
    elsewhere: answers.elsewhere,
    gradients,
    agreed: async (updates) => {
      await answers.agreed(updates);
      await gradients.agreed();
    },
    forget: async (updates) => {
      await answers.forget(updates);
      await gradients.forget();
    },
  };
}

function warnOfOneGroup(
  { play: { promptsPerUpdate, together } }: AnsweredRun['config'],
  { listener }: Host,
): void {
  if (together !== null || promptsPerUpdate <= 1) return;
  warn(
    listener,
    `--queue: one worker answers all ${promptsPerUpdate} prompts of an update, others wait; a run with --prompts-together has a job for each group`,
  );
}
