/**
 * The trainer's side of answers computed by workers: each group of prompts of an update is a job. Workers never compute
 * rewards.
 */
import type { AnswersElsewhere, AskedAnswers, Asking } from '@emac/algorithms';
import type { Answer, Prompt } from '@emac/core';
import type { Workers } from '@emac/opening';
import type { Json } from '@emac/queue';
import { stillThere } from '../jobs/still-there.ts';
import { updateJobs, type UpdateJobs, type UpdateJobsOf } from '../jobs/update-jobs.ts';
import { carried, carry } from '../plan/carried.ts';
import { unpackAnswers, type PackedAnswers } from '../plan/packed-answers.ts';
import type { Planned } from '../plan/policy-plan.ts';
import { storeVersion } from '../plan/policy-version.ts';
import { promptSender, type SentPrompt } from '../plan/sent-prompt.ts';

/** The input of an `answers` job; `asked` is a carried `SentAnswers`, the result a carried `PackedAnswers`. */
export interface AnswersInput extends Planned {
  readonly asked: Json;
}

export interface SentAnswers {
  readonly temperature: number;
  readonly prompts: readonly {
    readonly prompt: SentPrompt;
    /** seed and names of each answer's generator */
    readonly randoms: readonly string[];
  }[];
}

export interface RunAnswers extends Pick<UpdateJobs, 'agreed' | 'forget'> {
  readonly elsewhere: AnswersElsewhere;
}

export interface RunAnswersParts extends Omit<UpdateJobsOf, 'kind'> {
  readonly start: string | null;
  /** throws for a prompt that is not allowed */
  readonly check: (prompt: Prompt) => void;
}

/**
 * Lets workers answer the prompts of a run. Errors while answering: those of `check`, queue and folder; `interrupted`,
 * `check-failed` as `gather`.
 */
export function runAnswers(workers: Workers, parts: RunAnswersParts): RunAnswers {
  const { folder } = workers;
  const { plan, start, check } = parts;
  const jobs = updateJobs(workers, { ...parts, kind: 'answers' });
  const send = promptSender(folder);
  const elsewhere = async (
    { update, draw, temperature, parameters, groups }: AskedAnswers,
    asking: Asking,
  ): Promise<Answer[][]> => {
    for (const { prompt } of groups.flat()) check(prompt);
    const inputs = groups.map((group) => {
      const prompts = group.map(({ prompt, randoms }) => ({ prompt: send(prompt), randoms }));
      const sent: SentAnswers = { temperature, prompts };
      return { plan, start, asked: carry(folder, sent) } satisfies AnswersInput;
    });
    const version = storeVersion(folder, { parameters, adapter: null });
    const results = await jobs.done({ update, draw, version, inputs }, asking);
    const answers: Answer[][] = [];
    for (const result of results) {
      const own = { task: `update ${update}`, run: parts.run };
      answers.push(unpackAnswers(await stillThere(own, () => carried<PackedAnswers>(folder, result))));
    }
    return answers;
  };
  const { agreed, forget } = jobs;
  return { elsewhere, agreed, forget };
}
