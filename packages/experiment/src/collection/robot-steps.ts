/** Demonstrations of a robot's scripted controller, episode after episode, from initial states for training. */
import { setImmediate } from 'node:timers/promises';
import { Random } from '@emac/core';
import { encodePng } from '@emac/images';
import { trainingSeed } from '@emac/rollout';
import type { Action } from '@emac/tabletop';
import { vlaPrompt } from '@emac/vla';
import type { EnvironmentCollectionConfig } from '../config/environment-collection-config.ts';
import type { DatasetRecord } from '../dataset/offline-dataset.ts';
import { stopIfAsked } from '../host.ts';
import { demonstrationSize, robotEnvironment } from '../reinforcement/robots.ts';
import { isOfShare, type PlayedSteps, type Playing } from './played-steps.ts';

type Asked = Pick<
  EnvironmentCollectionConfig,
  'env' | 'seed' | 'samples' | 'maxSteps' | 'randomActions' | 'labelNoise' | 'validation' | 'actionSteps'
>;

/** Plays as many steps as are asked for. Errors: `interrupted`, `usage`, `io`. */
export async function playDemonstrations(
  config: Asked,
  { host, keepPicture }: Playing,
): Promise<PlayedSteps<{ readonly noisyLabels: number }>> {
  const sets = { training: [] as DatasetRecord[], validation: [] as DatasetRecord[] };
  let [step, episodes, noisyLabels] = [0, 0, 0];
  for (const { frame, isNoisy, episode, ...record } of demonstratedSteps(config)) {
    stopIfAsked(host.signal);
    const image = `images/${step}.png`;
    keepPicture(image, await encodePng(frame()));
    sets[isOfShare(episode, config.validation) ? 'validation' : 'training'].push({ image, ...record });
    episodes = episode + 1;
    if (isNoisy) noisyLabels++;
    host.listener?.advance?.();
    if (++step % 64 === 0) await setImmediate();
  }
  return { ...sets, episodes, counts: { noisyLabels } };
}

/** The environment stands before each step while it is looked at. */
function* demonstratedSteps(config: Asked) {
  const { env, maxSteps, labelNoise, randomActions, actionSteps } = config;
  const size = demonstrationSize;
  const environment = robotEnvironment(env, { split: 'train', isCounted: false, maxSteps, size });
  const random = Random.fromSeed(config.seed).stream('collect');
  let left = config.samples;
  for (let episode = 0; left > 0; episode++) {
    const chance = random.stream('play').stream(episode);
    environment.reset(trainingSeed(random, 0, episode));
    const { task, state } = environment.start;
    for (let isOver = false; !isOver && left > 0; left--) {
      const [isNoisy, isAstray] = [chance.uniform() < labelNoise, chance.uniform() < randomActions];
      const best = environment.expert({ steps: actionSteps });
      const other = rounded(drawn(best, chance), actionSteps);
      const action = isNoisy ? other : best;
      yield {
        frame: () => environment.frame(),
        text_input: vlaPrompt(environment.text()),
        text_output: action.join(' '),
        action: [...action],
        verbatim: true,
        task_type: env,
        game_id: `${env}/${task}/${state}`,
        isNoisy,
        episode,
      };
      const { terminated, truncated } = environment.step(isAstray ? other : best);
      isOver = terminated || truncated;
    }
  }
}

/** Any motion of the hand, with the turn and the fingers of this one. */
function drawn(action: Action, random: Random): Action {
  return action.map((value, place) => (place < 3 ? 2 * random.uniform() - 1 : value));
}

/** To so many steps a unit; as it is where that is null. */
function rounded(action: Action, steps: number | null): Action {
  // never −0
  return steps === null ? action : action.map((value) => Math.round(value * steps) / steps + 0);
}
