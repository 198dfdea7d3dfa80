/**
 * Faults of public code for this method, each tested with a vision-language model. Prompts of another step, and state
 * lost on stopping, are in `language-ppo.test.ts`; separating thoughts from actions with any tokenizer is in
 * `language-texts.test.ts`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seenOf, type ActorCriticGradient, type Prompt } from '@emac/core';
import { miniGrid, offeredActions } from '@emac/minigrid';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { lossesOf, playedSteps, small } from './language-steps.test.support.ts';
import { trainPpo } from './train-ppo.ts';

const folder = temporaryFolder();
const plain = lossesOf({ entropyCoefficient: 0 });

async function played(given: typeof small, steps: number) {
  const made = await playedSteps(given, steps);
  onTestFinished(() => made.policy.dispose());
  return made;
}

const pictureOf = (prompt: Prompt) => (prompt[0]?.kind === 'image' ? prompt[0].features.key : null);
const magnitude = (gradients: ReadonlyMap<string, Float32Array>, names: (name: string) => boolean) =>
  Math.hypot(...[...gradients].filter(([name]) => names(name)).flatMap(([, slopes]) => [...slopes]));
const ofAdapter = (name: string) => name.includes('lora');

describe('a vision-language model does not have the fault that', () => {
  it('rows of a minibatch are multiplied with each other: its gradient is the sum of theirs', async () => {
    const { policy, rows } = await played(small, 2);
    const varied = rows.map((row, place) => ({
      ...row,
      constants: { ...row.constants, advantage: place - 1.5, return: place },
    }));
    const whole = await policy.actorCritic.gradient(varied, plain);
    const parts: ActorCriticGradient[] = [];
    for (const row of varied) parts.push(await policy.actorCritic.gradient([row], plain));
    for (const [name, slopes] of whole.gradients) {
      const sum = slopes.map((_, place) =>
        parts.reduce((total, { gradients }) => total + gradients.get(name)![place]!, 0),
      );
      const scale = Math.max(...slopes.map(Math.abs), 1e-3);
      slopes.forEach((slope, place) => expect(Math.abs(slope - sum[place]!) / scale).toBeLessThan(1e-3));
    }
    // ½ Σ (V − R)² with returns 0, 1, 2, 3
    const losses = [...whole.values].map((value, place) => (value - place) ** 2 / 2);
    expect(whole.valueLoss).toBeCloseTo(
      losses.reduce((sum, each) => sum + each, 0),
      3,
    );
  });

  it('entropy is never applied: without any advantage it alone moves the adapter', async () => {
    const { policy, rows } = await played(small, 1);
    const even = rows.map((row) => ({ ...row, constants: { ...row.constants, advantage: 0 } }));
    const without = await policy.actorCritic.gradient(even, plain);
    const withEntropy = await policy.actorCritic.gradient(even, lossesOf({ entropyCoefficient: 0.1 }));
    expect(magnitude(without.gradients, ofAdapter)).toBeLessThan(1e-6);
    expect(magnitude(withEntropy.gradients, ofAdapter)).toBeGreaterThan(1e-4);
  });

  it('all environments have one seed: their first pictures differ', async () => {
    const { steps } = await played(small, 1);
    expect(pictureOf(steps.prompts[0]!)).not.toBe(pictureOf(steps.prompts[1]!));
  });

  it('a limit is an end: a truncated step has the value of its last observation, under its own prompt', async () => {
    const env = 'MiniGrid-Empty-5x5-v0';
    const limited = { ...small, env, play: { ...small.play, maxSteps: 1 } };
    const { policy, steps } = await played(limited, 2);
    expect([...steps.truncated, ...steps.terminated]).toEqual([1, 1, 1, 1, 0, 0, 0, 0]);
    // there is one room and one place to start: three actions lead to three last pictures
    const level = miniGrid(env);
    const last = await Promise.all(
      offeredActions(env).map((action) => {
        level.reset(0);
        level.step(action);
        return policy.texts.prompt(seenOf(level, policy.texts));
      }),
    );
    const worth = [...(await policy.actorCritic.values(last))];
    const isNear = (one: number, other: number) => Math.abs(one - other) < 1e-5;
    for (const value of steps.finalValues) {
      expect(worth.some((each) => isNear(each, value))).toBe(true);
      // not the value of the next episode's first observation
      expect([...steps.nextValues].some((each) => isNear(each, value))).toBe(false);
    }
  });

  it('random actions get credit: answers without an action train only the critic', async () => {
    const { folder: run } = await trainPpo({
      ...small,
      env: 'MiniGrid-Empty-5x5-v0',
      play: { ...small.play, environmentSteps: 6 },
      out: join(folder, 'runs'),
    });
    const [line] = readFileSync(join(run, 'metrics.jsonl'), 'utf8').split('\n');
    expect(JSON.parse(line!)).toMatchObject({ fallback_share: 1 });
    const at = (checkpoint: string, name: string) =>
      readFileSync(join(run, 'checkpoints', checkpoint, name), 'base64');
    for (const name of ['adapter_model.safetensors', 'projection.safetensors'])
      expect(at('00000007', name)).toBe(at('00000000', name));
    expect(at('00000007', 'value_head.safetensors')).not.toBe(at('00000000', 'value_head.safetensors'));
  });
});
