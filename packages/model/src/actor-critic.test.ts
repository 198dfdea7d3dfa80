import { rmSync } from 'node:fs';
import { parametersOf, Random, type ActorCriticRow, type Question } from '@emac/core';
import { clippedPolicyLoss, valueLossOf } from '@emac/losses';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { actorCritic } from './actor-critic.ts';
import { adaptedCritic } from './adapted-critic.ts';
import { critic } from './critic.ts';
import {
  largestDifference,
  randomAdapter,
  randomProjection,
  randomPrompt,
  sizes,
  writeRandomModel,
} from './random-model.test.support.ts';
import { createStudent, type Student } from './student.ts';
import { createValueHead, type ValueHead } from './value-head.ts';

const folder = writeRandomModel();
afterAll(() => rmSync(folder, { recursive: true }));

const sampling = { kind: 'sample', temperature: 0.8, topP: 1 } as const;
const questions: Question[] = ['abc >', 'ab > kiln 1 >', 'abc >'].map((text, place) => ({
  prompt: randomPrompt(text, place === 1 ? 'b' : 'a'),
  allowed: null,
  random: Random.fromSeed(place),
}));
const losses = {
  policy: clippedPolicyLoss({
    credit: 'token',
    clip: { low: 0.2, high: 0.2 },
    entropyCoefficient: 0.05,
  }),
  value: valueLossOf({ clip: 0.5 }),
};

