/** An environment with tools, in which a chat model of random weights learns to call one. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onFailpoint } from '@emac/files';
import type { InlineEnvironment } from '@emac/opening';
import { isLong } from '@emac/testing';
import { afterEach, expect, it } from 'vitest';
import { contentOf } from '../reinforcement/run-content.test.support.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import type { Learning } from './asked-learning.ts';
import { learn } from './learn.ts';

const folder = temporaryFolder();
afterEach(() => onFailpoint(null));

/** The second button pays; to wait does not. */
const buttons: InlineEnvironment = {
  name: 'buttons',
  tasks: { training: ['a', 'b'], heldOut: ['c', 'd'] },
  maxSteps: 2,
  begin: () => ({ observation: 'Press the second button.' }),
  tools: {
    wait: { description: 'Waits.', parameters: { type: 'object' }, run: () => 'Nothing happens.' },
    press: {
      description: 'Presses a button.',
      parameters: { type: 'object', properties: { button: { enum: [1, 2] } }, required: ['button'] },
      run: ({ button }: { button: number }) => ({
        observation: 'It clicks.',
        reward: button === 2 ? 1 : 0,
        done: true,
      }),
    },
  },
  expert: (task) => ({ name: 'press', arguments: { button: bestOf(task) } }),
};

function bestOf(task: string): number {
  return task.startsWith('wrong') ? 1 : 2;
}

const imitating: Learning = {
  environment: buttons,
  policy: fileURLToPath(new URL('../../../backbone/fixtures/text/llama', import.meta.url)),
  method: 'bc',
  settings: {
    play: { rounds: 4, gamesPerRound: 2 },
    speech: { maxPromptTokens: 384, maxLength: 64 },
    optimization: { learningRate: 0.03, updatesPerEpisode: 20 },
    trained: { parts: 'lora', rank: 8 },
    evaluation: { episodes: 2 },
  },
  folder: join(folder, 'whole'),
};

it('is learned by imitation, from no call to the best one, and a killed run ends in the same bytes', async () => {
  const whole = await learn(imitating);
  expect(whole.before!.success).toBe(0);
  expect(whole.after!.success).toBe(1);
  const call: Learning = { ...imitating, folder: join(folder, 'stopped') };
  let updates = 0;
  onFailpoint((at) => {
    if (at === 'updating' && ++updates === 30) throw new Error('killed');
  });
  await expect(learn(call)).rejects.toThrow('killed');
  onFailpoint(null);
  const resumed = await learn(call);
  expect(contentOf(resumed.folder)).toEqual(contentOf(whole.folder));
});

it('is refused where answers have no room for a call, and where they have none for the expert’s', async () => {
  const within = (maxLength: number) => {
    const settings = { ...imitating.settings, speech: { maxPromptTokens: 384, maxLength } };
    return learn({ ...imitating, settings, folder: join(folder, `within ${maxLength}`) } as Learning);
  };
  await expect(within(8)).rejects.toThrow(
    /^--max-new-tokens: the shortest call in inline\/buttons has (\d+) tokens \({"name":"wait","arguments":{}}\), got 8; give at least \1$/,
  );
  const fault = await within(35).catch((thrown: unknown) => thrown);
  expect(String(fault)).toMatch(/--max-new-tokens: the expert’s call in inline\/buttons has/);
});

// sampled play rose from 0.22 to 0.72 and from 0.31 to 0.66 in seeds 0 and 1
it.runIf(isLong)(
  'is learned by reward alone from a player that presses the wrong button more often',
  async () => {
    const taught: Learning = {
      ...imitating,
      environment: { ...buttons, tasks: { training: ['wrong a', 'wrong b', 'c'], heldOut: ['d', 'e'] } },
      settings: { ...imitating.settings, play: { rounds: 5, gamesPerRound: 3 } },
      folder: join(folder, 'mixed'),
    };
    const mixed = await learn(taught);
    expect(mixed.after!.success).toBe(0);
    const rewarded = await learn({
      environment: buttons,
      policy: mixed.folder,
      method: 'gigpo',
      settings: {
        play: { updates: 16, promptsPerUpdate: 2, groupSize: 16, maxSteps: 2, temperature: 0.6 },
        speech: { maxPromptTokens: 384 },
        optimization: { learningRate: 0.003 },
        losses: { beta: 0, maxLength: 64 },
        evaluation: { episodes: 2 },
      },
      folder: join(folder, 'rewarded'),
    });
    expect(rewarded.before!.success).toBe(0);
    expect(rewarded.after!.success).toBe(1);
  },
);
