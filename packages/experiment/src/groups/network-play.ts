/** Attempts of a small network: whole episodes of an environment whose arrays or pictures it reads and whose actions it numbers. */
import { playedGroups } from '@emac/algorithms';
import type { EpisodeMoment } from '@emac/core';
import { sha256 } from '@emac/files';
import {
  closings,
  kindEnvironment,
  openWordedNetwork,
  rewardIn,
  tellSteps,
  type Host,
  type PolicyStart,
  type WordedNetwork,
} from '@emac/opening';
import { grpoSettingsOf, type GrpoConfig } from '@emac/settings';
import { heldOutPlay } from '../evaluation/evaluated-play.ts';
import { actionNames, frameSizeOf, networkForm } from '../networks/network-form.ts';
import { refuseNetworkWorkers } from '../networks/fitting-network.ts';
import type { GroupPlay } from './group-play.ts';
import { openedIn } from './opened-in.ts';
import { heldOutEvaluation, learnFromAttempts } from './played-attempts.ts';
import { trainedPolicy } from './trained-policy.ts';

/** Errors: those of the environment; `usage` if the network cannot read it. */
export async function openNetworkPlay(
  config: GrpoConfig,
  start: PolicyStart,
  host: Host,
): Promise<GroupPlay> {
  refuseNetworkWorkers(host);
  const open = closings();
  try {
    const named = { env: config.env, policy: config.model.path };
    const opened = await openedIn(config, host, frameSizeOf(named));
    open.add(async () => opened.close?.());
    // refused before there is a folder
    grpoSettingsOf(config, opened.tasks.training.count);
    const reward = rewardIn(config.rewards.attempt, host.reward);
    const worded = await openWordedNetwork({ ...named, maxSteps: config.play.maxSteps }, opened, start);
    open.add(() => worded.dispose());
    const { learner } = worded;
    const form = networkForm(named, opened);
    const evaluated = heldOutPlay(opened, config.evaluation.games);
    const parallel = config.play.parallelEpisodes ?? 64;
    return {
      policy: trainedPolicy(worded, {
        name: config.model.path,
        reference: null,
        beside: ({ config: { model: typed } }) => ({
          environment: { ...worded.stored.environment, policy: typed.path },
        }),
      }),
      learner,
      tasks: opened.tasks.training.count,
      heldOut: evaluated.tasks().length,
      together: parallel,
      journal: null,
      name: `${worded.identity} in ${config.env}`,
      versions: opened.versions ?? {},
      train: (training) =>
        learnFromAttempts(
          playedGroups({
            tasks: opened.tasks.training,
            environment: (tasks) => kindEnvironment(opened, tasks, form.text),
            texts: actionNames,
            maxSteps: form.maxSteps,
            parallel,
            reward,
            anchor: opened.anchor?.bind(opened) ?? seenBy(learner),
            report: tellSteps(host.listener),
          }),
          training,
        ),
      evaluate: heldOutEvaluation({
        config,
        opened,
        policy: learner,
        texts: actionNames,
        form,
        parallel,
      }),
      workers: () => null,
      dispose: () => open.close(),
    };
  } catch (thrown) {
    await open.close();
    throw thrown;
  }
}

/** Names a state by what the network reads of it and the text: a hash, as a picture's numbers would be kept for every step. */
function seenBy({ promptOf }: WordedNetwork['learner']) {
  return ({ observation }: EpisodeMoment): string => {
    const read = promptOf!(observation).map((part) => {
      if (part.kind !== 'array') return '';
      const { buffer, byteOffset, byteLength } = part.values.data;
      return sha256(new Uint8Array(buffer, byteOffset, byteLength));
    });
    return JSON.stringify([observation.text, ...read]);
  };
}
