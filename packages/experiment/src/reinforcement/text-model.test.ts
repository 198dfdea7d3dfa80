/** Reinforcement of a model that reads text alone: where words tell everything it learns, elsewhere it is refused. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onFailpoint } from '@emac/files';
import type { GivenGrpoConfig, GivenPpoConfig, LewisRole } from '@emac/settings';
import { afterEach, expect, it } from 'vitest';
import { resume } from '../methods.ts';
import { trainGrpo } from '../grpo/train-grpo.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { contentOf } from './run-content.test.support.ts';
import { stoppedAndGoneOn } from './stopped-run.test.support.ts';
import { trainPpo } from './train-ppo.ts';

const folder = temporaryFolder();
const path = fileURLToPath(new URL('../../../backbone/fixtures/text/llama', import.meta.url));
afterEach(() => onFailpoint(null));

const ppo = (env: string, out: string) =>
  ({
    env,
    policy: path,
    play: { environments: 1, environmentSteps: 4, stepsPerUpdate: 2 },
    optimization: { passes: 1, minibatchSize: 2, valueInitSteps: 0, targetKl: null },
    trained: { rank: 2 },
    value: { hiddenWidths: [4] },
    speech: { maxLength: 6, maxPromptTokens: 400 },
    evaluation: { episodes: 0 },
    checkpointEvery: 1,
    out: join(folder, out),
  }) as const satisfies GivenPpoConfig;

type GivenGroups = Omit<GivenGrpoConfig, 'role'> & { readonly role?: LewisRole };

const grpo = (changes: GivenGroups, out: string): GivenGroups & { readonly out: string } => ({
  policy: path,
  play: { updates: 2, promptsPerUpdate: 1, groupSize: 2, ...(changes.env && { maxSteps: 2 }) },
  trained: { rank: 2 },
  speech: { maxPromptTokens: 400 },
  evaluation: { episodes: 0 },
  checkpointEvery: 1,
  ...changes,
  out: join(folder, out),
});

it('PPO in a card game reads its words, and resumes to the same bytes', async () => {
  const env = 'gym_cards/NumberLine-v0';
  const whole = await trainPpo(ppo(env, 'cards'));
  const resumed = await stoppedAndGoneOn(ppo(env, 'cards-stopped'), 1);
  expect(contentOf(resumed)).toEqual(contentOf(whole.folder));
});

it('GRPO and GiGPO in ALFWorld learn an adapter, and resume to the same bytes', async () => {
  for (const advantages of ['group', 'steps'] as const) {
    const losses = { maxLength: 6, advantages };
    const given = (out: string) => grpo({ env: 'alfworld', losses }, `${advantages}-${out}`);
    const whole = await trainGrpo(given('whole'));
    expect(readFileSync(join(whole.folder, 'metrics.jsonl'), 'utf8').trim().split('\n')).toHaveLength(2);
    onFailpoint((name) => {
      if (name === 'updating') throw new Error('killed');
    });
    const { out } = given('killed');
    await expect(trainGrpo(given('killed'))).rejects.toThrow('killed');
    onFailpoint(null);
    const killed = join(out, readdirSync(out)[0]!);
    await resume(killed);
    expect(contentOf(killed)).toEqual(contentOf(whole.folder));
  }
});

it.each([
  ['MiniGrid-Empty-5x5-v0', /its picture says more than its text/],
  ['lewis/listener', /lewis\/listener: needs a policy that reads pictures/],
  ['tabletop/spatial/0', /tabletop\/spatial\/0: shows pictures, but .* is a LLaMA model/],
] as const)('PPO in %s is refused before there is a run', async (env, message) => {
  await expect(trainPpo(ppo(env, 'refused'))).rejects.toThrow(message);
  expect(existsSync(join(folder, 'refused'))).toBe(false);
});

it.each(['speaker', 'listener'] as const)('GRPO of a %s is refused before there is a run', async (role) => {
  await expect(trainGrpo(grpo({ role, losses: { maxLength: 6 } }, 'refused'))).rejects.toThrow(
    /lewis: shows pictures, but .* reads text alone/,
  );
  expect(existsSync(join(folder, 'refused'))).toBe(false);
});
