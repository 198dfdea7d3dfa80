/** A dry run of an evaluation: as `dry-training.ts`. */
import { openDataset, requireLengths } from '@emac/datasets';
import { heldOutTasks, openEvaluated, isFolderName, type Evaluating } from '@emac/experiment';
import { closingAfter, openPolicy, parallelOf, trainedIn } from '@emac/opening';
import { evaluationConfig, requireFittingEvaluation } from '@emac/settings';
import { describe, describedModel } from './describe.ts';
import type { DryHost, DryRun } from './dry-run.ts';
import type { Measured } from './measure.ts';
import { episodesBytes, logsBytes, reportBytes, type PartOfDisk, type Sizes } from './disk.ts';
import { refuseRemote, shortestOf } from './dry-games.ts';
import { examplesOfDataset, examplesOfGame } from './example.ts';
import { evaluationWork, noWork, type PartOfWork } from './expected-work.ts';
import { exactly, nothing } from './range.ts';

/** Errors: as `evaluatePolicy` before anything is played. */
export function dryEvaluation(
  given: Parameters<typeof evaluationConfig>[0],
  host: DryHost,
  { films }: Pick<Evaluating, 'films'> = {},
): Promise<DryRun<Measured>> {
  const config = evaluationConfig(given);
  refuseRemote(config);
  return closingAfter(async (open) => {
    const since = host.now();
    const { data, images, out } = config;
    const dataset = data === null ? null : openDataset(data, { flag: '--data', images });
    open.add(() => dataset?.close());
    requireFittingEvaluation(trainedIn(config.ckpt).env, config);
    const kind = dataset ? null : (await openEvaluated(config, host)).kind;
    open.add(() => kind?.close?.());
    const drawn = kind && heldOutTasks(kind, config);
    const { student, model, form, notes } = await openPolicy(
      config,
      { ...host, writesNothing: true },
      { films },
    );
    open.add(() => student.dispose());
    if (form.text.observe !== 'text') dataset?.requirePictures();
    if (dataset) await requireLengths(dataset, { policy: student, ...form, pairs: false });
    const played = { shortest: drawn ? shortestOf(drawn.play) : [], maxSteps: form.maxSteps };
    const work = dataset ? answersWork(dataset.length) : evaluationWork('evaluation', played);
    const isKept = out !== null && isFolderName(out);
    return describe(
      {
        name: 'evaluation',
        config: { ...config, model: { ...config.model, path: model.folder } },
        notes: [...(drawn?.notes ?? []), ...notes],
        of: dataset ? `${dataset.length} samples` : `${drawn!.play.tasks().length} games, one attempt each`,
        policy: describedModel(model, student),
        student,
        sampling: { kind: 'search', beams: form.generation.beams },
        parallel: config.parallelEpisodes ?? parallelOf(student),
        acts: true,
        training: null,
        opening: host.now() - since,
        examples: async () => {
          if (dataset) return examplesOfDataset(dataset, { policy: student, form });
          const { environment } = await drawn!.play.open(form);
          const texts = kind!.speech(student, form.text);
          const players = { expert: null, scripted: kind?.player };
          return examplesOfGame(environment, players, { policy: student, texts, form });
        },
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
