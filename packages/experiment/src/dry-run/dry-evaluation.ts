/** What an evaluation would be, without it: as `dry-training.ts`. */
import { closingAfter } from '../closings.ts';
import { evaluationConfig } from '../config/evaluation-config.ts';
import { openDataset } from '../dataset/offline-dataset.ts';
import { requireLengths } from '../dataset/offline-lengths.ts';
import { drawnGames, type Evaluating } from '../evaluation/evaluate-policy.ts';
import { isFolderName } from '../evaluation/result-place.ts';
import { openPolicy } from '../opening/open-policy.ts';
import { parallelOf } from '../opening/student.ts';
import { policyTexts } from '../opening/texts.ts';
import { describe, type DryHost, type DryRun } from './describe.ts';
import { episodesBytes, logsBytes, reportBytes, type PartOfDisk, type Sizes } from './disk.ts';
import { firstOf, refuseRemote, shortestOf } from './dry-games.ts';
import { examplesOfDataset, examplesOfGame } from './example.ts';
import { evaluationWork, noWork, type PartOfWork } from './expected-work.ts';
import { exactly, nothing } from './range.ts';

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
