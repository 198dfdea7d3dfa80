/** A run of PPO, opened where a worker plays: policy and environments once, the parameters of whatever version is asked for. */
import { EmacError, Random, vectorOf, type ActorCritic, type Steppable, type VectorState } from '@emac/core';
import {
  openPpoPolicy,
  playedEnvironment,
  withBlankFrames,
  type PpoPolicy,
  type StepAction,
} from '@emac/opening';
import type { HandlerContext } from '@emac/queue';
import {
  sayingSteps,
  scoreEpisode,
  trainingSeed,
  type Collection,
  type SaidSteps,
  type ScoredEpisode,
} from '@emac/rollout';
import { modelOf, type PpoConfig } from '@emac/settings';
import { listedEpisodes, samplingOf } from '../reinforcement/ppo-evaluation.ts';
import { asConfig, requireEqual } from './as-config.ts';
import type { Bench } from './bench.ts';
import { storedText } from './carried.ts';
import { namedCode } from './named-code.ts';
import { becomeVersion } from './learned-version.ts';
import { withStart } from './policy-start.ts';
import type { SentEpisode } from './scores-elsewhere.ts';
import { stateDigest, type StepPlan } from './step-plan.ts';
import type { SentSteps } from './steps-elsewhere.ts';

export interface AskedPlayer {
  /** hashes of the run's plan and of its policy's start, if that has one */
  readonly plan: string;
  readonly start: string | null;
  /** of what learns */
  readonly version: string;
}

/** The player of a plan, which stays open, under a version. Errors: `config` where this machine cannot do what the plan says; `missing`, `data`. */
export async function playerOf(bench: Bench, { plan, start, version }: AskedPlayer): Promise<Player> {
  const player = await bench.opened(`steps ${plan} ${start}`, () => openPlayer(bench, plan, start));
  await player.become(version);
  return player;
}

/** Policy and environments of a run. */
export interface Player extends Pick<ActorCritic, 'gradient'> {
  become(version: string): Promise<void>;
  play(sent: SentSteps, context: Pick<HandlerContext, 'signal' | 'report'>): ReturnType<typeof sayingSteps>;
  score(sent: SentEpisode, context: Pick<HandlerContext, 'signal'>): Promise<ScoredEpisode>;
  dispose(): Promise<void>;
}

async function openPlayer(bench: Bench, hash: string, start: string | null): Promise<Player> {
  const { folder } = bench;
  const { config, policy } = await asConfig(() => openedPlan(bench, hash, start));
  const { actorCritic, texts } = policy;
  const environments: Steppable<unknown, StepAction>[] = [];
  let evaluated: Steppable<unknown, StepAction> | null = null;
  let current = '';
  return {
    async become(version) {
      if (version === current) return;
      current = '';
      const { policy: answering, value } = actorCritic.groups;
      const learner = { groups: [...answering, ...value], commit: () => actorCritic.commit() };
      await becomeVersion(folder, learner, version);
      current = version;
    },
    play({ first, state, steps, temperature, randoms, seeds }, context) {
      while (environments.length < randoms.length)
        environments.push(playedEnvironment(config, policy, 'training'));
      const random = Random.fromSeed(seeds);
      const vector = vectorOf(environments.slice(0, randoms.length), {
        seedOf: (place, episode) => trainingSeed(random, first + place, episode),
        lastFrames: texts.frames,
      });
      const collection = {
        actor: watched(actorCritic, steps, context),
        vector,
        texts,
        sampling: { kind: 'sample', temperature, topP: 1 } as const,
        steps,
        randoms: randoms.map((path) => Random.fromSeed(path)),
        running: randoms.map(() => ({ return: 0, steps: 0 })),
      };
      return sayingFrom(state, collection);
    },
    score({ number, random: path, blankFrames }, { signal }) {
      evaluated ??= playedEnvironment(config, policy, 'heldOut');
      const random = Random.fromSeed(path);
      const starts = listedEpisodes(config, random, policy);
      return scoreEpisode(
        {
          policy: actorCritic,
          environments: [evaluated],
          texts: blankFrames ? withBlankFrames(texts) : texts,
          sampling: samplingOf(config.evaluation),
          random,
          ...(starts && { seedOf: (episode) => starts[episode]!.seed }),
          signal,
        },
        number,
      );
    },
    gradient: (rows, losses) => actorCritic.gradient(rows, losses),
    dispose: () => policy.dispose(),
  };
}

/** The steps of environments that stand somewhere, which hold no episode afterwards. */
async function sayingFrom<Action>(state: VectorState, collection: Collection<Action>): Promise<SaidSteps> {
  const { vector } = collection;
  try {
    await vector.restore(state);
    return await sayingSteps(collection, stateDigest);
  } finally {
    await vector.close();
  }
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
  const here = model !== null && modelOf(config) !== null ? { ...config, policy: model } : config;
  const random = Random.fromSeed(config.seed).stream('start');
  const { environment: _any, ...own } = host;
  const environment = namedCode({ ...plan, env: config.env }, host);
  const named = { ...own, ...(environment && { environment }) };
  const policy = await withStart(folder, start, (from) => openPpoPolicy(here, { random, from }, named));
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
