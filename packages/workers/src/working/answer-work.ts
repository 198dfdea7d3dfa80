/** `answers` jobs: a worker answers a group of prompts with a version of the policy. */
import { Random, type Question } from '@emac/core';
import type { AnswersInput, SentAnswers } from '../asking/answers-elsewhere.ts';
import type { Bench, WorkOf } from '../plan/bench.ts';
import { carried, carry } from '../plan/carried.ts';
import { becomeVersion } from '../plan/learned-version.ts';
import { packAnswers } from '../plan/packed-answers.ts';
import type { AnsweringPolicy } from '../plan/players.ts';
import { openPlanned, type Planned } from '../plan/policy-plan.ts';
import { sentPrompt } from '../plan/sent-prompt.ts';

export const answerWork: WorkOf =
  (bench) =>
  async ({ name, input }) => {
    const { folder, did } = bench;
    const { plan, start, asked } = input as unknown as AnswersInput;
    const { student } = await answererOf(bench, { plan, start, version: name.policy });
    const { temperature, prompts } = await carried<SentAnswers>(folder, asked);
    const questions: Question[] = [];
    for (const { prompt: sent, randoms } of prompts) {
      const prompt = await sentPrompt(folder, sent);
      for (const path of randoms) questions.push({ prompt, allowed: null, random: Random.fromSeed(path) });
    }
    const answers = await student.decide(questions, { kind: 'sample', temperature, topP: 1 });
    did(`answered ${name.run} ${name.task}, update ${name.seed}, part ${name.shard}`);
    return carry(folder, packAnswers(answers));
  };

export interface AskedAnswerer extends Planned {
  /** version of the trainable parameters */
  readonly version: string;
}

/**
 * The policy of a plan, loaded with a version; stays open. Errors: `config` if this machine cannot run the plan;
 * `missing`, `data`.
 */
export async function answererOf(
  bench: Bench,
  { version, ...planned }: AskedAnswerer,
): Promise<Pick<AnsweringPolicy, 'student'>> {
  const { plan, start } = planned;
  const answerer = await bench.opened(`answers ${plan} ${start}`, () => openAnswerer(bench, planned));
  await answerer.become(version);
  return answerer.policy;
}

interface Answerer {
  readonly policy: AnsweringPolicy;
  become(version: string): Promise<void>;
  dispose(): Promise<void>;
}

async function openAnswerer(bench: Bench, planned: Planned): Promise<Answerer> {
  const policy = await openPlanned(bench, planned, (opening) => bench.players.answering(opening));
  let current = '';
  return {
    policy,
    async become(version) {
      if (version === current) return;
      current = '';
      await becomeVersion(bench.folder, policy.student, version);
      current = version;
    },
    dispose: () => policy.dispose(),
  };
}
