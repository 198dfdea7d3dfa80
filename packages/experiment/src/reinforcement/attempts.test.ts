/** Several attempts at each held-out episode. */
import { describe, expect, it } from 'vitest';
import { evaluatedSteps } from '../evaluation/evaluated-steps.test.support.ts';

const grid = {
  env: 'MiniGrid-Empty-Random-5x5-v0',
  ckpt: 'untouched',
  model: { path: 'mlp' },
  temperature: 1,
  seed: 3,
};
const id = ({ id }: { readonly id: string }): string => id;

describe('attempts at held-out episodes', () => {
  it('begin alike, answer differently, and begin with a single evaluation’s', async () => {
    const once = (await evaluatedSteps({ ...grid, numGames: 5 })).result;
    const { result } = await evaluatedSteps({ ...grid, numGames: 5, attempts: 3 });
    expect(result.games.map(id)).toEqual(once.games.flatMap((game) => [id(game), id(game), id(game)]));
    expect(result.games.map(({ attempt }) => attempt)).toEqual(once.games.flatMap(() => [1, 2, 3]));
    const first = result.games.filter(({ attempt }) => attempt === 1);
    expect(first).toEqual(once.games.map((game) => ({ ...game, attempt: 1 })));
    expect(new Set(result.games.map(({ steps }) => steps)).size).toBeGreaterThan(1);
    expect(result.mean_return).toBeCloseTo(result.games.reduce((sum, game) => sum + game.return, 0) / 15, 12);
    // two attempts of one game are no two games: the error is that of five means
    const means = once.games.map((_, start) =>
      result.games.slice(3 * start, 3 * start + 3).reduce((sum, game) => sum + game.return / 3, 0),
    );
    const squares = means.reduce((sum, mean) => sum + (mean - result.mean_return) ** 2, 0);
    expect(result.standard_error).toBeCloseTo(Math.sqrt(squares / 4 / 5), 12);
    const won = once.games.map((_, start) =>
      result.games.slice(3 * start, 3 * start + 3).some((game) => game.won),
    );
    expect(result.pass_at!.at(-1)).toMatchObject({ k: 3, rate: won.filter(Boolean).length / 5 });
  });

  it('need sampled answers', async () => {
    await expect(evaluatedSteps({ ...grid, temperature: 0, numGames: 5, attempts: 2 })).rejects.toThrow(
      '--attempts 2: a search answers every attempt alike; give --temperature above 0',
    );
  });
});
