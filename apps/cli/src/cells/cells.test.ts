/**
 * Every method in every kind of environments, as it is typed: a run of seconds ends with a checkpoint and is evaluated by its name alone. The table in
 * `docs/methods-and-environments.md` is compared with what is tried here. Worlds over HTTP have their tests in `runs/remote-world.test.ts`, modules in
 * `runs/own-environment.test.ts`; stops, kills and workers of single cells stand beside what they go through.
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const words = (text: string): string[] => text.split(' ');

const environments = {
  alfworld: 'alfworld',
  'card games': 'gym_cards/NumberLine-v0',
  MiniGrid: 'MiniGrid-Empty-5x5-v0',
  tabletop: 'tabletop/spatial/0',
  Lewis: 'lewis/listener',
} as const;
type Kind = keyof typeof environments;
const kinds = Object.keys(environments) as Kind[];

const labelled = words('--rounds 1 --games-per-round 1 --max-steps 2 --updates-per-episode 1 --batch-size 1');
const rewarded = words('--max-new-tokens 12 --eval-episodes 1 --lora-rank 2');

/** The words that follow `emac train --method`. */
const typed: Readonly<Record<string, (kind: Kind) => readonly string[]>> = {
  bc: (kind) => ['bc', '--env', environments[kind], ...labelled, '--eval-episodes', '1'],
  dpo: (kind) => [
    ...['dpo', '--env', environments[kind], '--ref', runIn(`bc ${kind}`)],
    ...[...labelled, ...words('--eval-episodes 0 --train-after every-episode --agreed keep')],
  ],
  ppo: (kind) => [
    ...['ppo', '--env', environments[kind], ...rewarded],
    ...words('--num-processes 2 --num-steps 1 --steps 4 --batch-size 2 --max-steps 2'),
  ],
  grpo: (kind) => [
    ...['grpo', '--env', environments[kind], ...rewarded],
    ...words('--updates 1 --prompts-per-update 1 --group-size 2 --max-steps 2'),
  ],
};

/** Commands that make the datasets of sft. */
const datasets: Readonly<Record<string, readonly string[]>> = {
  alfworld: words('collect --phase bc --num-games 1 --max-steps 2 --beams 1'),
  'card games': words('collect --env gym_cards/NumberLine --num-samples 2'),
  MiniGrid: words('collect --env MiniGrid-Empty-5x5 --num-samples 2'),
  Lewis: words('collect --env lewis/listener --num-samples 2'),
  "a module of one's own": ['collect', '--env', join(folder, 'turns.mjs'), '--num-samples', '2'],
};

/** Which small model learns it, and an environment in which it is evaluated; null for games. */
const learners: Readonly<Record<string, readonly [policy: string, env: string | null]>> = {
  alfworld: ['emma-tiny', null],
  'card games': ['rl-tiny', environments['card games']],
  MiniGrid: ['rl-tiny', environments.MiniGrid],
  Lewis: ['lewis-tiny', environments.Lewis],
  "a module of one's own": ['emma-tiny', join(folder, 'turns.mjs')],
};

const runIn = (name: string): string => {
  const out = join(folder, name);
  return join(out, readdirSync(out)[0]!);
};

async function done(argv: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await emac(argv);
  expect(status, stderr).toBe(0);
  return stdout;
}

describe.each(kinds)('in %s', (kind) => {
  it.each(Object.keys(typed))(
    '%s trains, keeps a checkpoint, and is evaluated by the name of its run',
    async (method) => {
      const name = `${method} ${kind}`;
      await done(['train', '--method', ...typed[method]!(kind), '--out', join(folder, name)]);
      const run = runIn(name);
      expect(existsSync(join(run, 'DONE'))).toBe(true);
      expect(readFileSync(join(run, 'metrics.jsonl'), 'utf8')).toContain('"kind":"update"');
      const count = method === 'ppo' ? '--num-episodes' : '--num-games';
      const result = JSON.parse(await done(['eval', '--ckpt', run, count, '1', '--json'])) as object;
      expect(result).toBeTypeOf('object');
    },
  );
});

