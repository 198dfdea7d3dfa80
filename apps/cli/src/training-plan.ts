/**
 * Everything a training run needs, opened and checked before its folder is made: bad input leaves nothing behind. Only the
 * pictures of a dataset are decoded later, each when it is first read.
 */
import type { VisionNorm } from '@emac/backbone';
import { EmacError, Random, type Student } from '@emac/core';
import type { HeldRun } from '@emac/runs';
import type { TrainingSettings, TrainingState } from '@emac/trainer';
import type { Game } from '@emac/world';
import { drawGames, listGames, loadGames, shortage } from './games.ts';
import type { Io } from './io.ts';
import { openModel, openStudent, type Model } from './model.ts';
import { leftOutTexts } from './offline-left-out.ts';
import { fittingSets, openOfflineSets, type FittingSets } from './offline-options.ts';
import { speechOf, type Policy } from './policy.ts';
import { askedSpeech } from './preset-speech.ts';
import {
  ownProjection,
  randomProjection,
  storedProjection,
  type ProjectionStart,
} from './projection-start.ts';
import { openTeacher, type Teacher } from './teacher.ts';
import { carriedMemories, referenceFolder } from './reference-folder.ts';
import { trainOptions, type PhaseValues } from './train-options.ts';
import { trainingSettings } from './training-settings.ts';

export interface TrainingPlan {
  readonly values: PhaseValues;
  readonly settings: TrainingSettings;
  readonly policy: Policy;
  readonly model: Model;
  readonly student: Student;
  /** of the vision model's end, where the projection came with one */
  readonly visionNorm: VisionNorm | null;
  /** dpo: the policy that preferences are measured against */
  readonly reference: Student | null;
  readonly referenceProjection: Policy['projection'] | null;
  /** what "before" means: the reference where there is one, else the untrained student */
  readonly before: Student;
  readonly teacher: Teacher;
  /** null where training is on games */
  readonly offline: FittingSets | null;
  /** none where training is on a dataset */
  readonly games: readonly Game[];
  /** ids of all games trained on, earlier phases included, sorted */
  readonly trainedOn: readonly string[];
  readonly heldOut: readonly Game[];
  readonly random: Random;
  /** lessons to begin with */
  readonly memories: TrainingState['memories'];
  /** sentences on what was left out or not checked */
  readonly notes: readonly string[];
  readonly dispose: () => Promise<void>;
}

export const heldOutSuite = 'builtin:valid_unseen';

/** A run that goes on, and where: with its own copy of the reference, and its parameters if there is a checkpoint. */
export interface Continued extends Pick<HeldRun, 'point'> {
  readonly folder: string;
}

/** Opens and checks. Errors: `usage`, `missing`, `data`, `auth`, `unavailable`. */
export async function planTraining(
  values: PhaseValues,
  io: Io,
  continued?: Continued,
): Promise<TrainingPlan> {
  checkTogether(values);
  const settings = trainingSettings(values);
  const random = Random.fromSeed(values.seed);
  const sets = openOfflineSets(values, settings.agreed === 'keep' ? 'keep' : 'drop');
  const list = sets ? null : listGames(values.games);
  const games = list ? loadGames(drawGames(list, settings.gamesPerRound, random.stream('games'))) : [];
  const teacher = await openTeacher(values, io, { random: random.stream('retries'), games });
  const model = await openModel(values.model, values);
  const ref = values.ref !== null && continued ? referenceFolder(continued.folder) : values.ref;
  const referenceStart = ref === null ? null : storedProjection(ref, model);
  const start = continued?.point
    ? storedProjection(continued.point.folder, model)
    : projectionStart(values, model, random);
  // a run that goes on speaks as its checkpoint does, whatever its preset says by now
  const { generation, text } = speechOf(continued?.point ? values : askedSpeech(values), start.policy);
  const how = { generation, text, ...(values.savings === 'none' && { savings: values.savings }) };
  const student = await openStudent(model, start, how);
  const lengths = { student, generation, text, pairs: values.phase === 'dpo' };
  const offline = sets && (await fittingSets(sets, { ...lengths, skip: values['skip-bad-records'] }));
  // as published, the reference sees through the policy's vision norm: both are given the same features
  const { visionNorm } = start;
  const reference = referenceStart && (await openStudent(model, { ...referenceStart, visionNorm }, how));
  const isSame = values.init === null || values.init === values.ref;
  const { kind, hidden } = start;
  const heldOut = loadGames(drawGames(listGames(heldOutSuite), values['eval-games'], null));
  const known = [...start.games, ...(referenceStart?.games ?? []), ...games.map(({ id }) => id)];
  const learnt = offline?.data.games ?? [];
  return {
    ...{ values, settings, model, student, reference, teacher, offline, games, random },
    memories: carriedMemories(values, ref),
    referenceProjection: referenceStart && { kind: referenceStart.kind, hidden: referenceStart.hidden },
    before: reference && !isSame ? reference : student,
    policy: {
      ...{ projection: { kind, hidden }, generation, maxSteps: settings.maxSteps },
      text: { ...text, thoughts: values['imitate-thoughts'] },
      visionNorm: visionNorm && { epsilon: visionNorm.epsilon },
    },
    visionNorm,
    trainedOn: [...new Set([...known, ...learnt])].sort(),
    heldOut,
    notes: [
      list?.leftOut ?? null,
      offline?.note ?? null,
      ...(offline ? leftOutTexts(offline.leftOut, offline.lengths) : []),
      ...new Set([start.note, referenceStart?.note ?? null]),
      ...teacher.notes,
      list && shortage('--games-per-round', games.length, settings.gamesPerRound),
      shortage('--eval-games', heldOut.length, values['eval-games']),
    ].filter((each) => each !== null),
    dispose: async () => {
      teacher.dispose();
      offline?.close();
      await Promise.all([student.dispose(), reference?.dispose()]);
    },
  };
}

