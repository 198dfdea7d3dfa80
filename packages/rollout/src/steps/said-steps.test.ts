import { Random, vectorOf, type ActorCritic } from '@emac/core';
import { corridor } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { collectSteps, type Collection } from './collect.ts';
import { collectSaid, sayingSteps, stateOf, type SaidSteps } from './said-steps.ts';
import { arrayTexts, type StepTexts } from './step-texts.ts';
import { groupsOf } from './together.ts';

const digest = JSON.stringify;
const [environments, steps] = [5, 7];

/** Draws two numbers per answer; results depend on the batch size, as in a real network. */
const batched: Pick<ActorCritic, 'act' | 'values'> = {
  act: async (questions) => ({
    answers: questions.map(({ random }) => {
      const [first, second] = [random!.uniform(), random!.uniform()];
      const action = first < 0.7 ? 1 : 0;
      const said = { text: String(second), tokens: [action], entropies: [0.5] };
      return { ...said, logProbabilities: [Math.log(0.7) + 1e-12 * questions.length] };
    }),
    values: await batched.values(questions.map(({ prompt }) => prompt)),
  }),
  values: async (prompts) =>
    Float32Array.from(prompts, ([part]) => {
      const cell = part?.kind === 'array' ? part.values.data[0]! : NaN;
      return cell + prompts.length / 16;
    }),
};

/** Every third answer names no action, so a fallback is drawn after it from the same generator. */
function halting(): StepTexts {
  return {
    ...arrayTexts,
    read: (answer) => {
      const { action, ...rest } = arrayTexts.read(answer, null);
      return { ...rest, action: Number(answer.text) < 1 / 3 ? null : action };
    },
  };
}

function collection(together: number | null, places = groupsOf(environments, null)[0]!): Collection {
  const own = Array.from({ length: places.end - places.first }, (_, at) => places.first + at);
  const vector = vectorOf(
    own.map(() => corridor({ limit: 3 })),
    { seedOf: (place, episode) => 100 * own[place]! + episode },
  );
  vector.reset();
  return {
    actor: batched,
    vector,
    texts: halting(),
    sampling: { kind: 'sample', temperature: 1, topP: 1 },
    steps,
    together,
    randoms: own.map((place) => Random.fromSeed(place)),
    running: own.map(() => ({ return: 0, steps: 0 })),
  };
}

/** Collects each group by itself, its environments in the state they have in the whole collection. */
async function saidElsewhere(together: number | null): Promise<SaidSteps[]> {
  const standing = collection(together).vector.state();
  const said: SaidSteps[] = [];
  for (const group of groupsOf(environments, together)) {
    const own = collection(null, group);
    own.vector.restore(stateOf(standing, group));
    said.push(await sayingSteps(own, digest));
  }
  return said;
}

describe('steps from recorded answers', () => {
  it.each([1, 2, 5, null])(
    'equal those of one process that asks in the same groups: %s',
    async (together) => {
      const here = collection(together);
      const whole = await collectSteps(here);
      const nobody: Collection['actor'] = {
        act: () => Promise.reject(new Error()),
        values: () => Promise.reject(new Error()),
      };
      const there = collection(together);
      const again = await collectSaid({ ...there, actor: nobody }, await saidElsewhere(together), digest);
      expect(again).toEqual(whole);
      // some episodes were truncated, and some answers named no action
      expect([...whole.truncated].some(Boolean) && [...whole.finalValues].some((value) => value > 0)).toBe(
        true,
      );
      expect(whole.readings.some(({ action }) => action === null)).toBe(true);
      expect(there.vector.state()).toEqual(here.vector.state());
      expect(there.randoms.map((random) => random.state())).toEqual(
        here.randoms.map((random) => random.state()),
      );
    },
  );

  it('are refused if environments are in another state than the recording', async () => {
    const said = await saidElsewhere(2);
    const other = said.map((part, which) => (which === 1 ? { ...part, answers: said[0]!.answers } : part));
    await expect(collectSaid(collection(2), other, digest)).rejects.toMatchObject({
      code: 'check-failed',
      message: expect.stringContaining('environments 2 to 3') as string,
    });
  });
});
