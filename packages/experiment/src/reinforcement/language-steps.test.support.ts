/** Steps that a vision-language model of the fixtures made in small runs, as rows to learn from. */
import { fileURLToPath } from 'node:url';
import { Random, vectorOf, type ActorCriticLosses, type ActorCriticRow } from '@emac/core';
import { clippedPolicyLoss, valueLossOf } from '@emac/losses';
import { openPpoPolicy, plainHost, ppoEnvironment } from '@emac/opening';
import { collectSteps, trainingSeed } from '@emac/rollout';
import type { GivenPpoConfig } from '@emac/settings';
import { ppoConfig } from './given-config.ts';

export const small: GivenPpoConfig = {
  env: 'gym_cards/EZPoints-v0',
  policy: fileURLToPath(new URL('../../../backbone/fixtures/families/qwen2_vl', import.meta.url)),
  play: { environmentSteps: 12, environments: 2, stepsPerUpdate: 3, temperature: 0.8 },
  losses: { credit: 'answer', thoughtCoefficient: 0.5 },
  optimization: { passes: 1, minibatchSize: 3, learningRate: 0.01, valueInitSteps: 0 },
  trained: { parts: 'projection,lora', rank: 2, dropout: 0 },
  value: { hiddenWidths: [4] },
  speech: { maxLength: 8, maxPromptTokens: 990 },
  evaluation: { episodes: 0 },
  checkpointEvery: 1,
};

/** Two environments, so many steps of each, of the policy of its `init`; the rows have advantage 1 and a ratio a token. The caller disposes of the policy. */
export async function playedSteps(given: GivenPpoConfig, count: number) {
  const config = ppoConfig(given);
  const random = Random.fromSeed(1);
  const policy = await openPpoPolicy(config, { random, from: config.init }, plainHost());
  const vector = vectorOf([ppoEnvironment(config), ppoEnvironment(config)], {
    seedOf: (place, episode) => trainingSeed(random, place, episode),
    lastFrames: true,
  });
  vector.reset();
  const { temperature } = config.play;
  const running = [0, 1].map(() => ({ return: 0, steps: 0 }));
  const randoms = [0, 1].map((place) => random.stream(place));
  const sampling = { kind: 'sample', temperature, topP: 1 } as const;
  const play = {
    actor: policy.actorCritic,
    vector,
    texts: policy.texts,
    sampling,
    steps: count,
    randoms,
    running,
  };
  const steps = await collectSteps(play);
  const rows: ActorCriticRow[] = steps.prompts.map((prompt, place) => ({
    prompt,
    answers: [steps.answers[place]!.tokens],
    temperature,
    weight: 1,
    valueWeight: 1,
    constants: {
      advantage: 1,
      sampledLogProbability: steps.answers[place]!.logProbabilities,
      sampledValue: steps.values[place]!,
      return: 0,
    },
  }));
  return { policy, steps, rows };
}

/** PPO's with a ratio for each token. */
export function lossesOf({ entropyCoefficient }: { readonly entropyCoefficient: number }): ActorCriticLosses {
  return {
    policy: clippedPolicyLoss({
      credit: 'token',
      clip: { low: 0.2, high: 0.2 },
      entropyCoefficient,
    }),
    value: valueLossOf({ clip: null }),
  };
}
