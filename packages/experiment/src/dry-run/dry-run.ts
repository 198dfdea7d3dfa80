/**
 * What a run would be, without a run: everything is resolved, opened and checked as for the run itself, one observation is encoded, a
 * little is measured. Nothing is written, and no paid service is called.
 */
import { EmacError, invariant } from '@emac/core';
import { isThere } from '@emac/files';
import { World, type Game } from '@emac/world';
import { closingAfter } from '../closings.ts';
import { collectConfig } from '../config/collect-config.ts';
import { evaluationConfig } from '../config/evaluation-config.ts';
import { laterConfig, type GivenSettings } from '../config/stored-config.ts';
import { trainConfig, type TrainConfig } from '../config/train-config.ts';
import type { WorldConfig } from '../config/world-config.ts';
import { openDataset } from '../dataset/offline-dataset.ts';
import { requireLengths } from '../dataset/offline-lengths.ts';
import { planCollection } from '../collection/collect.ts';
import { drawnGames, type Evaluating } from '../evaluation/evaluate-policy.ts';
import { isFolderName } from '../evaluation/result-place.ts';
import { openPolicy } from '../opening/open-policy.ts';
import { policyTexts } from '../opening/texts.ts';
import { parallelOf } from '../opening/student.ts';
import { planTraining, type TrainingPlan } from '../training/plan.ts';
import { spaceNeeded } from '../training/phase.ts';
import { describe, type Described, type DryHost, type DryRun } from './describe.ts';
import {
  checkpointsBytes,
  episodesBytes,
  logsBytes,
  referenceBytes,
  reportBytes,
  samplesBytes,
  type PartOfDisk,
  type Sizes,
} from './disk.ts';
import { examplesOfDataset, examplesOfGame } from './example.ts';
import {
  datasetWork,
  evaluationWork,
  noWork,
  probeWork,
  roundsWork,
  stepsOf,
  type PartOfWork,
  type PlayedGames,
} from './expected-work.ts';
import { expertEstimate } from './expert-estimate.ts';
import { exactly, nothing, type Range } from './range.ts';

/**
 * Each phase that was asked for. A phase after the first has no reference yet: the model's own projection stands for it. Errors: as
 * `trainPhases` before its folder is made; `io` where the disk is too small.
 */
export async function dryTraining(
  given: GivenSettings,
  phases: readonly TrainConfig['phase'][],
  host: DryHost,
): Promise<DryRun[]> {
  const [phase, ...later] = phases;
  invariant(phase, 'dryTraining: needs a phase');
  const first = trainConfig({ ...given, phase });
  const runs = [await dryPhase(first, [], host)];
  for (const each of later) {
    const ref = first.model.path;
    const config = laterConfig(given, { phase: each, ref, out: first.out });
    const note = `${each}: the run of ${phase} is not there yet; the model's own projection stands for its reference`;
    runs.push(await dryPhase(config, [note], host));
  }
  return runs;
}

async function dryPhase(asked: TrainConfig, notes: readonly string[], host: DryHost): Promise<DryRun> {
  refuseRemote(asked);
  const quiet = { ...host, writesNothing: true };
  const since = host.now();
  const plan = await planTraining(asked, quiet);
  try {
    return await describe(ofPhase(plan, { notes, opening: host.now() - since }), host);
  } finally {
    await plan.dispose();
  }
}

interface Beginning {
  readonly notes: readonly string[];
  /** milliseconds */
  readonly opening: number;
}

function ofPhase(plan: TrainingPlan, { notes, opening }: Beginning): Described {
  const { config, student, offline, evaluated, model, teacher, form } = plan;
  const { games } = plan.play;
  const { batchSize, accumulate } = config.optimization;
  const work = workOf(plan);
  const paid = teacher.isPaid;
  return {
    name: config.phase,
    config,
    notes: [...plan.notes, ...notes],
    of: offline
      ? `${offline.data.length} samples, ${config.dataset!.epochs} epochs`
      : `${games.length} games, ${config.play.rounds} rounds; evaluation on ${evaluated.length} games before and after`,
    model,
    student,
    sampling: plan.acting,
    parallel: plan.parallelEvaluation,
    acts: true,
    training: { phase: config.phase, rows: batchSize * accumulate, preference: config.preference },
    opening,
    examples: () =>
      offline
        ? examplesOfDataset(offline.data, { policy: student, form })
        : examplesOfGame(firstOf(games), paid ? null : teacher.expert, {
            policy: student,
            texts: plan.texts,
            form,
          }),
    work,
    disk: { out: config.out, parts: (sizes) => partsOfRun(plan, work, sizes) },
    spaceNeeded: spaceNeeded(plan),
    expert: (asked) => {
      const training = work.find(({ name }) => name === 'training')!;
      const probe = config.probe === false ? 0 : 1;
      const steps = stepsOf({ shortest: shortestOf(games), maxSteps: config.play.maxSteps });
      const reflections = config.play.rounds * games.length;
      const calls = {
        least: training.decisions.least + probe * steps.least,
        most: training.decisions.most + probe * steps.most + reflections,
      };
      return expertEstimate(teacher, config.expert.languageModel, { calls, asked });
    },
  };
}

