import { expect, it } from 'vitest';
import { grpoConfig, type GivenGrpoConfig } from './grpo-config.ts';

const found = { trained: { parts: 'projection' }, play: { updates: 40, maxSteps: 30 }, losses: { beta: 0 } };
const general = { trained: { parts: 'lora' }, play: { updates: 60, maxSteps: null }, losses: { beta: 0.02 } };

it.each<[string, GivenGrpoConfig, object]>([
  ['the shipped model in ALFWorld', { env: 'alfworld' }, found],
  ['it by its name', { env: 'alfworld', policy: 'emma-tiny' }, found],
  ['another model', { env: 'alfworld', policy: 'models/other' }, general],
  ['its projection', { env: 'alfworld', trained: { parts: 'projection' } }, found],
  ['an adapter', { env: 'alfworld', trained: { rank: 2 } }, general],
  ['a run to start from', { env: 'alfworld', init: 'runs/bc' }, general],
  ['another environment', { env: 'gym_cards/NumberLine-v0' }, general],
  ['a file of one’s own', { env: './mine.mjs' }, general],
])('settings found for games are those of the shipped model alone: %s', (_name, given, expected) => {
  expect(grpoConfig(given)).toMatchObject(expected);
});

it('a given setting wins over the found one, and epochs over its updates', () => {
  const given = { env: 'alfworld', play: { epochs: 2, maxSteps: 50 }, losses: { beta: 0.1 } };
  expect(grpoConfig(given)).toMatchObject({
    play: { epochs: 2, updates: null, maxSteps: 50, promptsPerUpdate: 16 },
    losses: { beta: 0.1 },
  });
});
