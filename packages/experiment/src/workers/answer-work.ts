/** Jobs of the kind `answers`: a worker answers a group of prompts with a version of the policy. */
import { Random, type Question } from '@emac/core';
import { computingOf } from '@emac/opening';
import type { GroupPolicy } from '../groups/group-policy.ts';
import { openLewisPolicy } from '../lewis/lewis-policy.ts';
import { asConfig, requireEqual } from './as-config.ts';
import type { AnswerPlan, AnswersInput, SentAnswers } from './answers-elsewhere.ts';
import type { Bench, WorkOf } from './bench.ts';
import { carried, carry, storedText } from './carried.ts';
import { becomeVersion } from './learned-version.ts';
import { packAnswers } from './packed-answers.ts';
import { withStart } from './policy-start.ts';
import { sentPrompt } from './sent-prompt.ts';

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

export interface AskedAnswerer {
  /** hashes of the run's plan and of its policy's start, if that has one */
  readonly plan: string;
  readonly start: string | null;
  /** of what learns */
  readonly version: string;
}

/** The policy of a plan, which stays open, under a version. Errors: `config` where this machine cannot do what the plan says; `missing`, `data`. */
export async function answererOf(
  bench: Bench,
  { plan, start, version }: AskedAnswerer,
): Promise<Pick<GroupPolicy, 'student'>> {
  const answerer = await bench.opened(`answers ${plan} ${start}`, () => openAnswerer(bench, plan, start));
  await answerer.become(version);
  return answerer.policy;
}

interface Answerer {
  readonly policy: GroupPolicy;
  become(version: string): Promise<void>;
  dispose(): Promise<void>;
}

async function openAnswerer(bench: Bench, hash: string, start: string | null): Promise<Answerer> {
  const policy = await asConfig(() => openedPolicy(bench, hash, start));
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

async function openedPolicy(
  { folder, host, model }: Bench,
  hash: string,
  start: string | null,
): Promise<GroupPolicy> {
  const { config, identity, computing } = JSON.parse(await storedText(folder, hash)) as AnswerPlan;
  const here = { ...config, model: { ...config.model, path: model ?? config.model.path } };
  const random = Random.fromSeed(config.seed).stream('start');
  const policy = await withStart(folder, start, (from) => openLewisPolicy(here, { random, from }, host));
  try {
    requireEqual('model', identity.slice(0, 12), policy.model.identity.slice(0, 12));
    const own = computingOf(policy.model);
    for (const name of ['provider', 'tensorflow'] as const) requireEqual(name, computing[name], own[name]);
  } catch (thrown) {
    await policy.dispose();
    throw thrown;
  }
  return policy;
}
