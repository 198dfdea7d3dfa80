/** Phases resumed from inside the first one's folder, beside a damaged run. */
import { mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainHost } from '@emac/opening';
import type { GivenTrainConfig } from '@emac/settings';
import { expect, it, onTestFinished } from 'vitest';
import { resume } from '../methods.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { trainPhases } from './train.ts';

const small: Omit<GivenTrainConfig, 'phase'> = {
  play: { rounds: 1, gamesPerRound: 1, maxSteps: 3 },
  optimization: { updatesPerEpisode: 1 },
  samples: { agreed: 'random' },
  speech: { beams: 1 },
  evaluation: { episodes: 0 },
  probe: false,
};

it('resumes into the second phase against the first, also if the first is given as the current folder', async () => {
  const out = realpathSync(temporaryFolder());
  const controller = new AbortController();
  const listener = { training: () => controller.abort() };
  const stopped = trainPhases(
    { ...small, out },
    ['bc', 'dpo'],
    plainHost({ signal: controller.signal, listener }),
  );
  await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
  const first = join(out, readdirSync(out)[0]!);
  // read first, and not followed by a run
  const damaged = join(out, '0-damaged');
  mkdirSync(damaged);
  writeFileSync(join(damaged, 'run.json'), '{"v":1,');
  writeFileSync(join(damaged, 'config.yaml'), 'phase: bc\n');
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(first);
  const warnings: string[] = [];
  const finished = await resume('.', plainHost({ listener: { warning: (line) => warnings.push(line) } }));
  expect(warnings).toEqual([
    expect.stringMatching(/^skipped while looking for the run after .*0-damaged\/run\.json: is damaged: /),
  ]);
  expect(finished).toMatchObject([
    { config: { phase: 'bc' } },
    { config: { phase: 'dpo', start: { ref: first } } },
  ]);
  expect(readdirSync(out)).toHaveLength(3);
  // the requested run is read nevertheless
  await expect(resume(damaged)).rejects.toMatchObject({ code: 'data' });
});
