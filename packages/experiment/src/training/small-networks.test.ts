/** Small networks learn from labels: started, stopped, resumed, evaluated, compared with a reference, and refused. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onFailpoint, writeFolderAtomic } from '@emac/files';
import { loadEnvironmentModule, plainHost, type GivenEnvironment, type Host } from '@emac/opening';
import type { GivenTrainConfig } from '@emac/settings';
import { loadCheckpoint, resolveCheckpoint } from '@emac/runs';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { resume } from '../methods.ts';
import { evaluatedSteps } from '../evaluation/evaluated-steps.test.support.ts';
import { ppoConfig } from '../reinforcement/given-config.ts';
import { doors } from '../networks/doors.test.support.ts';
import { contentOf } from '../reinforcement/run-content.test.support.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { train } from './train.ts';

const folder = temporaryFolder();
const env = join(folder, 'doors.mjs');

let environment: GivenEnvironment;
beforeAll(async () => {
  writeFileSync(env, doors);
  environment = await loadEnvironmentModule(env);
});
afterEach(() => onFailpoint(null));

const short = {
  phase: 'bc',
  env,
  policy: 'mlp',
  play: { rounds: 6, episodesPerUpdate: 2 },
  evaluation: { episodes: 4 },
} as const satisfies GivenTrainConfig;

async function stoppedAt(
  step: number,
  given: GivenTrainConfig,
  code: Pick<Host, 'environment'>,
): Promise<string> {
  const stop = new AbortController();
  let steps = 0;
  onFailpoint((name) => {
    if (name === 'updating' && ++steps === step) stop.abort();
  });
  const host = { ...plainHost({ signal: stop.signal }), ...code };
  await expect(train(given, host)).rejects.toMatchObject({ code: 'interrupted' });
  onFailpoint(null);
  return join(given.out!, readdirSync(given.out!)[0]!);
}

/** File by file, so that a difference is named and not printed. */
function expectSame(run: string, other: string): void {
  const [own, others] = [contentOf(run), contentOf(other)];
  expect([...own.keys()]).toEqual([...others.keys()]);
  expect([...own].filter(([name, bytes]) => others.get(name) !== bytes).map(([name]) => name)).toEqual([]);
}

describe('behaviour cloning of a small network', () => {
  it.each([
    ['mlp', {}],
    // on a black picture it says left from the start: half of all seeds win already
    ['cnn', { seed: 2, optimization: { learningRate: 1e-3 } }],
  ] as const)('learns the expert’s actions from what %s reads', async (path, changes) => {
    const given = { ...short, ...changes, policy: path, out: join(folder, path) };
    const { before, after } = await train(given, { ...plainHost(), environment });
    expect(before!.success).toBeLessThan(1);
    expect(after).toMatchObject({ success: 1, mean_steps: 2 });
  });

  it('resumes after a stop to the same bytes, and is evaluated by its run', async () => {
    const whole = await train({ ...short, out: join(folder, 'whole') }, { ...plainHost(), environment });
    const run = await stoppedAt(9, { ...short, out: join(folder, 'stopped') }, { environment });
    await resume(run, { ...plainHost(), environment });
    expectSame(run, whole.folder);

    const asked = { env, ckpt: whole.folder, numGames: 4 };
    const { result } = await evaluatedSteps(asked, { ...plainHost(), environment });
    expect(result).toMatchObject({ success: 1, mean_steps: 2 });

    // checkpoints held a whole configuration of PPO before they held what a network needs
    const { folder: made, name } = resolveCheckpoint(whole.folder);
    const { state, manifest } = loadCheckpoint(made);
    const { env: id, play } = state['environment'] as { env: string; play: { maxSteps: number } };
    expect(state['environment']).toEqual({ env: id, policy: 'mlp', play });
    const { preset, speech, value, model, ...rest } = ppoConfig({ env: id, policy: 'mlp' });
    const form = { env: id, policy: 'mlp', preset, play: { ...rest.play, ...play }, speech, value, model };
    const files = new Map(Object.keys(manifest.files).map((file) => [file, readFileSync(join(made, file))]));
    files.set('state.json', Buffer.from(JSON.stringify({ ...state, environment: form })));
    const { baseModel, games } = manifest;
    const old = join(folder, 'old', name);
    mkdirSync(join(folder, 'old'));
    writeFolderAtomic(old, files, { baseModel, games });
    const again = await evaluatedSteps({ ...asked, ckpt: old }, { ...plainHost(), environment });
    expect(again.result.games).toEqual(result.games);

    // a renamed action would take another's output
    mkdirSync(join(folder, 'renamed'));
    const other = join(folder, 'renamed', 'doors.mjs');
    writeFileSync(other, doors.replaceAll("'right'", "'east'"));
    const renamed = { ...plainHost(), environment: await loadEnvironmentModule(other) };
    await expect(evaluatedSteps(asked, renamed)).rejects.toThrow(
      /: its network chooses among left, right; \S*doors\.mjs now lists east, left; give the same actions, or train a new network$/,
    );
  });

  it('from a file is named in checkpoints as typed, also after a resume', async () => {
    const exported = new URL('../../../small-networks/fixtures/actor.onnx', import.meta.url);
    const policy = relative('.', fileURLToPath(exported));
    const play = { rounds: 2, gamesPerRound: 2, episodesPerUpdate: 1, maxSteps: 6 };
    const given = { ...short, env: 'gym_cards/NumberLine-v0', policy, play, evaluation: { episodes: 0 } };
    const whole = await train({ ...given, out: join(folder, 'file') });
    const run = await stoppedAt(3, { ...given, out: join(folder, 'file-stopped') }, {});
    await resume(run);
    expectSame(run, whole.folder);
  });
});

