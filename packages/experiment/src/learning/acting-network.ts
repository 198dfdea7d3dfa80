/** A small network that a run has trained, as a program acts with it. */
import { EmacError, Random, type History, type Observation } from '@emac/core';
import { numberedEnvironment, openPpoPolicy, steppedIn, type Host } from '@emac/opening';
import { smallNetworkOf } from '@emac/settings';
import { configOf } from '../reinforcement/evaluate-environment.ts';
import { evaluatedFormOf } from '../reinforcement/evaluated-form.ts';

export interface ActingNetwork {
  /** The most likely action, in words. Errors: `data` without the arrays that it reads, `usage` without its picture. */
  act(observation: Pick<Observation, 'frames' | 'admissible' | 'arrays'>, history: History): Promise<string>;
  dispose(): Promise<void>;
}

/** Null for a run of a model. Errors: those of opening policy and environment. */
export async function openNetwork(run: string, host: Host): Promise<ActingNetwork | null> {
  const env = steppedIn(run);
  if (env === null) return null;
  const stored = evaluatedFormOf(run, null);
  const config = configOf({ env, ckpt: run, policy: null, episodes: 1, temperature: 0, seed: 0 }, stored);
  if (smallNetworkOf(config) === null) return null;
  const start = { random: Random.fromSeed(0), from: run };
  const { actorCritic, texts, opened, dispose } = await openPpoPolicy(config, start, host);
  const words = opened ? [] : numberedEnvironment(config).actions;
  return {
    async act({ frames, arrays = {}, admissible }, history) {
      const [frame = null] = frames;
      if (texts.frames && frame === null)
        throw new EmacError('usage', `act: ${config.policy} reads the picture; give frames`);
      const text = history.turns.at(-1)?.observation ?? history.initial;
      const observation = { text, frames, arrays, admissible };
      const prompt = await texts.prompt({ text, arrays, frame, moment: { history, observation } });
      const question = { prompt, allowed: null, random: null };
      const [answer] = await actorCritic.decide([question], { kind: 'search', beams: 1 });
      const { action } = texts.read(answer!, null);
      return typeof action === 'number' ? words[action]! : String(action);
    },
    dispose,
  };
}
