/**
 * An opened run with a stepped policy, on a worker: policy and environments are opened once, and parameters of any
 * version are loaded into them.
 */
import { EmacError, Random, vectorOf, type ActorCritic, type Steppable, type VectorState } from '@emac/core';
import { withBlankFrames, type StepAction } from '@emac/opening';
import type { HandlerContext } from '@emac/queue';
import {
  sayingSteps,
  scoreEpisode,
  trainingSeed,
  type Collection,
  type SaidSteps,
  type ScoredEpisode,
} from '@emac/rollout';
import type { SentEpisode } from '../asking/scores-elsewhere.ts';
import { stateDigest, type SentSteps } from '../asking/steps-elsewhere.ts';
import type { Bench } from '../plan/bench.ts';
import { becomeVersion } from '../plan/learned-version.ts';
import { openPlanned, type Planned } from '../plan/policy-plan.ts';

export interface AskedPlayer extends Planned {
  /** version of the trainable parameters */
  readonly version: string;
}

/**
 * The player of a plan, loaded with a version; stays open. Errors: `config` if this machine cannot run the plan;
 * `missing`, `data`.
 */
export async function playerOf(bench: Bench, { version, ...planned }: AskedPlayer): Promise<Player> {
  const { plan, start } = planned;
  const player = await bench.opened(`steps ${plan} ${start}`, () => openPlayer(bench, planned));
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

async function openPlayer(bench: Bench, planned: Planned): Promise<Player> {
  const { folder, players } = bench;
  const policy = await openPlanned(bench, planned, (opening) => players.stepped(opening));
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
      while (environments.length < randoms.length) environments.push(policy.environment('training'));
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
      evaluated ??= policy.environment('heldOut');
      const random = Random.fromSeed(path);
      return scoreEpisode(
        {
          policy: actorCritic,
          environments: [evaluated],
          texts: blankFrames ? withBlankFrames(texts) : texts,
          ...policy.evaluation(random),
          random,
          signal,
        },
        number,
      );
    },
    gradient: (rows, losses) => actorCritic.gradient(rows, losses),
    dispose: () => policy.dispose(),
  };
}

/** Plays steps from a given environment state, and leaves no episode open. */
async function sayingFrom<Action>(state: VectorState, collection: Collection<Action>): Promise<SaidSteps> {
  const { vector } = collection;
  try {
    await vector.restore(state);
    return await sayingSteps(collection, stateDigest);
  } finally {
    await vector.close();
  }
}

/** Reports the current step, and stops if another worker has taken the job. */
function watched(
  actor: Pick<ActorCritic, 'act' | 'values'>,
  of: number,
  { signal, report }: Pick<HandlerContext, 'signal' | 'report'>,
): Pick<ActorCritic, 'act' | 'values'> {
  let step = 0;
  return {
    values: (prompts) => actor.values(prompts),
    act(questions, sampling) {
      if (signal.aborted) throw new EmacError('interrupted', 'steps: another worker plays them now');
      report({ step: ++step, of });
      return actor.act(questions, sampling);
    },
  };
}
