/**
 * Scripted play in an environment that becomes a dataset for imitation: `train.json` and `val.json`, which share no episode, and a picture of
 * each step as `images/STEP.png`. A prompt is what the policy reads in that environment, an output the JSON with thoughts and action
 * of a player who sees right. Episodes have seeds of training, which evaluation never has. The folder appears when it is whole.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { EmacError, Random } from '@emac/core';
import {
  canonicalJson,
  createFolder,
  discard,
  isThere,
  syncFolder,
  syncTree,
  whileWriting,
  writeFileAtomic,
} from '@emac/files';
import { encodePng } from '@emac/images';
import { trainingSeed } from '@emac/rollout';
import {
  environmentCollectionConfig,
  type EnvironmentCollectionConfig,
} from '../config/environment-collection-config.ts';
import type { DatasetRecord } from '../dataset/offline-dataset.ts';
import { stopIfAsked, timesOf, type Host, type Times } from '../host.ts';
import { scriptedPlayer, type ScriptedPlayer } from '../reinforcement/scripted-player.ts';
import { plainHost } from '../training/train.ts';

export interface CollectedEnvironment {
  /** paths of the datasets; null where no episode fell to validation */
  readonly dataset: string;
  readonly validation: string | null;
  readonly samples: { readonly training: number; readonly validation: number };
  readonly episodes: number;
  /** labels that are not the scripted player's */
  readonly noisyLabels: number;
  readonly spent: Times['spent'];
}

/** Plays and writes. Errors: `cannot-create` where the folder is there, `interrupted`, `usage`, `config`, `io`. */
export async function collectEnvironment(
  given: Parameters<typeof environmentCollectionConfig>[0],
  host: Host = plainHost(),
): Promise<CollectedEnvironment> {
  const config = environmentCollectionConfig(given);
  const { out, env, actionOnly } = config;
  if (actionOnly && env.startsWith('MiniGrid-'))
    throw new EmacError('usage', `--action-only-prompt: is for card games, got ${env}; leave it out`);
  if (isThere(out))
    throw new EmacError('cannot-create', `--out ${out}: is there already; give another folder`);
  const part = `${out.replace(/[/\\]+$/, '')}.part`;
  discard(part);
  createFolder(join(part, 'images'));
  const times = timesOf(host.now);
  const made = await times.part('playing', () => written(config, { folder: part, host }));
  whileWriting(out, () => {
    syncTree(part);
    renameSync(part, out);
    syncFolder(dirname(part));
  });
  const { training, validation, ...counts } = made;
  return {
    dataset: join(out, names.training),
    validation: validation > 0 ? join(out, names.validation) : null,
    samples: { training, validation },
    ...counts,
    spent: times.spent,
  };
}

const names = { training: 'train.json', validation: 'val.json', facts: 'collection.json' };

interface Writing {
  readonly folder: string;
  readonly host: Host;
}

async function written(config: EnvironmentCollectionConfig, { folder, host }: Writing) {
  const sets = { training: [] as DatasetRecord[], validation: [] as DatasetRecord[] };
  const counts = { episodes: 0, noisyLabels: 0 };
  let step = 0;
  host.listener?.begin?.('collecting', config.samples, { noun: 'sample' });
  try {
    for (const { frame, isNoisy, isValidation, episode, ...texts } of scriptedSteps(config)) {
      stopIfAsked(host.signal);
      const image = `images/${step}.png`;
      const png = await encodePng(frame());
      whileWriting(image, () => writeFileSync(join(folder, image), png));
      sets[isValidation ? 'validation' : 'training'].push({ image, ...texts });
      counts.episodes = episode + 1;
      if (isNoisy) counts.noisyLabels++;
      host.listener?.advance?.();
      if (++step % 64 === 0) await setImmediate();
    }
  } finally {
    host.listener?.end?.();
  }
  const { training, validation } = sets;
  const write = (name: string, value: object) => writeFileAtomic(join(folder, name), textOf(value));
  write(names.training, training);
  if (validation.length > 0) write(names.validation, validation);
  const { out: _place, ...settings } = config;
  const sizes = { training: training.length, validation: validation.length };
  writeFileAtomic(
    join(folder, names.facts),
    `${canonicalJson({ settings, made: { ...sizes, ...counts } }, 2)}\n`,
  );
  return { ...sizes, ...counts };
}

/** A list with a line for each record. */
function textOf(records: object): string {
  return `[\n${(records as object[]).map((record) => JSON.stringify(record)).join(',\n')}\n]\n`;
}

interface ScriptedStep extends Omit<DatasetRecord, 'image' | 'text_output_neg'> {
  /** drawn when it is asked for */
  readonly frame: () => ReturnType<ScriptedPlayer['environment']['frame']>;
  readonly isNoisy: boolean;
  readonly isValidation: boolean;
  /** its number */
  readonly episode: number;
}

/** Steps of episode after episode; the environment stands before each while it is looked at. */
function* scriptedSteps(config: EnvironmentCollectionConfig): Generator<ScriptedStep> {
  const player = scriptedPlayer(config.env, config);
  const random = Random.fromSeed(config.seed).stream('collect');
  let left = config.samples;
  for (let episode = 0; left > 0; episode++) {
    const seed = trainingSeed(random, 0, episode);
    const chance = random.stream('play').stream(episode);
    const isValidation = isOfShare(episode, config.validation);
    player.environment.reset(seed);
    for (let isOver = false; !isOver && left > 0; left--) {
      const { output, isNoisy, action } = chosen(player, config, chance);
      yield {
        frame: () => player.environment.frame(),
        text_input: player.prompt(config),
        text_output: output,
        verbatim: true,
        task_type: config.env,
        game_id: `${config.env}/${seed}`,
        isNoisy,
        isValidation,
        episode,
      };
      const { terminated, truncated } = player.environment.step(action);
      isOver = terminated || truncated;
    }
  }
}

/** What is written at a step, and which action is taken. */
function chosen(
  player: ScriptedPlayer,
  {
    randomActions,
    labelNoise,
    actionOnly,
  }: Pick<EnvironmentCollectionConfig, 'randomActions' | 'labelNoise' | 'actionOnly'>,
  random: Random,
): { readonly output: string; readonly isNoisy: boolean; readonly action: number } {
  const best = player.expert();
  const [isNoisy, isAstray] = [random.uniform() < labelNoise, random.uniform() < randomActions];
  const other = random.pick(player.offered.filter((action) => action !== best));
  const drawn = random.pick(player.offered);
  const output = player.answer(isNoisy ? other : best, { concludes: !isNoisy, actionOnly });
  return { output, isNoisy, action: isAstray ? drawn : best };
}

/** Spreads a share evenly over the numbers from 0 on, beginning with the others: of 0.1 every tenth. */
function isOfShare(number: number, share: number): boolean {
  return Math.floor((number + 1) * share) > Math.floor(number * share);
}
