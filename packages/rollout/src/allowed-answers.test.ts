/** A policy restricted to the commands its environment accepts. */
import type { Environment } from '@emac/core';
import { commands, fetching } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { rollout } from './rollout.ts';
import { answering, attemptsAt, setup } from './setups.test.support.ts';

const answers = commands.map((command) => ` ${command}`);

/** Says the last allowed answer, or else something no environment accepts. */
const obedient = () => answering((_text, { allowed }) => allowed?.at(-1) ?? 'dance');

/** An environment that does not list accepted commands. */
function silent(environment: Environment): Environment {
  return {
    ...environment,
    begin: async (...asked) => {
      const episode = await environment.begin(...asked);
      return { ...episode, first: { ...episode.first, admissible: null } };
    },
  };
}

describe('admissible commands only', () => {
  it('gives the policy the accepted commands at each step', async () => {
    const { policy, batches } = obedient();
    const parts = { policy, maxSteps: 2 };
    const [kept] = await rollout(setup({ ...parts, admissibleOnly: true }), attemptsAt(['fetch/a']));
    expect(batches.flat().map(({ allowed }) => allowed)).toEqual([answers, answers]);
    expect(kept!.steps.map(({ action }) => action)).toEqual([commands.at(-1), commands.at(-1)]);
    const [free] = await rollout(setup(parts), attemptsAt(['fetch/a']));
    expect(
      batches
        .slice(2)
        .flat()
        .map(({ allowed }) => allowed),
    ).toEqual([null, null]);
    expect(free!.steps[0]!.action).toBe('dance');
  });

  it('is refused in an environment that does not list accepted commands', async () => {
    const parts = setup({ environment: silent(fetching()), admissibleOnly: true });
    await expect(rollout(parts, attemptsAt(['fetch/a']))).rejects.toMatchObject({ code: 'unavailable' });
  });
});
