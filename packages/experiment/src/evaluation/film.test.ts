import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainHost } from '@emac/opening';
import { afterAll, describe, expect, it } from 'vitest';
import { learn } from '../learning/learn.ts';

const folder = mkdtempSync(join(tmpdir(), 'film-'));
afterAll(() => rmSync(folder, { recursive: true }));

const small = {
  bc: { method: 'bc', settings: { play: { rounds: 1, gamesPerRound: 1, maxSteps: 3 }, probe: false } },
  grpo: {
    method: 'grpo',
    settings: { play: { updates: 1, promptsPerUpdate: 1, groupSize: 2, maxSteps: 3 } },
  },
  ppo: { method: 'ppo', settings: { play: { environments: 2, environmentSteps: 24, stepsPerUpdate: 4 } } },
} as const;

type Small = keyof typeof small;

async function trained(method: Small, films: boolean): Promise<string> {
  const { settings } = small[method];
  const asked = {
    method,
    environment: 'MiniGrid-Empty-5x5-v0',
    policy: 'mlp',
    folder: join(folder, `${method} ${films}`),
    settings: { ...settings, evaluation: { episodes: 2 } },
  } as Parameters<typeof learn>[0];
  return (await learn(asked, { ...plainHost(), films })).folder;
}

const metricsOf = (run: string) => readFileSync(join(run, 'metrics.jsonl'), 'utf8');

describe('the film of an evaluation', () => {
  it.each(Object.keys(small) as Small[])(
    'shows the first held-out episode of %s with its pictures, and changes no metric',
    async (method) => {
      const [run, other] = [await trained(method, true), await trained(method, false)];
      expect(metricsOf(run)).toBe(metricsOf(other));
      expect(existsSync(join(other, 'evaluated'))).toBe(false);
      const { games } = JSON.parse(readFileSync(join(run, 'eval.json'), 'utf8')) as {
        readonly games: readonly { readonly id: string; readonly steps: number; readonly won: boolean }[];
      };
      const place = join(run, 'evaluated', 'after');
      expect(readdirSync(join(place, 'episodes'))).toEqual(['000000.jsonl']);
      const lines = readFileSync(join(place, 'episodes', '000000.jsonl'), 'utf8')
        .trim()
        .split('\n');
      const [start, ...steps] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      const end = steps.pop()!;
      const [first] = games;
      expect([start!['taskId'], steps.length, end['won']]).toEqual([first!.id, first!.steps, first!.won]);
      for (const { frame } of [start!, ...steps])
        expect(existsSync(join(place, 'frames', String(frame)))).toBe(true);
      expect(existsSync(join(run, 'evaluated', 'before', 'episodes'))).toBe(true);
    },
  );
});
