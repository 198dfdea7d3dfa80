/** A dry run of collecting games: as `dry-training.ts`. */
import { EmacError } from '@emac/core';
import { collectConfig, planCollection } from '@emac/datasets';
import { isThere } from '@emac/files';
import { closingAfter } from '@emac/opening';
import { describe, describedModel } from './describe.ts';
import type { DryHost, DryRun } from './dry-run.ts';
import type { Measured } from './measure.ts';
import { samplesBytes, type PartOfDisk, type Sizes } from './disk.ts';
import { refuseRemote, shortestOf } from './dry-games.ts';
import { examplesOfGame } from './example.ts';
import { noWork, stepsOf, type PlayedGames } from './expected-work.ts';
import { expertEstimate } from './expert-estimate.ts';
import { nothing, type Range } from './range.ts';

/** Errors: as `collect` before anything is played. */
export function dryCollection(
  given: Parameters<typeof collectConfig>[0],
  host: DryHost,
): Promise<DryRun<Measured>> {
  const config = collectConfig(given);
  refuseRemote(config);
  return closingAfter(async (open) => {
    const since = host.now();
    requireNoDataset(config.out);
    const plan = await planCollection(config, { host: { ...host, writesNothing: true }, open });
    const { student, model, teacher, rollout, speech } = plan;
    const played: PlayedGames = { shortest: shortestOf(plan.play), maxSteps: config.maxSteps };
    const steps = stepsOf(played);
    const decisions = rollout.asksPolicy ? steps : nothing;
    const form = { text: speech.text, maxSteps: config.maxSteps };
    return describe(
      {
        name: 'collection',
        config,
        notes: plan.notes,
        of: `${plan.play.tasks().length} games`,
        policy: describedModel(model, student),
        student,
        sampling: rollout.sampling,
        parallel: rollout.parallel,
        acts: rollout.asksPolicy,
        training: null,
        opening: host.now() - since,
        examples: async () => {
          const { environment } = await plan.play.open(form);
          const players = { expert: teacher.isPaid ? null : teacher.expert };
          return examplesOfGame(environment, players, { policy: student, texts: rollout.texts, form });
        },
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

function requireNoDataset(out: string): void {
  if (isThere(`${out}/train.json`))
    throw new EmacError('cannot-create', `--out ${out}: holds a dataset already; give another folder`);
}
