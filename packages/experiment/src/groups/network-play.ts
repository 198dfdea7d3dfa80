/** Attempts of a small network: whole episodes of an environment whose arrays or pictures it reads and whose actions it numbers. */
import { playedGroups } from '@emac/algorithms';
import { EmacError, invariant, parametersOf, type OpenedKind, type Speech } from '@emac/core';
import {
  closings,
  isWorded,
  kindEnvironment,
  localWorld,
  networkContent,
  openWordedNetwork,
  tellSteps,
  tensorBytes,
  type Host,
  type PolicyForm,
  type WordedNetwork,
} from '@emac/opening';
import {
  grpoSettingsOf,
  isEnvironmentModule,
  smallNetworkOf,
  type GrpoConfig,
  type PpoConfig,
} from '@emac/settings';
import { heldOutPlay } from '../evaluation/evaluated-play.ts';
import { ppoConfig } from '../reinforcement/given-config.ts';
import type { GroupPlay, TrainedPolicy } from './group-play.ts';
import type { GroupStart } from './group-policy.ts';
import { openedIn } from './opened-in.ts';
import { heldOutEvaluation, learnFromAttempts } from './played-attempts.ts';

/** Errors: those of the environment; `usage` if the network cannot read it. */
export async function openNetworkPlay(config: GrpoConfig, start: GroupStart, host: Host): Promise<GroupPlay> {
  refuseWorkers(host);
  const open = closings();
  try {
    const opened = await openedIn(config, host, frameSizeOf(config));
    open.add(async () => opened.close?.());
    // refused before there is a folder
    grpoSettingsOf(config, opened.tasks.training.count);
    const asPpo = ppoConfig({
      env: config.env,
      policy: config.model.path,
      play: { maxSteps: config.play.maxSteps },
    });
    const worded = await openWordedNetwork(asPpo, opened, start);
    open.add(() => worded.dispose());
    const { learner } = worded;
    const form = formOf(config, opened);
    const evaluated = heldOutPlay(opened, config.evaluation.games);
    const parallel = config.play.parallelEpisodes ?? 64;
    return {
      policy: trainedNetwork(worded, asPpo, opened),
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
            reward: config.rewards.attempt,
            ...(opened.anchor && { anchor: opened.anchor.bind(opened) }),
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

/** Errors: `usage`. */
function refuseWorkers({ workers }: Host): void {
  if (workers)
    throw new EmacError(
      'usage',
      '--queue: a small network plays an episode in less time than a worker needs to get it; leave it out',
    );
}

/** An answer is the name of an action. */
const actionNames: Speech = {
  prompt: () => '',
  target: (action) => action,
  read: ({ text }) => ({ action: text, actionStart: 0 }),
};

/** Convolutions read smaller pictures than people, where the environment says so. */
function frameSizeOf({ env, model }: GrpoConfig): number | undefined {
  if (isEnvironmentModule(env) || isWorded(env)) return undefined;
  const { reads } = smallNetworkOf({ policy: model.path }) ?? {};
  return reads === 'frame' ? localWorld(env).numbers?.frameSize : undefined;
}

type Form = Pick<PolicyForm, 'text' | 'maxSteps' | 'generation' | 'admissibleOnly'>;

function formOf({ model }: GrpoConfig, { maxSteps }: OpenedKind): Form {
  const { reads } = smallNetworkOf({ policy: model.path }) ?? {};
  const observe = reads === 'frame' ? 'both' : 'text';
  return {
    text: { maxTokens: 1, thoughts: false, observe },
    generation: { beams: 1, minLength: 1, maxLength: 1 },
    maxSteps,
    admissibleOnly: false,
  };
}

function trainedNetwork(worded: WordedNetwork, config: PpoConfig, { id }: OpenedKind): TrainedPolicy {
  const { identity, learner, content } = worded;
  const { policy, preset, play, speech, value, model } = config;
  return {
    identity,
    adapter: null,
    note: null,
    reference: null,
    get rehearsed() {
      const { beside = [] } = content();
      const sizes = {
        parameters: beside.reduce((sum, { tensors }) => sum + tensorBytes(tensors), 0),
        trained: tensorBytes(parametersOf(learner)),
      };
      return { name: policy, identity, model: null, sizes, countPromptTokens: learner.countPromptTokens };
    },
    content(moment, { config: { model: typed }, replies }) {
      invariant(replies === null, 'a small network asks no service');
      // for a module its name: checkpoints hold no path of it
      const form = { env: id, policy: typed.path, preset, play, speech, value, model };
      return networkContent(moment, { content, identity, form });
    },
  };
}
