/**
 * A dry run of training: everything is resolved, opened and checked as for the run itself, one observation is encoded,
 * a little is measured. Nothing is written, and no paid service is called.
 */
import { invariant } from '@emac/core';
import { planTraining, requireBeginning, spaceNeeded, type TrainingPlan } from '@emac/experiment';
import { laterConfig, trainConfig, type GivenSettings, type TrainConfig } from '@emac/settings';
import { describe, describedModel, type Described, type DescribedPolicy } from './describe.ts';
import type { DryHost, DryRun } from './dry-run.ts';
import type { Measured } from './measure.ts';
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
import { refuseRemote, shortestOf } from './dry-games.ts';
import { examplesOfDataset, examplesOfGame } from './example.ts';
import {
  datasetWork,
  evaluationWork,
  inRoundOf,
  probeWork,
  roundsWork,
  stepsOf,
  type PartOfWork,
} from './expected-work.ts';
import { expertEstimate } from './expert-estimate.ts';
import { exactly, nothing, type Range } from './range.ts';

/**
 * Each requested phase. A later phase has no reference yet: the model's own projection replaces it. Errors: as
 * `trainPhases` before it creates a folder; `io` if the disk is too small.
 */
export async function dryTraining(
  given: GivenSettings,
  phases: readonly TrainConfig['phase'][],
  host: DryHost,
): Promise<DryRun<Measured>[]> {
  const [phase, ...later] = phases;
  invariant(phase, 'dryTraining: needs a phase');
  const first = trainConfig({ ...given, phase });
  requireBeginning(given, phases);
  const runs = [await dryPhase(first, [], host)];
  for (const each of later) {
    const ref = first.model.path;
    const config = laterConfig(given, { phase: each, ref, out: first.out });
    const note = `${each}: the run of ${phase} does not exist yet; the model's own projection is measured in place of its reference`;
    runs.push(await dryPhase(config, [note], host));
  }
  return runs;
}

async function dryPhase(
  asked: TrainConfig,
  notes: readonly string[],
  host: DryHost,
): Promise<DryRun<Measured>> {
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
  const { config, student, offline, evaluated, teacher, form, play } = plan;
  const tasks = play.tasks();
  const { batchSize, accumulate } = config.optimization;
  const work = workOf(plan);
  const paid = teacher.isPaid;
  return {
    name: config.phase,
    config,
    notes: [...plan.notes, ...notes],
    of: offline
      ? `${offline.data.length} samples, ${config.dataset!.epochs} epochs`
      : `${tasks.length} games, ${config.play.rounds} rounds; evaluation on ${evaluated.tasks().length} games before and after`,
    policy: policyOf(plan),
    student,
    sampling: plan.acting,
    parallel: plan.parallelEvaluation,
    acts: true,
    training: { phase: config.phase, rows: batchSize * accumulate, preference: config.preference },
    opening,
    examples: async () => {
      if (offline) return examplesOfDataset(offline.data, { policy: student, form });
      const { environment } = await play.open(form);
      const players = { expert: paid ? null : teacher.expert, scripted: plan.kind.player };
      return examplesOfGame(environment, players, { policy: student, texts: plan.texts, form });
    },
    work,
    disk: { out: config.out, parts: (sizes) => partsOfRun(plan, work, sizes) },
    spaceNeeded: spaceNeeded(plan.sizes),
    expert: (asked) => {
      const training = work.find(({ name }) => name === 'training')!;
      const probe = config.probe === false ? 0 : 1;
      const steps = stepsOf({ shortest: shortestOf(play), maxSteps: plan.settings.play.maxSteps });
      const reflections = config.play.rounds * inRoundOf(config.curriculum, tasks.length);
      const calls = {
        least: training.decisions.least + probe * steps.least,
        most: training.decisions.most + probe * steps.most + reflections,
      };
      return expertEstimate(teacher, config.expert.languageModel, { calls, asked });
    },
  };
}

function policyOf({ language, config, identity, sizes }: TrainingPlan): DescribedPolicy {
  if (language) return describedModel(language.model, language.student);
  const { parameters, trained } = sizes;
  const frozen = (parameters - trained) / 4;
  const folder = config.model.path;
  return { folder, identity, layers: null, notes: [], frozen, sizes, countVisualTokens: null };
}

function workOf({
  config,
  settings,
  offline,
  play,
  evaluated,
  reference,
}: TrainingPlan): readonly PartOfWork[] {
  const { maxSteps } = settings.play;
  const held = { shortest: shortestOf(evaluated), maxSteps };
  const around = (name: string) => (evaluated.tasks().length === 0 ? [] : [evaluationWork(name, held)]);
  const played = { shortest: shortestOf(play), maxSteps };
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
  { config, settings, offline, play, reference }: TrainingPlan,
  work: readonly PartOfWork[],
  sizes: Sizes,
): PartOfDisk[] {
  const training = work.find(({ name }) => name === 'training')!;
  const { decisions: steps, updates } = training;
  const episodes = episodesBytes(offline ? nothing : steps, sizes);
  const written = offline
    ? exactly(config.dataset!.epochs + 1 + Math.floor(updates.most / config.dataset!.checkpointEvery))
    : checkpointsIn(config, inRoundOf(config.curriculum, play.tasks().length));
  const rounds = offline ? 0 : config.play.rounds;
  const probed = config.probe === false || offline ? 0 : play.tasks().length * settings.play.maxSteps;
  const samples = offline ? exactly(offline.data.length) : { least: 0, most: steps.most + probed };
  const buffers = offline
    ? exactly(offline.data.length * (sizes.features + 64))
    : samplesBytes(samples, sizes);
  return [
    { name: 'checkpoints', bytes: checkpointsBytes(sizes, { written, keep: config.keep, rounds }) },
    ...(reference ? [{ name: 'reference', bytes: referenceBytes(reference) }] : []),
    { name: 'samples', bytes: buffers },
    ...(offline ? [] : [{ name: 'episodes and pictures', bytes: episodes }]),
    { name: 'metrics and logs', bytes: logsBytes(steps, updates, sizes) },
    { name: 'report', bytes: reportBytes(episodes) },
  ];
}

/** At the beginning, after every group of episodes but the last of a round, and after every round. */
function checkpointsIn({ play }: TrainConfig, games: number): Range {
  const groups = Math.ceil(games / play.episodesPerUpdate);
  return { least: 1 + groups, most: 1 + play.rounds * Math.max(1, groups) };
}