function checkTogether(values: PhaseValues): void {
  if (values.phase === 'dpo' && values.ref === null)
    throw new EmacError(
      'usage',
      '--phase dpo: needs the policy to start from, give --ref with the run of --phase bc',
    );
  if (values.phase === 'bc' && values.ref !== null)
    throw new EmacError('usage', '--ref: belongs to --phase dpo; give --init to start from another policy');
  if (values.phase === 'bc' && values.carry !== null && values.phases === 'bc')
    throw new EmacError('usage', '--carry: belongs to --phase dpo, which has a run of --phase bc before it');
  if (values.data !== null) refuseGames(values);
  if (values['act-with'] !== 'mixture')
    for (const name of ['expert-probability', 'expert-decay'] as const)
      if (values[name] !== null)
        throw new EmacError('usage', `--${name}: belongs to --act-with mixture, which was not asked for`);
  if (values.projection === 'linear' && values['projection-hidden'] !== null)
    throw new EmacError('usage', '--projection-hidden: belongs to --projection mlp');
  if (values.projection === 'mlp' && values.init === 'model')
    throw new EmacError(
      'usage',
      '--init model: the model folder holds a linear projection; an mlp starts with --init random',
    );
}

/** Flags of training on games, which say nothing about a dataset. */
const gameFlags = [
  ...([
    'games',
    'rounds',
    'games-per-round',
    'expert',
    'expert-noise',
    'act-with',
    'updates-per-episode',
  ] as const),
  ...(['expert-probability', 'expert-decay', 'train-after', 'no-skip-solved', 'no-stop-repeating'] as const),
  ...(['imitate-thoughts', 'student-memory', 'carry'] as const),
] as const;

function refuseGames(values: PhaseValues): void {
  for (const name of gameFlags)
    if (values[name] !== trainOptions[name].default)
      throw new EmacError('usage', `--${name}: belongs to training on games, --data has none`);
}

function projectionStart(values: PhaseValues, model: Model, random: Random): ProjectionStart {
  const init = values.init ?? values.ref ?? (values.projection === 'mlp' ? 'random' : 'model');
  if (init === 'random') return drawnProjection(values, model, random.stream('projection'));
  const start = init === 'model' ? ownProjection(model.checkpoint) : storedProjection(init, model);
  const { projection: kind, 'projection-hidden': hidden } = values;
  if ((kind !== null && kind !== start.kind) || (hidden !== null && hidden !== start.hidden)) {
    const is = start.hidden === null ? start.kind : `${start.kind} of width ${start.hidden}`;
    throw new EmacError(
      'usage',
      `--projection: ${init} holds a projection that is ${is}; give --init random for another one`,
    );
  }
  return start;
}

function drawnProjection(values: PhaseValues, { checkpoint }: Model, random: Random): ProjectionStart {
  const kind = values.projection ?? 'linear';
  if (kind === 'linear' && values['projection-hidden'] !== null)
    throw new EmacError('usage', '--projection-hidden: belongs to --projection mlp');
  const hidden = kind === 'mlp' ? (values['projection-hidden'] ?? checkpoint.config.llama.hiddenSize) : null;
  return randomProjection(random, kind, hidden);
}