function workOf({ config, offline, play, evaluated, reference }: TrainingPlan): readonly PartOfWork[] {
  const { games } = play;
  const { maxSteps } = config.play;
  const held = { shortest: shortestOf(evaluated), maxSteps };
  const around = (name: string) => (evaluated.length === 0 ? [] : [evaluationWork(name, held)]);
  const played = { shortest: shortestOf(games), maxSteps };
  const { batchSize, accumulate } = config.optimization;
  const training = offline
    ? [
        datasetWork({
          samples: offline.data.length,
          validation: offline.validation?.length ?? 0,
          epochs: config.dataset!.epochs,
          samplesOfUpdate: batchSize * accumulate,
          isJudged: reference !== null,
        }),
      ]
    : [...(config.probe === false ? [] : [probeWork(config, played)]), roundsWork(config, played)];
  return [...around('evaluation before'), ...training, ...around('evaluation after')];
}

function partsOfRun(
  { config, offline, play: { games }, reference }: TrainingPlan,
  work: readonly PartOfWork[],
  sizes: Sizes,
): PartOfDisk[] {
  const training = work.find(({ name }) => name === 'training')!;
  const { decisions: steps, updates } = training;
  const episodes = episodesBytes(offline ? nothing : steps, sizes);
  const written = offline
    ? exactly(config.dataset!.epochs + 1 + Math.floor(updates.most / config.dataset!.checkpointEvery))
    : checkpointsIn(config, games.length);
  const probed = config.probe === false || offline ? 0 : stepsMost(games, config.play.maxSteps);
  const samples = offline ? exactly(offline.data.length) : { least: 0, most: steps.most + probed };
  const buffers = offline
    ? exactly(offline.data.length * (sizes.features + 64))
    : samplesBytes(samples, sizes);
  return [
    { name: 'checkpoints', bytes: checkpointsBytes(sizes, { written, keep: config.keep }) },
    ...(reference ? [{ name: 'reference', bytes: referenceBytes(reference) }] : []),
    { name: 'samples', bytes: buffers },
    ...(offline ? [] : [{ name: 'episodes and pictures', bytes: episodes }]),
    { name: 'metrics and logs', bytes: logsBytes(steps, updates, sizes) },
    { name: 'report', bytes: reportBytes(episodes) },
  ];
}

const stepsMost = (games: readonly Game[], maxSteps: number) => games.length * maxSteps;

/** At the beginning, after every group of episodes but the last of a round, and after every round. */
function checkpointsIn({ play }: TrainConfig, games: number): Range {
  const groups = Math.ceil(games / play.episodesPerUpdate);
  return { least: 1 + groups, most: 1 + play.rounds * Math.max(1, groups) };
}

