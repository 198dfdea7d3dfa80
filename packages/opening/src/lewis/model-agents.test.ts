/** A speaker and a listener over a scripted policy with probabilities worked out by hand. */
import type { Policy, Prompt, Scorer } from '@emac/core';
import { listenerQuestion, reasonedQuestion, type Listener } from '@emac/lewis';
import { describe, expect, it } from 'vitest';
import { modelListener, modelSpeaker, type ModelAgent } from './model-agents.ts';

/** Sees the first pixel, answers with `says`, and gives "yes" the log-probability −pixel, "no" −1. */
function scripted(says: (seen: number, question: string) => string): ModelAgent & { scored: string[] } {
  const scored: string[] = [];
  const readOf = (prompt: Prompt) => {
    const [image, text] = prompt;
    if (image?.kind !== 'image' || text?.kind !== 'text') throw new Error('a picture, then a text');
    return { seen: image.features.data[0]!, question: text.text };
  };
  const policy: Pick<Policy, 'encode' | 'decide'> & Pick<Scorer, 'score'> = {
    encode: async ({ data }) => ({ data: Float32Array.of(data[0]!), key: String(data[0]) }),
    decide: async (questions) =>
      questions.map(({ prompt }) => {
        const { seen, question } = readOf(prompt);
        return { text: says(seen, question), tokens: [0], logProbabilities: [0] };
      }),
    score: async (rows) =>
      rows.map(({ prompt, answers }) => {
        const { seen } = readOf(prompt);
        return answers.map((answer) => {
          scored.push(String(answer));
          return Float32Array.of(String(answer).includes('yes') ? -seen : -1, -0.5);
        });
      }),
  };
  const pictures = async (name: string) => ({ width: 1, height: 1, data: Uint8Array.of(Number(name), 0, 0) });
  return { policy: policy as ModelAgent['policy'], pictures, identity: 'scripted', atOnce: 2, scored };
}

// softmax of the two: e^−p / (e^−p + e^−1)
const probability = (pixel: number) => Math.exp(-pixel) / (Math.exp(-pixel) + Math.exp(-1));

async function yesIn(listener: Listener, pictures: readonly string[], question: string) {
  return (await listener.ask(pictures.map((picture) => ({ picture, question })))).answers;
}

describe('a listener', () => {
  it('gives the probability of yes beside no at the first token, for every candidate alone', async () => {
    const listener = modelListener(
      scripted(() => ''),
      'first',
    );
    const question = listenerQuestion('A photo of a red ball');
    const found = await yesIn(listener, ['0', '1', '3', '2'], question);
    found.forEach((value, place) => expect(value).toBeCloseTo(probability([0, 1, 3, 2][place]!), 6));
    // in another order the same
    const other = await yesIn(listener, ['3', '0', '1', '2'], question);
    expect(other).toEqual([found[2], found[0], found[1], found[3]]);
  });

  it('reads behind a token that both words begin with, as after a question that ends in a bare word', async () => {
    const { policy, ...agent } = scripted(() => '');
    const joined: typeof policy = {
      ...policy,
      score: async (rows) =>
        (await policy.score(rows)).map((answers) => answers.map((own) => Float32Array.of(-0.25, ...own))),
    };
    const listener = modelListener({ ...agent, policy: joined }, 'first');
    const found = await yesIn(listener, ['0', '3'], 'is it red');
    expect(found[0]).toBeCloseTo(probability(0), 6);
    expect(found[1]).toBeCloseTo(probability(3), 6);
  });

  it('refuses a model that encodes both words alike', async () => {
    const agent = scripted(() => '');
    const listener = modelListener(agent, 'first');
    await expect(yesIn(listener, ['1'], '')).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('different tokens for "yes" and "no"') as string,
    });
  });

  it('after reasons reads the verdict, and takes an answer without one for no', async () => {
    const asked: string[] = [];
    const agent = scripted((seen, question) => {
      asked.push(question);
      return seen === 2 ? 'It is a ball.' : '```json\n{"Reasoning": "seen", "Answer": "no"}\n```';
    });
    const question = listenerQuestion('A photo of a red ball');
    const found = await yesIn(modelListener(agent, 'reasons'), ['0', '2', '1'], question);
    expect(asked[0]).toBe(reasonedQuestion(question));
    // both tokens of the scripted answer count, and the second is the same
    expect(found[0]).toBeCloseTo(probability(0), 6);
    expect(found[1]).toBe(0);
    expect(found[2]).toBeCloseTo(probability(1), 6);
    expect(agent.scored[0]).toBe('```json\n{"Reasoning": "seen", "Answer": "yes"}\n```');
    expect(agent.scored[1]).toBe('```json\n{"Reasoning": "seen", "Answer": "no"}\n```');
  });
});

describe('a speaker', () => {
  it('gives the greedy answer for every picture, in item order', async () => {
    const speaker = modelSpeaker(scripted((seen, question) => `${question} ${seen}`));
    const questions = ['4', '1', '9'].map((picture) => ({ picture, question: 'What?' }));
    const answers = ['What? 4', 'What? 1', 'What? 9'];
    expect(await speaker.ask(questions)).toEqual({ answers, identity: 'scripted' });
  });
});