/** Which way is told in words, and asked for by a word. */
const turns = `
export default {
  tasks: { training: ['left 1', 'right 1'], heldOut: ['left 2', 'right 2'] },
  actions: ['left', 'right'],
  begin: (task) => ({
    observation: 'Go ' + task.split(' ')[0] + '.',
    step: (action) => ({ observation: 'Done.', reward: action === task.split(' ')[0] ? 1 : 0, done: true }),
  }),
  expert: (task) => task.split(' ')[0],
};
`;

writeFileSync(join(folder, 'turns.mjs'), turns);

describe("in a module of one's own", () => {
  const module = ['--env', join(folder, 'turns.mjs')];

  it.each(['bc', 'dpo', 'ppo', 'grpo'])('%s trains, and is evaluated with the module', async (method) => {
    const name = `${method} of mine`;
    const argv: Readonly<Record<string, () => readonly string[]>> = {
      bc: () => ['bc', ...module, ...labelled, '--eval-episodes', '1'],
      dpo: () => [
        ...['dpo', ...module, '--ref', runIn('bc of mine'), ...labelled],
        ...words('--eval-episodes 0 --train-after every-episode --agreed keep'),
      ],
      ppo: () => [
        ...['ppo', ...module, ...rewarded],
        ...words('--num-processes 2 --num-steps 1 --steps 4 --batch-size 2'),
      ],
      grpo: () => [
        ...['grpo', ...module, ...rewarded],
        ...words('--updates 1 --prompts-per-update 1 --group-size 2 --max-steps 2'),
      ],
    };
    await done(['train', '--method', ...argv[method]!(), '--out', join(folder, name)]);
    const count = method === 'ppo' ? '--num-episodes' : '--num-games';
    const result = await done(['eval', '--ckpt', runIn(name), ...module, count, '1', '--json']);
    expect(JSON.parse(result)).toMatchObject({ games: [{ seen_in_training: false }] });
  });
});

describe('a dataset', () => {
  it.each(Object.entries(datasets))('of %s is learned by sft', async (kind, argv) => {
    const data = join(folder, `data of ${kind}`);
    await done([...argv, '--out', data]);
    const out = join(folder, `sft ${kind}`);
    const [policy, env] = learners[kind]!;
    await done([
      ...['train', '--method', 'sft', '--data', data, '--policy', policy, '--out', out],
      ...words('--max-updates 1 --batch-size 1 --lora-rank 2'),
    ]);
    const run = runIn(`sft ${kind}`);
    expect(existsSync(join(run, 'DONE'))).toBe(true);
    const played = env === null ? ['--num-games', '1'] : ['--env', env, '--num-episodes', '1'];
    expect(await done(['eval', '--ckpt', run, ...played, '--json'])).toContain('"games"');
  });
});

describe('the table of the documents', () => {
  it('says of each cell that it works where one is tried here', () => {
    const page = new URL('../../../../docs/methods-and-environments.md', import.meta.url);
    const rows = readFileSync(page, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| '));
    const [, ...heads] = rows[0]!.split('|').map((cell) => cell.trim());
    const table = new Map(
      rows.slice(2).map((row) => {
        const [, name, ...cells] = row.split('|').map((cell) => cell.trim());
        return [name!, new Map(cells.map((cell, place) => [heads[place + 1], cell]))] as const;
      }),
    );
    // their own tests try them: `runs/remote-world.test.ts`, `runs/own-environment.test.ts` and above
    for (const kind of [...kinds, 'a world over HTTP', "a module of one's own"])
      for (const method of Object.keys(typed))
        expect([kind, method, table.get(kind)?.get(method)]).toEqual([kind, method, 'yes']);
    for (const kind of Object.keys(datasets)) expect(table.get(kind)?.get('sft')).toBe('yes');
  });
});
