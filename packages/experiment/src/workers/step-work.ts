/** Jobs of the kind `steps`: a worker steps a group of environments with a version of the policy, and hands in what that said. */
import { EmacError, Random, vectorOf, type ActorCritic, type StepEnvironment } from '@emac/core';
import type { HandlerContext } from '@emac/queue';
import { sayingSteps, trainingSeed } from '@emac/rollout';
import { isModelPolicy, type PpoConfig } from '../config/ppo-config.ts';
import { openPpoPolicy } from '../reinforcement/open-ppo-policy.ts';
import { ppoEnvironment } from '../reinforcement/ppo-environments.ts';
import type { PpoPolicy } from '../reinforcement/ppo-policy.ts';
import type { StepAction } from '../reinforcement/robots.ts';
import { asConfig, requireEqual } from './as-config.ts';
import type { Bench, WorkOf } from './bench.ts';
import { carried, carry, storedText } from './carried.ts';
import { becomeVersion } from './learned-version.ts';
import { withStart } from './policy-start.ts';
import { stateDigest, type StepPlan } from './step-plan.ts';
import { packSteps, type SentSteps, type StepsInput } from './steps-elsewhere.ts';

export const stepWork: WorkOf =
  (bench) =>
  async ({ name, input }, context) => {
    const { folder, opened, played } = bench;
    const { plan, start, asked } = input as unknown as StepsInput;
    const player = await opened(`steps ${plan} ${start}`, () => openPlayer(bench, plan, start));
    await player.become(name.policy);
    const sent = await carried<SentSteps>(folder, asked);
    const said = await player.play(sent, context);
    played(`${name.run} ${name.task}, update ${name.seed}, part ${name.shard}`);
    return carry(folder, packSteps(said));
  };

/** Policy and environments of a run. */
interface Player {
  become(version: string): Promise<void>;
  play(sent: SentSteps, context: Pick<HandlerContext, 'signal' | 'report'>): ReturnType<typeof sayingSteps>;
  dispose(): Promise<void>;
}

async function openPlayer(bench: Bench, hash: string, start: string | null): Promise<Player> {
  const { folder } = bench;
  const { config, policy } = await asConfig(() => openedPlan(bench, hash, start));
  const { actorCritic, texts } = policy;
  const environments: StepEnvironment<unknown, StepAction>[] = [];
  let current = '';
  return {
    async become(version) {
      if (version === current) return;
      current = '';
      const { groups } = actorCritic;
      const learner = {
        groups: [...groups.policy, ...groups.value],
        commit: () => actorCritic.commit(),
      };
      await becomeVersion(folder, learner, version);
      current = version;
    },
    play({ first, state, steps, temperature, randoms, seeds }, context) {
      while (environments.length < randoms.length) environments.push(ppoEnvironment(config));
      const random = Random.fromSeed(seeds);
      const vector = vectorOf(environments.slice(0, randoms.length), {
        seedOf: (place, episode) => trainingSeed(random, first + place, episode),
        lastFrames: texts.frames,
      });
      vector.restore(state);
      return sayingSteps(
        {
          actor: watched(actorCritic, steps, context),
          vector,
          texts,
          sampling: { kind: 'sample', temperature, topP: 1 },
          steps,
          randoms: randoms.map((path) => Random.fromSeed(path)),
          running: randoms.map(() => ({ return: 0, steps: 0 })),
        },
        stateDigest,
      );
    },
    dispose: () => policy.dispose(),
  };
}

/** Says which step is played, and stops where somebody else does the job by now. */
function watched(
  actor: Pick<ActorCritic, 'act' | 'values'>,
  of: number,
  { signal, report }: Pick<HandlerContext, 'signal' | 'report'>,
): Pick<ActorCritic, 'act' | 'values'> {
  let step = 0;
  return {
    values: (prompts) => actor.values(prompts),
    act(questions, sampling) {
      if (signal.aborted) throw new EmacError('interrupted', 'steps: somebody else plays them by now');
      report({ step: ++step, of });
      return actor.act(questions, sampling);
    },
  };
}

async function openedPlan(
  { folder, host, model }: Bench,
  hash: string,
  start: string | null,
): Promise<{ readonly config: PpoConfig; readonly policy: PpoPolicy }> {
  const plan = JSON.parse(await storedText(folder, hash)) as StepPlan;
  const { config } = plan;
  const here = model !== null && isModelPolicy(config) ? { ...config, policy: model } : config;
  const random = Random.fromSeed(config.seed).stream('start');
  const policy = await withStart(folder, start, (from) => openPpoPolicy(here, { random, from }, host));
  try {
    requireEqual('model', plan.identity.slice(0, 64), policy.identity.slice(0, 64));
    for (const name of ['provider', 'tensorflow'] as const)
      requireEqual(name, plan.computing?.[name] ?? 'none', policy.computing?.[name] ?? 'none');
  } catch (thrown) {
    await policy.dispose();
    throw thrown;
  }
  return { config: here, policy };
}
