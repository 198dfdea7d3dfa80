/** Steps of a scripted player, episode by episode; some labels are spoilt deliberately, and some actions are random distractions. */
import { setImmediate } from 'node:timers/promises';
import { Random } from '@emac/core';
import { encodePng } from '@emac/images';
import { scriptedPlayer, stopIfAsked, type ScriptedPlayer } from '@emac/opening';
import { trainingSeed } from '@emac/rollout';
import type { Steps } from '@emac/workers';
import type { DatasetRecord } from '../dataset/offline-dataset.ts';
import type { EnvironmentCollectionConfig } from './environment-collection-config.ts';
import { isOfShare, stepsOf, type PlayedSteps, type Playing } from './played-steps.ts';

/** Plays the requested number of steps. Errors: `interrupted`, `usage`, `io`. */
export async function playScripted(
  config: EnvironmentCollectionConfig,
  { host, keepPicture }: Playing,
  steps: Steps<ScriptedStep> = () => stepsOf(config.samples, scripted(config)),
): Promise<PlayedSteps<{ readonly noisyLabels: number }>> {
  const sets = { training: [] as DatasetRecord[], validation: [] as DatasetRecord[] };
  let [step, episodes, noisyLabels] = [0, 0, 0];
  for await (const { picture, isNoisy, episode, shared = episode, ...texts } of steps()) {
    stopIfAsked(host.signal);
    const image = `images/${step}.png`;
    keepPicture(image, await picture());
    sets[isOfShare(shared, config.validation) ? 'validation' : 'training'].push({ image, ...texts });
    episodes = episode + 1;
    if (isNoisy) noisyLabels++;
    host.listener?.advance?.();
    if (++step % 64 === 0) await setImmediate();
  }
  return { ...sets, episodes, counts: { noisyLabels } };
}

export interface ScriptedStep extends Omit<DatasetRecord, 'image' | 'text_output_neg'> {
  /** PNG, rendered on request; call it before the next step */
  readonly picture: () => Promise<Uint8Array>;
  readonly isNoisy: boolean;
  /** the episode's number */
  readonly episode: number;
  /** decides whether it is held out: the same number for every repeat of a task; absent: the episode's number */
  readonly shared?: number;
}

type Scripted = Pick<
  EnvironmentCollectionConfig,
  'env' | 'seed' | 'maxSteps' | 'palette' | 'randomActions' | 'labelNoise' | 'actionOnly'
>;

/** Plays the episode of a number to its end. Errors: `usage`. */
export function scripted(config: Scripted): (episode: number) => Iterable<ScriptedStep> {
  const player = scriptedPlayer(config.env, config);
  const random = Random.fromSeed(config.seed).stream('collect');
  return (episode) => scriptedEpisode(player, config, { episode, random });
}

interface Place {
  readonly episode: number;
  readonly random: Random;
}

/** The environment stays at each step until the consumer continues. */
function* scriptedEpisode(
  player: ScriptedPlayer,
  config: Scripted,
  { episode, random }: Place,
): Generator<ScriptedStep> {
  const seed = trainingSeed(random, 0, episode);
  const chance = random.stream('play').stream(episode);
  player.environment.reset(seed);
  for (let isOver = false; !isOver;) {
    const { output, isNoisy, action } = chosen(player, config, chance);
    yield {
      picture: () => encodePng(player.environment.frame()),
      text_input: player.prompt(config),
      text_output: output,
      verbatim: true,
      task_type: config.env,
      game_id: `${config.env}/${seed}`,
      isNoisy,
      episode,
    };
    const { terminated, truncated } = player.environment.step(action);
    isOver = terminated || truncated;
  }
}

/** The label of a step, and the action to take. */
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