describe('a language model as an actor with a critic', () => {
  let student: Student;
  let head: ValueHead;
  beforeAll(async () => {
    const projection = await randomProjection();
    const generation = { minLength: 1, maxLength: 5 };
    student = await createStudent({ model: folder, projection, generation, threads: 1 });
    const parameters = Random.fromSeed('head');
    head = await createValueHead({ inputWidth: sizes.width, hiddenWidths: [6], parameters }, { threads: 1 });
  });
  afterAll(() => Promise.all([student.dispose(), head.dispose()]));

  const opened = (learns: 'head' | 'policy') =>
    actorCritic({ policy: student, critic: critic({ policy: student, head, learns }) });

  /** Its own answers, with a step of each sign; the last answer named no action. */
  async function acted(): Promise<ActorCriticRow[]> {
    const { answers, values } = await opened('head').act(questions, sampling);
    return answers.map((answer, place) => ({
      prompt: questions[place]!.prompt,
      answers: [answer.tokens],
      temperature: sampling.temperature,
      weight: [0.25, 0.125, 0][place]!,
      valueWeight: 0.5,
      constants: {
        advantage: [1.5, -1, 3][place]!,
        sampledLogProbability: answer.logProbabilities,
        sampledValue: values[place]!,
        return: [1, -0.5, 0.25][place]!,
      },
    }));
  }

  it('scores its own answers with the same log-probabilities, token by token: ratios of 1', async () => {
    const rows = await acted();
    const { logProbabilities, values } = await opened('head').gradient(rows, losses);
    for (const [place, row] of rows.slice(0, 2).entries())
      expect(
        largestDifference(
          logProbabilities[place]!,
          row.constants!['sampledLogProbability'] as readonly number[],
        ),
      ).toBeLessThan(1e-4);
    expect(logProbabilities[2]).toEqual([]);
    expect(largestDifference(values, await opened('head').values(rows.map(({ prompt }) => prompt)))).toBe(0);
  });

  it('adds the gradients of policy and critic, each in the parameters it reaches', async () => {
    const rows = await acted();
    const whole = await opened('policy').gradient(rows, losses);
    const alone = await student.gradient(rows.slice(0, 2), losses.policy);
    const values = await opened('policy').gradient(rows, { ...losses, policy: null });
    expect(whole.policyLoss).toBeCloseTo(alone.loss, 6);
    expect(whole.valueLoss).toBe(values.valueLoss);
    expect([...whole.gradients.keys()].sort()).toEqual(
      [...parametersOf(student).keys(), ...head.group.parameters.keys()].sort(),
    );
    for (const [name, slopes] of whole.gradients) {
      const [one, other] = [alone.gradients.get(name), values.gradients.get(name)!];
      const sum = other.map((slope, place) => slope + (one?.[place] ?? 0));
      expect(largestDifference(slopes, sum)).toBeLessThan(1e-5);
    }
    // with `head` the critic's gradient ends at the head
    const ended = await opened('head').gradient(rows, { ...losses, policy: null });
    expect([...ended.gradients.keys()]).toEqual([...head.group.parameters.keys()]);
  });

  it('has a term of the value loss before each token if its constants are lists', async () => {
    const rows = await acted();
    const said = rows.map((row) => row.answers[0] as readonly number[]);
    const tokens = said.map(({ length }) => length);
    const before = await opened('head').values(
      rows.map(({ prompt }) => prompt),
      said,
    );
    let next = 0;
    const valued = rows.map((row, place) => {
      const sampledValue = before.slice(next, (next += tokens[place]!));
      const returns = Array.from(sampledValue, (value, token) => value + 0.1 * (token + 1));
      return { ...row, constants: { ...row.constants, sampledValue, return: returns } };
    });
    const { values, valueLoss, logProbabilities } = await opened('head').gradient(valued, losses);
    expect(largestDifference(values, before)).toBe(0);
    // ½ Σ ½ (0.1 · k)² over the tokens k of each answer
    const expected = tokens.flatMap((count) =>
      Array.from({ length: count }, (_, k) => 0.25 * (0.1 * (k + 1)) ** 2),
    );
    expect(valueLoss).toBeCloseTo(
      expected.reduce((sum, term) => sum + term, 0),
      5,
    );
    expect(logProbabilities.map(({ length }) => length)).toEqual([...tokens.slice(0, 2), 0]);
  });

  it('ignores answers that named no action, except in the value loss', async () => {
    const rows = (await acted()).map((row) => ({ ...row, weight: 0 }));
    const { policyLoss, gradients } = await opened('head').gradient(rows, losses);
    expect(policyLoss).toBe(0);
    for (const name of parametersOf(student).keys())
      expect(gradients.get(name)!.every((slope) => slope === 0)).toBe(true);
    const slopes = [...head.group.parameters.keys()].flatMap((name) => [...gradients.get(name)!]);
    expect(slopes.some((slope) => slope !== 0)).toBe(true);
  });

  it.each([
    { learns: 'head', isApart: true },
    { learns: 'adapter', isApart: true },
    { learns: 'policy', isApart: false },
  ] as const)(
    'keeps the value loss out of the policy gradient unless the critic trains the policy: $learns',
    async ({ learns, isApart }) => {
      const rows = await acted();
      const { actor, policy } = await adapted(learns);
      const slopesAt = async (valueWeight: number) => {
        const { gradients } = await actor.gradient(
          rows.map((row) => ({ ...row, valueWeight })),
          losses,
        );
        return [...parametersOf(policy).keys()].map((name) => [...gradients.get(name)!]);
      };
      const [weak, strong] = [await slopesAt(0.5), await slopesAt(50)];
      if (isApart) expect(strong).toEqual(weak);
      else expect(strong).not.toEqual(weak);
      const own = actor.groups.value.flatMap(({ parameters }) => [...parameters.keys()]);
      // during value warm-up only a critic that learns through the policy has gradients of it
      const { gradients } = await actor.gradient(rows, { ...losses, policy: null });
      expect([...gradients.keys()].every((name) => own.includes(name))).toBe(isApart);
      expect(own.every((name) => gradients.get(name)!.length > 0)).toBe(true);
    },
  );

  /** A policy that trains an adapter, and a critic of it. */
  async function adapted(learns: 'head' | 'policy' | 'adapter') {
    const policy = await createStudent({
      model: folder,
      projection: await randomProjection(),
      generation: { minLength: 1, maxLength: 5 },
      threads: 1,
      adapter: randomAdapter(folder),
      train: ['adapter'],
    });
    onTestFinished(() => policy.dispose());
    const values =
      learns === 'adapter'
        ? adaptedCritic({ learner: policy.beside(randomAdapter(folder)), head })
        : critic({ policy, head, learns });
    return { policy, actor: actorCritic({ policy, critic: values }) };
  }
});
