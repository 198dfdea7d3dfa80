/** A phase on games the earlier phase did not solve, stopped and resumed. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeFolderAtomic } from '@emac/files';
import { plainHost } from '@emac/opening';
import { layout, loadCheckpoint, readConfig, resolveCheckpoint } from '@emac/runs';
import type { GivenTrainConfig } from '@emac/settings';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { resume } from '../methods.ts';
import { train } from './train.ts';

const out = temporaryFolder();
const small: Omit<GivenTrainConfig, 'phase'> = {
  play: { rounds: 2, gamesPerRound: 2, maxSteps: 3 },
  optimization: { updatesPerEpisode: 1 },
  samples: { agreed: 'random' },
  speech: { beams: 1 },
  evaluation: { episodes: 0 },
  probe: false,
};

const drawnBy = (run: string) => (readConfig(run) as { readonly drawn: readonly string[] }).drawn;
const bytesOf = (run: string) => readFileSync(join(run, layout.metrics), 'utf8');

/** The policy of a run, as if it had won these games. */
function havingWon(run: string, solved: readonly string[]): string {
  const { folder } = resolveCheckpoint(run);
  const { state, manifest } = loadCheckpoint(folder);
  const training = { ...(state['training'] as object), solved };
  const copy = join(out, 'reference');
  writeFolderAtomic(
    copy,
    new Map([
      ['projection.safetensors', readFileSync(join(folder, 'projection.safetensors'))],
      ['state.json', new TextEncoder().encode(JSON.stringify({ ...state, training }))],
    ]),
    { baseModel: manifest.baseModel, games: manifest.games },
  );
  return copy;
}

it('resumes with its drawn games, and knows all games both phases have won', async () => {
  const bc = await train({ ...small, samples: {}, phase: 'bc', out: join(out, 'bc') });
  const won = drawnBy(bc.folder)[0]!;
  const ref = havingWon(bc.folder, [won]);
  const dpo = { ...small, phase: 'dpo', start: { ref } } as const;
  const undisturbed = await train({ ...dpo, out: join(out, 'undisturbed') });
  const drawn = drawnBy(undisturbed.folder);
  // unsolved games come first, solved ones not at all, since others are left
  expect(drawn[0]).toBe(drawnBy(bc.folder)[1]);
  expect(drawn).not.toContain(won);

  const controller = new AbortController();
  const listener = { training: () => controller.abort() };
  const stopped = train(
    { ...dpo, out: join(out, 'stopped') },
    plainHost({ signal: controller.signal, listener }),
  );
  await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
  const run = join(out, 'stopped', readdirSync(join(out, 'stopped'))[0]!);
  await resume(run);
  expect(bytesOf(run)).toBe(bytesOf(undisturbed.folder));
  expect(loadCheckpoint(resolveCheckpoint(run).folder).state['solvedBefore']).toEqual([won]);
});
