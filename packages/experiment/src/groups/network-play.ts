/** Attempts of a small network: whole episodes of an environment whose arrays or pictures it reads and whose actions it numbers. */
import { grpo, playedGroups, type PlayedAttempt } from '@emac/algorithms';
import { EmacError, invariant, parametersOf, Random, type OpenedKind, type Speech } from '@emac/core';
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
import { evaluateGames } from '../evaluation/evaluate-games.ts';
import { heldOutPlay } from '../evaluation/evaluated-play.ts';
import { idOfGame, type JournaledGame } from '../evaluation/journal.ts';
import { ppoConfig } from '../reinforcement/given-config.ts';
import { attemptRecord, isRecorded } from './attempt-record.ts';
import type { GroupPlay, TrainedPolicy } from './group-play.ts';
import type { GroupStart } from './group-policy.ts';
import { answerOf, openedIn } from './opened-in.ts';

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
      train: ({ answered, recorded, elsewhere: _elsewhere, ...run }) =>
        grpo<PlayedAttempt>({
          ...run,
          attempts: playedGroups({
            tasks: opened.tasks.training,
            environment: (tasks) => kindEnvironment(opened, tasks, form.text),
            texts: actionNames,
            maxSteps: form.maxSteps,
            parallel,
            reward: config.rewards.attempt,
            ...(opened.anchor && { anchor: opened.anchor.bind(opened) }),
            report: tellSteps(host.listener),
          }),
          sample: (attempt) => answered(answerOf(attempt)),
          ...(recorded && {
            learned: (learned) => {
              if (isRecorded(learned.update, run.settings.play.updates)) recorded(attemptRecord(learned));
            },
          }),
        }),
      async evaluate(when, { checkpoint, journal, most }, told) {
        const some = most === undefined ? evaluated : heldOutPlay(opened, most);
        const { environment } = await some.open(form);
        const { result } = await evaluateGames({
          policy: learner,
          texts: actionNames,
          form,
          environment,
          trainedOn: [],
          checkpoint,
          parallel,
          random: Random.fromSeed(config.seed).stream('evaluation').stream(when),
          host: told,
          journal: journal<JournaledGame>(idOfGame),
          elsewhere: undefined,
        });
        return result;
      },
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
