/** The plan of a small network that learns from labels in an environment whose arrays or pictures it reads. */
import { checkSettings } from '@emac/algorithms';
import { invariant, parametersOf, Random, type OpenedKind, type Sampling } from '@emac/core';
import { encodeFloats, sha256 } from '@emac/files';
import {
  openTeacher,
  openTrained,
  openWordedNetwork,
  shortage,
  tensorBytes,
  type PpoForm,
  type WordedNetwork,
} from '@emac/opening';
import { isEnvironmentModule, requireFittingTraining, type TrainConfig } from '@emac/settings';
import { keepNetwork, referenceFolder } from '../checkpoint/reference-folder.ts';
import { evaluationPlay } from '../evaluation/evaluated-play.ts';
import { refuseNetworkWorkers } from '../networks/fitting-network.ts';
import { actionNames, asPpoConfig, frameSizeOf, networkForm, storedForm } from '../networks/network-form.ts';
import { checkTogether, isOwnStart, methodOf } from './asked-training.ts';
import { requireFittingNetwork } from './fitting-network.ts';
import { gamesFrom, wonBefore } from './game-draw.ts';
import type { PlannedReference, Planning, TrainingPlan } from './plan.ts';
import { settingsOf } from './resolved.ts';

/** episodes under way at once: a network answers many in the time of one */
const together = 64;

/** Errors: as `planTraining`'s. */
export async function planNetwork(
  asked: TrainConfig,
  { host, continued, open }: Planning,
): Promise<TrainingPlan> {
  checkTogether(asked);
  requireFittingTraining(asked);
  requireFittingNetwork(asked);
  refuseNetworkWorkers(host);
  const method = methodOf(asked, host);
  const random = Random.fromSeed(asked.seed);
  const named = { env: asked.env, policy: asked.model.path };
  const kind = await openTrained(
    { ...named, seed: asked.seed, maxSteps: asked.play.maxSteps, frameSize: frameSizeOf(named) },
    host.environment ?? null,
  );
  invariant(kind, 'planNetwork: ALFWorld has no numbers to read');
  open.add(() => kind.close?.());
  const asPpo = asPpoConfig(named, asked.play.maxSteps);
  const opened = async (from: string | null): Promise<WordedNetwork> => {
    const network = await openWordedNetwork(asPpo, kind, { random: random.stream('network'), from });
    open.add(() => network.dispose());
    return network;
  };
  const ref = asked.start.ref !== null && continued ? referenceFolder(continued.folder) : asked.start.ref;
  const network = await opened(continued?.point?.folder ?? trainedStart(asked) ?? ref);
  const referee = ref === null ? null : await opened(ref);
  const config = inUse(asked, kind);
  const settings = settingsOf(config);
  checkSettings(settings);
  const draw = { before: null, random: random.stream('games') };
  const { play } = await gamesFrom({ list: null, world: null, kind }, { asked, continued, host, draw });
  const teacher = await openTeacher(config.expert, host, {
    random: random.stream('retries'),
    games: [],
    kind,
  });
  open.add(() => teacher.dispose());
  const evaluated = evaluationPlay(config.evaluation, kind);
  const solvedBefore = wonBefore(asked, ref, continued?.point ?? null);
  const trainedOn = () =>
    play
      .tasks()
      .map(({ id }) => id)
      .sort();
  const form = storedForm(asPpo, kind, continued?.policy ?? named.policy);
  const beside = { form, trainedOn, solvedBefore };
  const sampling: Sampling = { kind: 'search', beams: 1 };
  const { sampleTemperature: temperature } = config.play;
  return {
    config,
    settings,
    method,
    methodCode: host.method?.sha256 ?? null,
    student: network.learner,
    texts: actionNames,
    form: networkForm(named, kind),
    reference: referee && plannedReference(referee, beside),
    before: (isOwnStart(config) ? null : referee?.learner) ?? network.learner,
    identity: network.identity,
    versions: { ...kind.versions, model: network.identity },
    computing: null,
    get sizes() {
      return sizesOf(network);
    },
    language: null,
    content: (step, { state, optimizer }, replies) => ({
      step,
      ...network.content(),
      optimizer: optimizer.tensors,
      state: {
        v: 2,
        training: state,
        optimizer: { step: optimizer.step },
        environment: form,
        solvedBefore,
        replies,
      },
      manifest: { baseModel: network.identity, games: trainedOn() },
    }),
    sampling,
    acting: temperature === null ? sampling : { kind: 'sample', temperature, topP: 1 },
    teacher,
    offline: null,
    play,
    trainedOn,
    solvedBefore,
    evaluated,
    kind,
    environmentCode: host.environment?.sha256 ?? null,
    random,
    parallelEvaluation: config.evaluation.parallelEpisodes ?? together,
    parallelTraining: config.play.parallelEpisodes ?? together,
    memories: [],
    notes: [
      ...teacher.notes,
      shortage('--games-per-round', play.tasks().length, config.play.gamesPerRound),
      shortage('--eval-games', evaluated.tasks().length, config.evaluation.games),
    ].filter((each) => each !== null),
    leftOutTexts: () => [],
    dispose: () => open.close(),
  };
}

/** A run to continue from; null for the usual start. */
function trainedStart({ start: { init } }: TrainConfig): string | null {
  return init === 'random' ? null : init;
}

/** The settings with all values in use. */
function inUse(config: TrainConfig, kind: OpenedKind): TrainConfig {
  const { init, ref } = config.start;
  return {
    ...config,
    // a module keeps its path, needed on the next call
    env: isEnvironmentModule(config.env) ? config.env : kind.id,
    start: { ...config.start, init: init ?? ref ?? 'random' },
    play: { ...config.play, maxSteps: config.play.maxSteps ?? kind.maxSteps, admissibleOnly: false },
    probe: config.probe ?? config.expert.kind !== 'openai',
  };
}

function sizesOf({ learner, content }: WordedNetwork) {
  const { beside = [] } = content();
  return {
    parameters: beside.reduce((sum, { tensors }) => sum + tensorBytes(tensors), 0),
    trained: tensorBytes(parametersOf(learner)),
  };
}

interface Beside extends Pick<TrainingPlan, 'trainedOn' | 'solvedBefore'> {
  readonly form: PpoForm;
}

function plannedReference(
  { learner, content, identity }: WordedNetwork,
  { form, trainedOn, solvedBefore }: Beside,
): PlannedReference {
  const [network] = content().beside!;
  const { tensors } = network!;
  return {
    policy: learner,
    get hash() {
      return sha256(encodeFloats(tensors));
    },
    bytes: tensorBytes(tensors),
    keep: (folder) =>
      keepNetwork(folder, {
        parameters: tensors,
        form,
        solvedBefore,
        identity: { baseModel: identity, games: trainedOn() },
      }),
  };
}
