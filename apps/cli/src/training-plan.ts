/** Everything a training run needs, opened and checked before its folder is made: bad input leaves nothing behind. */
import { EmacError, Random, type Student } from '@emac/core';
import type { TrainingSettings } from '@emac/trainer';
import type { Game } from '@emac/world';
import { drawGames, listGames, loadGames, shortage } from './games.ts';
import type { Io } from './io.ts';
import { openModel, openStudent, type Model } from './model.ts';
import { speechOf, type Policy } from './policy.ts';
import {
  ownProjection,
  randomProjection,
  storedProjection,
  type ProjectionStart,
} from './projection-start.ts';
import { openTeacher, type Teacher } from './teacher.ts';
import type { TrainValues } from './train-options.ts';
import { trainingSettings } from './training-settings.ts';

export interface TrainingPlan {
  readonly values: TrainValues;
  readonly settings: TrainingSettings;
  readonly policy: Policy;
  readonly model: Model;
  readonly student: Student;
  /** dpo: the policy that preferences are measured against */
  readonly reference: Student | null;
  /** what "before" means: the reference where there is one, else the untrained student */
  readonly before: Student;
  readonly teacher: Teacher;
  readonly games: readonly Game[];
  /** ids of all games trained on, earlier phases included, sorted */
  readonly trainedOn: readonly string[];
  readonly heldOut: readonly Game[];
  readonly random: Random;
  /** sentences on what was left out or not checked */
  readonly notes: readonly string[];
  readonly dispose: () => Promise<void>;
}

export const heldOutSuite = 'builtin:valid_unseen';

/** Opens and checks. Errors: `usage`, `missing`, `data`, `auth`, `unavailable`. */
export async function planTraining(values: TrainValues, io: Io): Promise<TrainingPlan> {
  checkTogether(values);
  const settings = trainingSettings(values);
  const random = Random.fromSeed(values.seed);
  const list = listGames(values.games);
  const games = loadGames(drawGames(list, settings.gamesPerRound, random.stream('games')));
  const teacher = await openTeacher(values, io, { random: random.stream('retries'), games });
  const model = await openModel(values.model, values);
  const referenceStart = values.ref === null ? null : storedProjection(values.ref, model);
  const start = projectionStart(values, model, random);
  const { generation, text } = speechOf(values, start.policy);
  const student = await openStudent(model, start, { generation, text });
  const reference = referenceStart && (await openStudent(model, referenceStart, { generation, text }));
  const isSame = values.init === null || values.init === values.ref;
  const { kind, hidden } = start;
  const heldOut = loadGames(drawGames(listGames(heldOutSuite), values['eval-games'], null));
  const known = [...start.games, ...(referenceStart?.games ?? []), ...games.map(({ id }) => id)];
  return {
    ...{ values, settings, model, student, reference, teacher, games, random },
    before: reference && !isSame ? reference : student,
    policy: { projection: { kind, hidden }, generation, text, maxSteps: settings.maxSteps },
    trainedOn: [...new Set(known)].sort(),
    heldOut,
    notes: [
      list.leftOut,
      start.note,
      shortage('--games-per-round', games.length, settings.gamesPerRound),
      shortage('--eval-games', heldOut.length, values['eval-games']),
    ].filter((each) => each !== null),
    dispose: async () => {
      teacher.dispose();
      await Promise.all([student.dispose(), reference?.dispose()]);
    },
  };
}

function checkTogether(values: TrainValues): void {
  if (values.phase === 'dpo' && values.ref === null)
    throw new EmacError(
      'usage',
      '--phase dpo: needs the policy to start from, give --ref with the run of --phase bc',
    );
  if (values.phase === 'bc' && values.ref !== null)
    throw new EmacError('usage', '--ref: belongs to --phase dpo; give --init to start from another policy');
  if (values.projection === 'linear' && values['projection-hidden'] !== null)
    throw new EmacError('usage', '--projection-hidden: belongs to --projection mlp');
  if (values.projection === 'mlp' && values.init === 'model')
    throw new EmacError(
      'usage',
      '--init model: the model folder holds a linear projection; an mlp starts with --init random',
    );
}

function projectionStart(values: TrainValues, model: Model, random: Random): ProjectionStart {
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

function drawnProjection(values: TrainValues, { checkpoint }: Model, random: Random): ProjectionStart {
  const kind = values.projection ?? 'linear';
  if (kind === 'linear' && values['projection-hidden'] !== null)
    throw new EmacError('usage', '--projection-hidden: belongs to --projection mlp');
  const hidden = kind === 'mlp' ? (values['projection-hidden'] ?? checkpoint.config.llama.hiddenSize) : null;
  return randomProjection(random, kind, hidden);
}