/** Errors: as `evaluatePolicy` before anything is played. */
export function dryEvaluation(
  given: Parameters<typeof evaluationConfig>[0],
  host: DryHost,
  { films }: Pick<Evaluating, 'films'> = {},
): Promise<DryRun> {
  const config = evaluationConfig(given);
  refuseRemote(config);
  return closingAfter(async (open) => {
    const since = host.now();
    const { data, images, out } = config;
    const dataset = data === null ? null : openDataset(data, { flag: '--data', images });
    open.add(() => dataset?.close());
    const drawn = dataset ? null : drawnGames(config);
    const { student, model, form, note } = await openPolicy(
      config,
      { ...host, writesNothing: true },
      { films },
    );
    open.add(() => student.dispose());
    if (dataset) await requireLengths(dataset, { policy: student, ...form, pairs: false });
    const texts = policyTexts(student, form.text);
    const games = drawn?.games ?? [];
    const played = { shortest: shortestOf(games), maxSteps: form.maxSteps };
    const work = dataset ? answersWork(dataset.length) : evaluationWork('evaluation', played);
    const isKept = out !== null && isFolderName(out);
    return describe(
      {
        name: 'evaluation',
        config: { ...config, model: { ...config.model, path: model.folder } },
        notes: [...(drawn?.notes ?? []), note],
        of: dataset ? `${dataset.length} samples` : `${games.length} games, one attempt each`,
        model,
        student,
        sampling: { kind: 'search', beams: form.generation.beams },
        parallel: config.parallelEpisodes ?? parallelOf(student),
        acts: true,
        training: null,
        opening: host.now() - since,
        examples: () =>
          dataset
            ? examplesOfDataset(dataset, { policy: student, form })
            : examplesOfGame(firstOf(games), null, { policy: student, texts, form }),
        work: [work],
        disk: isKept && !dataset ? { out, parts: (sizes) => partsOfEvaluation(work, sizes) } : null,
        spaceNeeded: 0,
        expert: () => null,
      },
      host,
    );
  });
}

function answersWork(samples: number): PartOfWork {
  return { ...noWork, name: 'answers', decisions: exactly(samples), pictures: exactly(samples) };
}

function partsOfEvaluation({ decisions: steps }: PartOfWork, sizes: Sizes): PartOfDisk[] {
  const episodes = episodesBytes(steps, sizes);
  return [
    { name: 'episodes and pictures', bytes: episodes },
    { name: 'logs', bytes: logsBytes(steps, nothing, sizes) },
    { name: 'report', bytes: reportBytes(episodes) },
  ];
}

/** Errors: as `collect` before anything is played. */
export function dryCollection(given: Parameters<typeof collectConfig>[0], host: DryHost): Promise<DryRun> {
  const config = collectConfig(given);
  refuseRemote(config);
  return closingAfter(async (open) => {
    const since = host.now();
    requireNoDataset(config.out);
    const plan = await planCollection(config, { host: { ...host, writesNothing: true }, open });
    const { student, model, teacher, rollout, speech } = plan;
    const { games } = plan.play;
    const played: PlayedGames = { shortest: shortestOf(games), maxSteps: config.maxSteps };
    const steps = stepsOf(played);
    const decisions = rollout.asksPolicy ? steps : nothing;
    const form = { text: speech.text, maxSteps: config.maxSteps };
    return describe(
      {
        name: 'collection',
        config,
        notes: plan.notes,
        of: `${games.length} games`,
        model,
        student,
        sampling: rollout.sampling,
        parallel: rollout.parallel,
        acts: rollout.asksPolicy,
        training: null,
        opening: host.now() - since,
        examples: () =>
          examplesOfGame(firstOf(games), teacher.isPaid ? null : teacher.expert, {
            policy: student,
            texts: rollout.texts,
            form,
          }),
        work: [{ ...noWork, name: 'playing', decisions, pictures: steps }],
        disk: { out: config.out, parts: (sizes) => partsOfCollection(steps, sizes) },
        spaceNeeded: 0,
        expert: (asked) => expertEstimate(teacher, config.expert.languageModel, { calls: steps, asked }),
      },
      host,
    );
  });
}

function partsOfCollection(steps: Range, sizes: Sizes): PartOfDisk[] {
  const { picture } = sizes;
  return [
    { name: 'records', bytes: samplesBytes(steps, { ...sizes, features: 0 }) },
    { name: 'pictures', bytes: { least: Math.min(steps.least, 1) * picture, most: steps.most * picture } },
  ];
}

/** Errors: `usage`. */
function refuseRemote({ world }: { readonly world: WorldConfig }): void {
  if (world.kind === 'http')
    throw new EmacError(
      'usage',
      '--dry-run: looks into game files, which --world http does not have; leave one out',
    );
}

function requireNoDataset(out: string): void {
  if (isThere(`${out}/train.json`))
    throw new EmacError('cannot-create', `--out ${out}: holds a dataset already; give another folder`);
}

/** Commands of a shortest win of each game; one that nothing is known of takes a single step. */
function shortestOf(games: readonly Game[]): number[] {
  return games.map((game) => {
    const world = new World(game);
    world.reset();
    return world.shortestPlan()?.length ?? 1;
  });
}

function firstOf(games: readonly Game[]): Game {
  const [game] = games;
  invariant(game, 'dry run: there is no game');
  return game;
}
