/**
 * Writes demonstrations of a robot's scripted controller as a dataset in RLDS form, named like OpenVLA's copies of LIBERO: split `train` and, with
 * held-out episodes, `val`. An action is the label as float32; `reward` and the flags result from the executed actions, including distracting random
 * ones. An episode truncated by a limit or the number of steps has no terminal step.
 */
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { movedWorld, statisticsName, stopIfAsked, suiteName, type Host } from '@emac/opening';
import { rldsFeatures, tensorFeature, writeDataset, type Value } from '@emac/rlds';
import type { Steps } from '@emac/workers';
import { demonstratedSteps, type DemonstratedStep } from './demonstrated-steps.ts';
import { collectionSettings, type EnvironmentCollectionConfig } from './environment-collection-config.ts';
import { writeFacts, type Finished } from './finished.ts';
import type { PartFolder } from './part-folder.ts';
import { isOfShare } from './played-steps.ts';

export interface DemonstratedDataset extends Finished {
  readonly noisyLabels: number;
}

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

/** Plays and writes the requested number of steps. Errors: `interrupted`, `usage`, `cannot-create`, `io`. */
export async function writeDemonstrations(
  config: EnvironmentCollectionConfig,
  { host, part }: { readonly host: Host; readonly part: PartFolder },
  steps: Steps<DemonstratedStep> = () => demonstratedSteps(config),
): Promise<DemonstratedDataset> {
  const counts = { training: 0, validation: 0, episodes: 0, noisyLabels: 0 };
  const written = (set: 'training' | 'validation') =>
    episodesOf(config, {
      set,
      steps,
      count({ episode, isNoisy }) {
        counts[set]++;
        counts.episodes = Math.max(counts.episodes, episode + 1);
        if (isNoisy) counts.noisyLabels++;
        stopIfAsked(host.signal);
        host.listener?.advance?.();
      },
    });
  const name = statisticsName(suiteName(config.env));
  // each split plays all episodes again and picks its own
  const splits = {
    train: written('training'),
    ...((await holdsOut(config, steps)) && { val: written('validation') }),
  };
  await writeDataset(join(part.path, version), { name, version, features: featuresOf(config.env), splits });
  writeFacts(part, collectionSettings(config), counts);
  part.whole();
  const { training, validation, episodes, noisyLabels } = counts;
  return { dataset: config.out, validation: null, samples: { training, validation }, episodes, noisyLabels };
}

/** True if an episode is in validation; stops at the first one. */
async function holdsOut(
  { validation }: Pick<EnvironmentCollectionConfig, 'validation'>,
  steps: Steps<DemonstratedStep>,
): Promise<boolean> {
  for await (const { episode } of steps()) if (isOfShare(episode, validation)) return true;
  return false;
}

interface Writing {
  readonly steps: Steps<DemonstratedStep>;
  readonly set: 'training' | 'validation';
  /** receives every written step */
  readonly count: (step: DemonstratedStep) => void;
}

async function* episodesOf(
  config: EnvironmentCollectionConfig,
  { set, steps: played, count }: Writing,
): AsyncGenerator<Value, void, undefined> {
  let steps: WrittenStep[] = [];
  let [start, number] = ['', 0];
  for await (const step of played()) {
    if (isOfShare(step.episode, config.validation) !== (set === 'validation')) continue;
    if (steps.length > 0 && step.episode !== number) {
      yield episodeOf(steps, start);
      steps = [];
    }
    [start, number] = [step.start, step.episode];
    steps.push(await stepOf(step));
    count(step);
    await setImmediate();
  }
  if (steps.length > 0) yield episodeOf(steps, start);
}

type WrittenStep = Awaited<ReturnType<typeof stepOf>>;

async function stepOf({ picture, state, action, instruction, outcome }: DemonstratedStep) {
  const image = await picture();
  const data = state();
  const { reward, terminated } = outcome();
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
