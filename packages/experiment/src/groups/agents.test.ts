/** Agents of one's own, which speak OpenAI's API to the policy in training: the examples with a model of random weights. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EndedAttempt } from '@emac/algorithms';
import type { AskedMessages } from '@emac/core';
import { onFailpoint } from '@emac/files';
import { loadAgent, plainHost } from '@emac/opening';
import { agentName, type GivenGrpoConfig } from '@emac/settings';
import { encodePng } from '@emac/images';
import { alsoLong, isLong } from '@emac/testing';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { chatModelWithTools } from '../chat-model.test.support.ts';
import { trainGrpo } from '../grpo/train-grpo.ts';
import { resume } from '../methods.ts';
import { contentOf } from '../reinforcement/run-content.test.support.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { localWorkers } from '../workers/workers.test.support.ts';

const folder = temporaryFolder();
afterEach(() => onFailpoint(null));

const here = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const example = (name: string) => agentName(here(`examples/agents/${name}.mjs`));

/** A model of random weights never ends an answer early: it has everything to learn. */
const small = {
  policy: here('packages/backbone/fixtures/text/llama'),
  play: { updates: 4, promptsPerUpdate: 2, groupSize: 6 },
  losses: { maxLength: 8, beta: 0 },
  speech: { maxPromptTokens: 400 },
  optimization: { learningRate: 0.05 },
  trained: { rank: 4 },
  evaluation: { episodes: 0 },
  checkpointEvery: 1,
} as const satisfies Partial<GivenGrpoConfig>;

async function trained(
  name: string,
  env: string,
  given: Omit<GivenGrpoConfig, 'role'> = {},
): Promise<string> {
  const host = { ...plainHost(), environment: await loadAgent(env) };
  return (await trainGrpo({ ...small, ...given, env, out: join(folder, name) }, host)).folder;
}

