/** Held-out tasks are the same, by number, for every method, before and after training and in `emac eval`. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { EvaluationResult } from '@emac/rollout';
import { beforeAll, describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';
import { runsIn } from '../../golden/recorded.test.fixture.ts';

const folder = temporaryFolder();
const walk = resolve(import.meta.dirname, '../../../../../examples/environments/walk.mjs');
const words = (text: string): string[] => text.split(' ');
const read = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8')) as EvaluationResult;
const idsOf = ({ games }: EvaluationResult) => games.map(({ id }) => id);

const bc = words('bc --rounds 1 --games-per-round 1 --updates-per-episode 1 --batch-size 1 --probe none');
const ppo = words('ppo --steps 8 --num-processes 2 --num-steps 4 --batch-size 8');
const grpo = words('grpo --updates 1 --prompts-per-update 1 --group-size 2');
const cells: readonly (readonly [string, string, readonly string[]])[] = [
  ...[bc, ppo, grpo].map((method) => [walk, 'mlp', method] as const),
  ...[bc, ppo, grpo].map((method) => ['gym_cards/NumberLine-v0', 'mlp', method] as const),
  ...[bc, ppo].map((method) => ['MiniGrid-Empty-5x5-v0', 'mlp', method] as const),
  ['tabletop/spatial/0', 'cnn', ppo],
  ['alfworld', 'emma-tiny', ppo],
  ['alfworld', 'emma-tiny', bc],
  ['alfworld', 'emma-tiny', grpo],
];
const expected: Readonly<Record<string, readonly string[]>> = {
  // every ninth of the list: (4 · from + to) mod 9 is 5
  [walk]: ['0 to 5', '2 to 6', '3 to 2'],
  'gym_cards/NumberLine-v0': [1, 3, 5].map((seed) => `gym_cards/NumberLine-v0/${seed}`),
  'tabletop/spatial/0': [40, 41, 42].map((state) => `tabletop/spatial/0/${state}`),
  // types in turn
  alfworld: [
    'pick_heat_then_place_in_recep-Egg-None-Fridge-K11/trial_builtin_valid_unseen_0000',
    'look_at_obj_in_light-Book-None-DeskLamp-B11/trial_builtin_valid_unseen_0001',
    'pick_two_obj_and_place-Newspaper-None-ArmChair-L12/trial_builtin_valid_unseen_0003',
  ],
  'MiniGrid-Empty-5x5-v0': [1, 3, 5].map((seed) => `MiniGrid-Empty-5x5-v0/${seed}`),
};

describe('three held-out tasks', () => {
  it.each(cells)(
    'of %s are the same before, after and in emac eval: %s by %j',
    async (env, policy, method) => {
      const out = join(folder, `${method[0]}-${env.replaceAll('/', '-').slice(-20)}`);
      const seed = ['--seed', '4'];
      const small =
        policy === 'emma-tiny' && method[0] !== 'bc' ? words('--max-new-tokens 6 --lora-rank 2') : [];
      const place = env === walk ? ['--env', env] : [];
      const training = ['train', '--method', ...method, '--env', env, '--policy', policy, ...seed];
      const { status, stderr } = await emac([
        ...training,
        ...small,
        ...words(`--eval-episodes 3${env.startsWith('tabletop') ? '' : ' --max-steps 3'}`),
        '--out',
        out,
      ]);
      expect(status, stderr).toBe(0);
      const run = runsIn(out)[0]!;
      const evaluated = join(out, 'eval/');
      const again = await emac([
        ...['eval', '--policy', run, ...place, ...words('--num-episodes 3 --seed 9')],
        '--out',
        evaluated,
      ]);
      expect(again.status, again.stderr).toBe(0);
      const results = [read(run, 'eval-before.json'), read(run, 'eval.json'), read(evaluated, 'eval.json')];
      for (const result of results) expect(idsOf(result)).toEqual(expected[env]);
      expect(results[1]).toMatchObject({
        env: env === walk ? (expect.stringMatching(/walk\.mjs$/) as string) : env,
        policy,
        seed: 4,
        tasks: 3,
      });
    },
  );
});

describe('an untrained network in an environment of eight tasks', () => {
  let result: EvaluationResult & { readonly stderr: string };
  beforeAll(async () => {
    const asked = await emac([
      'eval',
      '--env',
      walk,
      '--policy',
      'untouched',
      '--model',
      'mlp',
      '--num-episodes',
      '200',
      '--json',
      '--out',
      'none',
    ]);
    result = { ...(JSON.parse(asked.stdout) as EvaluationResult), stderr: asked.stderr };
  });

  it('is evaluated once in each, which one line says', () => {
    expect(new Set(idsOf(result)).size).toBe(8);
    expect(result).toMatchObject({ tasks: 8, policy: 'mlp', seed: 0, sampling: { kind: 'search' } });
    expect(result.games).toHaveLength(8);
    expect(result.stderr).toContain('8 held-out tasks, each evaluated once instead of 200 episodes');
  });
});
