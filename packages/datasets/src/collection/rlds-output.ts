/**
 * Writes demonstrations of a robot's scripted controller as a dataset in RLDS form, named like OpenVLA's copies of LIBERO: split `train` and, with
 * held-out episodes, `val`. An action is the label as float32; `reward` and the flags result from the executed actions, including distracting random
 * ones. An episode truncated by a limit or the number of steps has no terminal step.
 */
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { movedWorld, statisticsName, stopIfAsked, suiteName, type Host } from '@emac/opening';
import { rldsFeatures, tensorFeature, writeDataset, type Value } from '@emac/rlds';
import { isOfShare, type CollectedStep } from './collected-steps.ts';
import type { EnvironmentCollectionConfig } from './collection-config.ts';

const version = '1.0.0';

function featuresOf(env: string) {
  const { frameSize } = movedWorld(env);
  return rldsFeatures({
    observation: {
      image: { kind: 'image', shape: [frameSize, frameSize, 3], dtype: 'uint8', encoding: 'png' },
      state: tensorFeature('float32', [8]),
    },
    action: tensorFeature('float32', [7]),
  });
}

type Steps = () => AsyncIterable<CollectedStep>;

/** Plays and writes the requested number of steps. Errors: `interrupted`, `usage`, `cannot-create`, `io`. */
export async function writeDemonstrations(
  { env, validation }: Pick<EnvironmentCollectionConfig, 'env' | 'validation'>,
  { host, folder }: { readonly host: Host; readonly folder: string },
  steps: Steps,
) {
  const counts = { training: 0, validation: 0, episodes: 0, noisyLabels: 0 };
  // each split plays all episodes again and picks its own
  async function* written(set: 'training' | 'validation'): AsyncGenerator<CollectedStep> {
    for await (const step of steps()) {
      if (isOfShare(step.episode, validation) !== (set === 'validation')) continue;
      yield step;
      counts[set]++;
      counts.episodes = Math.max(counts.episodes, step.episode + 1);
      if (step.isNoisy) counts.noisyLabels++;
      stopIfAsked(host.signal);
      host.listener?.advance?.();
      await setImmediate();
    }
  }
  const name = statisticsName(suiteName(env));
  const splits = {
    train: episodesOf(written('training')),
    ...((await holdsOut(steps, validation)) && { val: episodesOf(written('validation')) }),
  };
  await writeDataset(join(folder, version), { name, version, features: featuresOf(env), splits });
  return counts;
}

/** True if an episode is in validation; stops at the first one. */
async function holdsOut(steps: Steps, validation: number): Promise<boolean> {
  for await (const { episode } of steps()) if (isOfShare(episode, validation)) return true;
  return false;
}

type WrittenStep = Awaited<ReturnType<typeof stepOf>>;

async function* episodesOf(played: AsyncIterable<CollectedStep>): AsyncGenerator<Value, void, undefined> {
  let steps: WrittenStep[] = [];
  let [start, number] = ['', 0];
  for await (const step of played) {
    if (steps.length > 0 && step.episode !== number) {
      yield episodeOf(steps, start);
      steps = [];
    }
    [start, number] = [step.texts.game_id!, step.episode];
    steps.push(await stepOf(step));
  }
  if (steps.length > 0) yield episodeOf(steps, start);
}

async function stepOf({ picture, robot }: CollectedStep) {
  const { state, outcome, action, instruction } = robot!;
  const [image, data] = [await picture(), state()];
  const { reward, terminated } = await outcome();
  return {
    observation: { image, state: { shape: [8], data } },
    action: { shape: [7], data: Float32Array.from(action) },
    reward,
    discount: 1,
    language_instruction: instruction,
    is_terminal: terminated,
  };
}

function episodeOf(steps: readonly WrittenStep[], start: string): Value {
  return {
    steps: steps.map((step, index) => ({
      ...step,
      is_first: index === 0,
      is_last: index === steps.length - 1,
    })),
    episode_metadata: { file_path: start },
  };
}