const rewardsOf = (run: string): number[] =>
  readFileSync(join(run, 'metrics.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly reward: number }).reward);

describe('an agent', () => {
  const env = example('openai');
  let whole: string;
  beforeAll(async () => {
    whole = await trained('whole', env);
  });

  it('learns with the openai package', () => {
    const rewards = rewardsOf(whole);
    expect(rewards).toHaveLength(small.play.updates);
    expect(Math.max(...rewards.slice(2))).toBeGreaterThan(rewards[0]! + 0.1);
  });

  it.each(['ai-sdk', 'openai-agents'])(
    'gets the same answers, and learns the same, with %s',
    async (name) => {
      const run = await trained(name, example(name));
      expect(rewardsOf(run)).toEqual(rewardsOf(whole));
    },
  );

  const calling = {
    losses: { ...small.losses, maxLength: 96 },
    speech: { maxPromptTokens: 416 },
  } as const;

  it('calls a tool with each library, and gets the same answers', async () => {
    const play = { updates: 1, promptsPerUpdate: 1, groupSize: 2 };
    const given = { ...calling, play, policy: chatModelWithTools(folder) };
    const [alone, ...others] = [
      await trained('calls', example('tools'), given),
      await trained('calls of ai-sdk', example('tools-ai-sdk'), given),
      await trained('calls of openai-agents', example('tools-openai-agents'), given),
    ].map(rewardsOf);
    for (const rewards of others) expect(rewards).toEqual(alone);
    // two attempts of two turns, each right or wrong
    expect(4 * alone![0]!).toBeOneOf([0, 1, 2, 3, 4]);
  });

  it('calls a tool in words where the template has no form for it', async () => {
    const play = { updates: 1, promptsPerUpdate: 1, groupSize: 2 };
    const run = await trained('calls in words', example('tools'), { ...calling, play });
    // two attempts of two turns, each right or wrong
    expect([0, 0.25, 0.5, 0.75, 1]).toContain(rewardsOf(run)[0]);
  });

  it.runIf(isLong)('learns which call is right', async () => {
    const rewards = rewardsOf(await trained('tools', example('tools'), calling));
    expect(Math.max(...rewards.slice(2))).toBeGreaterThan(rewards[0]! + 0.1);
  });

  it('resumes to the same bytes after a kill', async () => {
    let updates = 0;
    onFailpoint((at) => {
      if (at === 'updating' && ++updates === 3) throw new Error('killed');
    });
    await expect(trained('killed', env)).rejects.toThrow('killed');
    onFailpoint(null);
    const out = join(folder, 'killed');
    const run = join(out, readdirSync(out)[0]!);
    await resume(run, { ...plainHost(), environment: await loadAgent(env) });
    expect(contentOf(run)).toEqual(contentOf(whole));
  });

  it('plays on a worker whose command line names it, and learns the same', async () => {
    const out = join(folder, 'over a worker');
    const workers = localWorkers(out, 1, { environment: await loadAgent(env) });
    const host = { ...plainHost(), workers, environment: await loadAgent(env) };
    const { folder: run } = await trainGrpo({ ...small, env, out: join(out, 'runs') }, host);
    expect(contentOf(run)).toEqual(contentOf(whole));
    await workers.stop();
    expect(workers.said.some((job) => job.startsWith('played'))).toBe(true);
  });

  it('is judged by a reward of one’s own, which reads requests and answers', async () => {
    const path = join(folder, 'silent.mjs');
    writeFileSync(
      path,
      `import agent, { tasks } from ${JSON.stringify(here('examples/agents/openai.mjs'))};
       export { tasks };
       export default async (call) => void (await agent(call));`,
    );
    const silent = agentName(path);
    const asked = (observation: string) => (JSON.parse(observation) as AskedMessages).messages.length;
    // the first request has two messages, the second four
    const reward = ({ steps }: EndedAttempt) => steps.map(({ observation }) => asked(observation));
    const host = {
      ...plainHost(),
      environment: await loadAgent(silent, { isJudged: true }),
      reward: { name: './judge.mjs', sha256: 'judge', reward },
    };
    const play = { updates: 1, promptsPerUpdate: 2, groupSize: 2 };
    const given = { ...small, env: silent, play, rewards: { attempt: './judge.mjs' } };
    const { folder: run } = await trainGrpo({ ...given, out: join(folder, 'judged') }, host);
    expect(rewardsOf(run)).toEqual([6]);
  });

  it('is code, which only the command line runs', async () => {
    const given = { ...small, env, out: join(folder, 'refused') };
    await expect(trainGrpo(given)).rejects.toThrow(/is code, which runs only if|are not supported here/);
  });
});

describe('pictures in requests', () => {
  const red = { width: 28, height: 28, data: new Uint8Array(28 * 28 * 3).fill(200) };
  /** An agent that shows a picture, and is rewarded by how likely the first token of the answer was. */
  const showing = async (name: string, shade: number): Promise<string> => {
    const data = red.data.map((value, place) => (place % 3 === 0 ? value : shade));
    const url = `data:image/png;base64,${Buffer.from(await encodePng({ ...red, data })).toString('base64')}`;
    const path = join(folder, name);
    writeFileSync(
      path,
      `export const tasks = ['a', 'b'];
       export default async ({ baseURL, apiKey }) => {
         const content = [{ type: 'text', text: 'What is it?' }, { type: 'image_url', image_url: { url: '${url}' } }];
         const response = await fetch(baseURL + '/chat/completions', {
           method: 'POST',
           headers: { 'content-type': 'application/json', authorization: 'Bearer ' + apiKey },
           body: JSON.stringify({ model: 'any', messages: [{ role: 'user', content }], logprobs: true }),
         });
         const { choices, error } = await response.json();
         if (error) throw new Error(error.message);
         return Math.exp(choices[0].logprobs.content[0].logprob);
       };`,
    );
    return agentName(path);
  };
  const play = { updates: 1, promptsPerUpdate: 1, groupSize: 2 };
  const sees = here('packages/backbone/fixtures/families/qwen2_vl');

  it('reach a model that sees', async () => {
    const given = { policy: sees, play, losses: { maxLength: 4, beta: 0 } };
    const [one, again, other] = [
      await trained('red', await showing('red.mjs', 0), given),
      await trained('red again', await showing('red-again.mjs', 0), given),
      await trained('grey', await showing('grey.mjs', 200), given),
    ].map(rewardsOf);
    expect(one).toEqual(again);
    expect(one).not.toEqual(other);
  });

  it('are refused by name where it reads text alone', async () => {
    const env = await showing('blind.mjs', 0);
    await expect(trained('blind', env, { play })).rejects.toThrow(/the policy reads text alone/);
  });
});

describe('a command', () => {
  const script = join(folder, 'agent.mjs');
  const tasks = join(folder, 'tasks.jsonl');
  writeFileSync(
    tasks,
    ['one', 'two', 'three']
      .map((id) => JSON.stringify({ id, split: id === 'three' ? 'test' : 'train' }))
      .join('\n'),
  );
  writeFileSync(
    script,
    `const { OPENAI_BASE_URL, OPENAI_API_KEY, EMAC_TASK } = process.env;
     const response = await fetch(OPENAI_BASE_URL + '/chat/completions', {
       method: 'POST',
       headers: { 'content-type': 'application/json', authorization: 'Bearer ' + OPENAI_API_KEY },
       body: JSON.stringify({ model: 'any', messages: [{ role: 'user', content: JSON.parse(EMAC_TASK).id }], max_tokens: 3 }),
     });
     const { choices, usage } = await response.json();
     if (process.argv[2] === 'crash') throw new Error('out of luck');
     console.log('done');
     console.log(JSON.stringify({ reward: usage.completion_tokens, won: choices[0].finish_reason === 'stop' }));`,
  );
  const play = { updates: 1, promptsPerUpdate: 1, groupSize: 2 };
  const env = agentName(`${process.execPath} ${script}`);
  const given = { games: tasks, play, evaluation: { episodes: 1 } };
  let whole: string;

  it('is an agent too: environment variables in, the last line out, and max_tokens holds', async () => {
    whole = await trained('command', env, given);
    const [reward] = rewardsOf(whole);
    // at most three tokens, though the policy's own limit is eight
    expect(reward).toBeGreaterThanOrEqual(1);
    expect(reward).toBeLessThanOrEqual(3);
  });

  it('plays on a worker, to which the run sends the file of tasks', async () => {
    const out = join(folder, 'command over a worker');
    const workers = localWorkers(out, 1, { environment: await loadAgent(env) });
    const host = { ...plainHost(), workers, environment: await loadAgent(env) };
    const { folder: run } = await trainGrpo({ ...small, ...given, env, out: join(out, 'runs') }, host);
    await workers.stop();
    expect(contentOf(run)).toEqual(contentOf(whole));
    expect(workers.said.some((job) => job.startsWith('played'))).toBe(true);
  });

  it.each(alsoLong(['crash']))('that fails loses its attempt, which is said: %s', async (how) => {
    const failing = agentName(`${process.execPath} ${script} ${how}`);
    await expect(trained('crash', failing, { games: tasks, play })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/lost an episode of .*: --agent .* failed: ended with code 1/) as string,
    });
  });
});
