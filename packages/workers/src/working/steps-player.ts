/** Plays steps and evaluated episodes with a version of an actor and its critic. */
import {
  EmacError,
  Random,
  vectorOf,
  type ActorCritic,
  type ActorCriticLosses,
  type ActorCriticRow,
  type Steppable,
} from '@emac/core';
import { withBlankFrames, type StepAction } from '@emac/opening';
import { sayingSteps, scoreEpisodes, trainingSeed, type SaidSteps, type ScoredEpisode } from '@emac/rollout';
import { stateDigest, type GroupOfSteps, type SentEpisode, type SentSteps } from '../asking/steps.ts';
import type { Opening, PlayContext, Player, Players, SteppedPolicy } from '../plan/player.ts';
import { versionsInto } from '../plan/policy-version.ts';

export async function stepsPlayer(players: Players, opening: Opening): Promise<Player> {
  const policy = await players.stepped(opening);
  const { actorCritic, identity, computing } = policy;
  const { policy: answering, value } = actorCritic.groups;
  const learner = { groups: [...answering, ...value], commit: () => actorCritic.commit() };
  const become = versionsInto(opening.folder, learner);
  const [play, score] = [stepsOf(policy), scoresOf(policy)];
  return {
    identity,
    computing,
    async play(asked, context) {
      await become(context.version);
      const sent = asked as SentSteps;
      return 'number' in sent ? score(sent, context) : play(sent, context);
    },
    async gradient(version, { rows, losses }) {
      await become(version);
      return actorCritic.gradient(rows as ActorCriticRow[], losses as ActorCriticLosses);
    },
    dispose: () => policy.dispose(),
  };
}

/** Plays steps from a given environment state, and leaves no episode open. */
function stepsOf({ actorCritic, texts, environment }: SteppedPolicy) {
  const environments: Steppable<unknown, StepAction>[] = [];
  return async (
    { first, state, steps, temperature, randoms, seeds }: GroupOfSteps,
    context: PlayContext,
  ): Promise<SaidSteps> => {
    while (environments.length < randoms.length) environments.push(environment('training'));
    const random = Random.fromSeed(seeds);
    const vector = vectorOf(environments.slice(0, randoms.length), {
      seedOf: (place, episode) => trainingSeed(random, first + place, episode),
      lastFrames: texts.frames,
    });
    try {
      await vector.restore(state);
      const collection = {
        actor: watched(actorCritic, steps, context),
        vector,
        texts,
        sampling: { kind: 'sample', temperature, topP: 1 } as const,
        steps,
        randoms: randoms.map((path) => Random.fromSeed(path)),
        running: randoms.map(() => ({ return: 0, steps: 0 })),
      };
      return await sayingSteps(collection, stateDigest);
    } finally {
      await vector.close();
    }
  };
}

function scoresOf({ actorCritic: policy, texts, environment, evaluation }: SteppedPolicy) {
  const environments: Steppable<unknown, StepAction>[] = [];
  return async (
    { number, random: path, blankFrames }: SentEpisode,
    { signal }: PlayContext,
  ): Promise<ScoredEpisode> => {
    if (environments.length === 0) environments.push(environment('heldOut'));
    const random = Random.fromSeed(path);
    const shown = blankFrames ? withBlankFrames(texts) : texts;
    const scoring = { policy, environments, texts: shown, ...evaluation, random, signal };
    const [scored] = await scoreEpisodes({ ...scoring, numbers: [number] });
    return scored!;
  };
}

/** Reports the current step, and stops if another worker has taken the job. */
function watched(
  actor: Pick<ActorCritic, 'act' | 'values'>,
  of: number,
  { signal, report }: PlayContext,
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
