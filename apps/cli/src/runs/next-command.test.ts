/** The next command printed by a run, typed as it stands: same games, same policy. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCheckpoint, readConfig, resolveCheckpoint } from '@emac/runs';
import { builtinGame } from '@emac/world';
import { expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const games = join(folder, 'games');
const small = '--rounds 1 --max-steps 3 --updates-per-episode 1 --eval-games 0 --probe none'.split(' ');

for (const index of [0, 1]) {
  const { id, file } = builtinGame('train', index);
  mkdirSync(join(games, id), { recursive: true });
  writeFileSync(join(games, id, 'game.tw-pddl'), JSON.stringify(file));
}

/** Types it, with smaller numbers; returns the run and the next command. */
async function typed(words: readonly string[]): Promise<{ run: string; next: string[] }> {
  const { status, stdout, stderr } = await emac(words);
  expect([status, stderr]).toEqual([0, expect.not.stringContaining('emac:')]);
  const [, run] = /^run: (.*)$/m.exec(stdout)!;
  const [, next] = /^next: npx emac (.*)$/m.exec(stdout)!;
  return { run: run!, next: next!.split(' ') };
}

interface Kept {
  readonly games: string;
  readonly play: { readonly admissibleOnly: boolean };
  readonly expert: { readonly thoughts: boolean };
}

it('keeps games, thoughts and admissible commands without repeating their flags', async () => {
  const allowed = ['--observe', 'both', '--admissible-only'];
  const own = ['--games', games, '--games-per-round', '2', '--imitate-thoughts', ...allowed];
  const out = ['--out', join(folder, 'runs')];
  const bc = await typed(['train', '--phase', 'bc', ...own, '--beams', '1', ...small, ...out]);
  expect(bc.next).toEqual(['train', '--phase', 'dpo', '--ref', bc.run]);
  const dpo = await typed([...bc.next, ...small, ...out]);
  const { games: kept, play, expert } = readConfig(dpo.run) as Kept;
  expect([kept, play.admissibleOnly, expert.thoughts]).toEqual([games, true, true]);
  const { state, manifest } = loadCheckpoint(resolveCheckpoint(dpo.run).folder);
  expect([...manifest.games].sort()).toEqual([0, 1].map((index) => builtinGame('train', index).id).sort());
  expect(state['policy']).toMatchObject({ admissibleOnly: true, text: { thoughts: true } });
  expect(dpo.next).toEqual(['eval', '--ckpt', dpo.run]);
  // with admissible commands only, it says nothing else
  const answers = join(folder, 'answers');
  const evaluation = [...dpo.next, '--num-games', '1', '--max-steps', '4', '--out', `${answers}/`];
  expect(await emac(evaluation)).toMatchObject({ status: 0 });
  const logs = join(answers, 'logging_results');
  const told = readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8'));
  expect(told.join('\n')).not.toContain('Nothing happens');
});

it('names the preset, which a large model cannot do without', async () => {
  const own = ['--games', games, '--games-per-round', '1', '--preset', 'small-scale', '--beams', '1'];
  const bc = await typed(['train', '--phase', 'bc', ...own, ...small, '--out', join(folder, 'preset')]);
  expect(bc.next).toEqual(['train', '--phase', 'dpo', '--ref', bc.run, '--preset', 'small-scale']);
});