describe('Muon', () => {
  it('trains a small network, and resumes to the same bytes', async () => {
    const host = { ...plainHost(), environment };
    const given = { ...short, optimization: { optimizer: 'muon' } } as const satisfies GivenTrainConfig;
    const whole = await train({ ...given, out: join(folder, 'muon') }, host);
    expect(whole.after).toMatchObject({ success: 1, mean_steps: 2 });
    const { optimizer } = loadCheckpoint(resolveCheckpoint(whole.folder).folder);
    expect([...optimizer!.keys()].some((name) => name.endsWith('.momentum'))).toBe(true);
    const run = await stoppedAt(7, { ...given, out: join(folder, 'muon-stopped') }, { environment });
    await resume(run, host);
    expectSame(run, whole.folder);
  });
});

describe('preferences of a small network', () => {
  it.each(['simpo', 'orpo'] as const)(
    'are learned by %s from a random start, without a reference',
    async (phase) => {
      const host = { ...plainHost(), environment };
      const given = { ...short, phase } as const satisfies GivenTrainConfig;
      const whole = await train({ ...given, out: join(folder, phase) }, host);
      expect(whole.after).toMatchObject({ success: 1, mean_steps: 2 });
      expect(readdirSync(whole.folder)).not.toContain('reference');
      const run = await stoppedAt(7, { ...given, out: join(folder, `${phase}-stopped`) }, { environment });
      await resume(run, host);
      expectSame(run, whole.folder);
      const referred = { ...given, start: { ref: whole.folder }, out: join(folder, 'referred') };
      await expect(train(referred, host)).rejects.toThrow(
        `--ref: is for methods that judge by a reference policy, such as dpo, got --method ${phase}; leave it out`,
      );
    },
  );

  it('are learned by kto, which mends what imitation left', async () => {
    const host = { ...plainHost(), environment };
    const play = { rounds: 1, gamesPerRound: 1 };
    const cloned = { ...short, play, optimization: { learningRate: 1e-9 }, out: join(folder, 'scarcely') };
    const { folder: ref } = await train(cloned, host);
    const given = { ...short, phase: 'kto', start: { ref } } as const satisfies GivenTrainConfig;
    const whole = await train({ ...given, out: join(folder, 'kto') }, host);
    expect(whole.after).toMatchObject({ success: 1, mean_steps: 2 });
    const run = await stoppedAt(7, { ...given, out: join(folder, 'kto-stopped') }, { environment });
    await resume(run, host);
    expectSame(run, whole.folder);
  });

  it('mend what imitation left, and keep their reference: also when resumed without it', async () => {
    const host = { ...plainHost(), environment };
    // hardly learned: as at its random start
    const play = { rounds: 1, gamesPerRound: 1 };
    const optimization = { learningRate: 1e-9 };
    const cloned = await train({ ...short, play, optimization, out: join(folder, 'hardly') }, host);
    expect(cloned.after!.success).toBeLessThan(1);
    const ref = cloned.folder;
    const given = { ...short, phase: 'dpo', start: { ref } } as const satisfies GivenTrainConfig;
    const whole = await train({ ...given, out: join(folder, 'preferred') }, host);
    expect(whole.before).toMatchObject({ success: cloned.after!.success });
    expect(whole.after).toMatchObject({ success: 1, mean_steps: 2 });

    // the tasks of both phases
    const { games } = loadCheckpoint(resolveCheckpoint(whole.folder).folder).manifest;
    expect(games).toEqual(['-1 -1 a', '-1 1 a', '1 -1 a', '1 1 a']);
    const elsewhere = { ...given, env: 'MiniGrid-Empty-5x5-v0', out: join(folder, 'elsewhere') };
    await expect(train(elsewhere)).rejects.toThrow(
      `--ref ${ref}: was trained in ./doors.mjs, got --env MiniGrid-Empty-5x5-v0; give --env ./doors.mjs`,
    );
    const aModel = { ...given, policy: 'rl-tiny', out: join(folder, 'elsewhere') };
    await expect(train(aModel, host)).rejects.toThrow(
      /is a small network \(mlp: .*; training goes on from it without --model/,
    );
    const another = { ...short, env: 'MiniGrid-Empty-5x5-v0', init: ref };
    await expect(train({ ...another, out: join(folder, 'elsewhere') })).rejects.toThrow(
      /is another network \(mlp: 1, .*\) than --policy mlp in MiniGrid-Empty-5x5-v0 \(mlp: .*\): .*; give the --policy and --env of its run$/,
    );
    const ofModel = { ...short, init: 'emma-tiny', out: join(folder, 'elsewhere') };
    await expect(train(ofModel, host)).rejects.toThrow(
      'emma-tiny: is a language model, but --policy mlp starts from a run with a small network; give such a run, or leave it out',
    );

    const run = await stoppedAt(7, { ...given, out: join(folder, 'preferred-stopped') }, { environment });
    renameSync(ref, `${ref}-moved`);
    expect(existsSync(ref)).toBe(false);
    await resume(run, host);
    expectSame(run, whole.folder);
  });
});

describe('a small network that learns from labels', () => {
  it.each([
    [{ env: 'alfworld' }, '--policy mlp: reads arrays or numbers its actions, but actions of alfworld are'],
    [{ init: 'model' }, '--init model: is for language models'],
    [{ dataset: { data: 'some.json' }, play: {} }, '--data: is for language models, got --policy mlp'],
  ] as const)('is refused with %j', async (changes, sentence) => {
    const out = join(folder, 'refused');
    const given = { ...short, ...changes, out } as GivenTrainConfig;
    await expect(train(given, { ...plainHost(), environment })).rejects.toThrow(sentence);
    expect(existsSync(out)).toBe(false);
  });
});
