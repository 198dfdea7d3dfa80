import { expect, it } from 'vitest';
import { playWords } from './play-words.ts';

const board = 'http://127.0.0.1:8080/run/one';
const run = { path: 'runs/one', environment: null, board };

it('names an environment that is code, which runs only if a command names it', () => {
  const words = (environment: string | null) => playWords({ ...run, environment });
  expect(words('gym_cards/Blackjack')).toBe(`npx emac serve --page --ckpt runs/one --board ${board}`);
  for (const code of ['./mine.mjs', '../games', '/home/a/mine.ts', '@a/games', 'agent:./mine.mjs'])
    expect(words(code), code).toBe(`npx emac serve --page --ckpt runs/one --env ${code} --board ${board}`);
  expect(words('mcp:node it.js')).toContain(" --env 'mcp:node it.js' --board ");
});

it('is absent where nothing can open the environment', () => {
  for (const environment of ['inline/mine', 'remote/CartPole-v1'])
    expect(playWords({ ...run, environment })).toBeNull();
});

it('quotes names for a shell', () => {
  // browsers leave ' ( ) in addresses as they are
  expect(playWords({ path: "runs/it's (1)", environment: null, board: `${board}'s%20(1)` })).toBe(
    `npx emac serve --page --ckpt 'runs/it'\\''s (1)' --board '${board}'\\''s%20(1)'`,
  );
});
