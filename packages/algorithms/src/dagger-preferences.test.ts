/** The loop in preference training: the expert's commands against the policy's own. */
import { presetSettings } from './presets.ts';
import { textOf } from '@emac/rollout';
import { numbersOf } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import {
  beginner,
  knowing,
  ofKind,
  pairsIn,
  told,
  trainSmall,
  type SmallRun,
} from './small-runs.test.support.ts';

const asked: SmallRun = {
  phase: 'dpo',
  play: { rounds: 3 },
  optimization: { learningRate: 0.05, updatesPerEpisode: 5 },
};
const all = { selection: { keep: 'all' } } as const;

describe('dagger with preferences', () => {
  it('starts with rewards of exactly 0 and the loss that follows from them', async () => {
    const { lines } = await trainSmall(asked);
    const first = ofKind(lines, 'update')[0]!;
    expect([first['w_reward'], first['l_reward']]).toEqual([0, 0]);
    // −log σ(0) + ½ · NLL
    expect(first['loss']).toBeCloseTo(Math.log(2) + 0.5 * (first['nll'] as number), 6);
    expect(ofKind(lines, 'probe')[0]).toMatchObject({ w_reward: 0, l_reward: 0, margin: 0, update: 0 });
  });

  it('widens the margin between the expert’s commands and the policy’s, those stored and the probe’s', async () => {
    const { lines } = await trainSmall(asked);
    const last = ofKind(lines, 'update').at(-1)!;
    expect((last['w_reward'] as number) - (last['l_reward'] as number)).toBeGreaterThan(0.01);
    const [before, after] = [ofKind(lines, 'probe')[0]!, ofKind(lines, 'probe').at(-1)!];
    expect(after['margin'] as number).toBeGreaterThan(0.01);
    expect(after['loss'] as number).toBeLessThan(before['loss'] as number);
  });

  it("pairs the expert's command with the policy's own and skips steps where they agree", async () => {
    const { transitions, events } = await trainSmall({ ...asked, samples: all });
    const steps = told(events, 'step');
    const differing = steps.filter(({ own, label }) => own !== label);
    expect(differing.length).toBeGreaterThan(3);
    expect(differing.length).toBeLessThan(steps.length);
    const stored = pairsIn(transitions).map(({ chosen, rejected }) => [chosen, rejected]);
    expect(stored).toEqual(differing.map(({ own, label }) => [` ${label}`, ` ${own}`]));
  });

  it("does the same where the expert acts, with the policy's prompt", async () => {
    const expertActs = { rounds: 1, expertShare: { start: 1, decay: 1 } };
    const { transitions, policy } = await trainSmall({
      ...asked,
      play: expertActs,
      samples: all,
      optimization: { updatesPerEpisode: 0 },
    });
    expect(transitions.length).toBeGreaterThan(2);
    for (const { prompt, rejected } of pairsIn(transitions)) {
      const question = { prompt, allowed: null, random: null };
      const [said] = await policy.decide([question], { kind: 'search', beams: 1 });
      expect([textOf(prompt), rejected]).toEqual([textOf(prompt), ` ${said!.text.trim()}`]);
    }
  });

  it('asks the reference once per pair, and keeps its answer', async () => {
    const { reference, transitions, lines } = await trainSmall({ ...asked, samples: all });
    const judged = reference.calls
      .filter(({ method }) => method === 'score')
      .reduce((sum, { rows }) => sum + rows, 0);
    // of the two steps of each of three tasks the probe has those where the beginner errs; a pair has two answers
    const probed = ofKind(lines, 'probe')[0]!['pairs'] as number;
    expect(probed).toBeGreaterThan(2);
    expect(probed).toBeLessThanOrEqual(6);
    expect(judged).toBe(2 * (transitions.length + probed));
    expect(numbersOf(reference)).toEqual(numbersOf(beginner()));
  });

  it.each(['simpo', 'orpo'] as const)('asks no reference with %s, and widens the margin', async (phase) => {
    const { reference, lines } = await trainSmall({ ...asked, phase });
    expect(reference.calls.filter(({ method }) => method === 'score')).toEqual([]);
    const [before, after] = [ofKind(lines, 'probe')[0]!, ofKind(lines, 'probe').at(-1)!];
    expect(after['margin'] as number).toBeGreaterThan((before['margin'] as number) + 0.01);
    // a reward is β times the mean log-probability
    const { beta } = presetSettings('tiny', phase).preference;
    expect(before['w_reward']).toBeCloseTo(-beta * (before['nll'] as number), 6);
  });

  it('can draw a worse command for steps where both agree', async () => {
    const agreeing: SmallRun = {
      phase: 'dpo',
      policy: knowing('a', 'b', 'c'),
      play: { rounds: 1 },
      optimization: { updatesPerEpisode: 0 },
    };
    const every = { ...all, trainAfter: 'every-episode' } as const;
    const { transitions } = await trainSmall({ ...agreeing, samples: { ...every, agreed: 'random' } });
    expect(transitions).toHaveLength(6);
    for (const { chosen, rejected } of pairsIn(transitions)) expect(rejected).not.toBe(chosen);
    expect((await trainSmall({ ...agreeing, samples: every })).transitions).toEqual([]);
  });
});
