import { Random, type Expert } from '@emac/core';
import { textOf } from '@emac/rollout';
import { fetchExpert, fetching, fetchTexts } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { collectProbe, type ProbeCollection } from './probe.ts';
import { beginner } from './small-runs.test.support.ts';

const random = Random.fromSeed(0);
const policy = beginner();

function collection(parts: Partial<ProbeCollection['rollout']> = {}, withRejected = true): ProbeCollection {
  return {
    rollout: {
      environment: fetching(),
      policy,
      texts: fetchTexts,
      sampling: { kind: 'search', beams: 1 },
      expert: fetchExpert(),
      maxSteps: 9,
      admissibleOnly: false,
      parallel: 1,
      ...parts,
    },
    random,
    withRejected,
  };
}

describe('collectProbe', () => {
  it("keeps the expert's labels on its own way through every task", async () => {
    const steps = await collectProbe(collection());
    expect(steps.map(({ taskId, step, prompt, label }) => [taskId, step, textOf(prompt), label])).toEqual([
      ['fetch/a', 0, 'want-a', 'go a'],
      ['fetch/a', 1, 'want-a at-a', 'take a'],
      ['fetch/b', 0, 'want-b', 'go b'],
      ['fetch/b', 1, 'want-b at-b', 'take b'],
      ['fetch/c', 0, 'want-c', 'go c'],
      ['fetch/c', 1, 'want-c at-c', 'take c'],
    ]);
    for (const { label, rejected } of steps) expect(rejected).not.toBe(label);
  });

  it("rejects the policy's answer there, or nothing if that is the label", async () => {
    let differing = 0;
    for (const { prompt, label, rejected } of await collectProbe(collection())) {
      const question = { prompt, allowed: null, random: null };
      const [answer] = await policy.decide([question], { kind: 'search', beams: 1 });
      const own = answer!.text.trim();
      expect(rejected).toBe(own === label ? null : own);
      differing += own === label ? 0 : 1;
    }
    expect(differing).toBeGreaterThan(2);
  });

  it('does not ask the policy if nothing is to be rejected', async () => {
    const asked = policy.calls.length;
    const steps = await collectProbe(collection({}, false));
    expect(steps.map(({ rejected }) => rejected)).toEqual([null, null, null, null, null, null]);
    expect(policy.calls.length).toBe(asked);
  });

  it('ends an episode if the expert has no answer', async () => {
    const silent: Expert = { label: () => Promise.resolve({ kind: 'unusable', reason: 'none' }) };
    expect(await collectProbe(collection({ expert: silent }))).toEqual([]);
    const sure = fetchExpert();
    // silent at the second step of the second task only
    const forgetful: Expert = {
      label: (request) =>
        request.task.id === 'fetch/b' && request.history.turns.length > 0
          ? silent.label(request)
          : sure.label(request),
    };
    const steps = await collectProbe(collection({ expert: forgetful }));
    expect(steps.map(({ taskId }) => taskId.at(-1))).toEqual(['a', 'a', 'b', 'c', 'c']);
  });

  it('is the same, however many episodes are under way', async () => {
    const one = await collectProbe(collection());
    expect(await collectProbe(collection({ parallel: 3 }))).toEqual(one);
  });
});
