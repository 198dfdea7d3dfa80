/** Comparisons in environments of known best play, with a real server as a policy. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { sha256 } from '@emac/files';
import { loadEnvironmentModule, plainHost, type Host } from '@emac/opening';
import { languageModelSchema } from '@emac/settings';
import { labelServer, type Asked } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import type { EvaluationResult } from '@emac/rollout';
import { comparePolicies, type ComparisonConfig } from './compare-policies.ts';
import type { PpoEvaluation } from '../reinforcement/ppo-evaluation.ts';
import type { FilmedTask } from './side-by-side.ts';
import { actionsOf } from './transcripts.ts';

const folder = temporaryFolder();
const fileOf = (name: string, code: string) => {
  const path = join(folder, name);
  writeFileSync(path, code);
  return path;
};

/** Task n is won by going right n times, and lost at the limit of 4 steps: the best play of tasks 1, 2, 3 has 2 steps on average. */
const corridor = fileOf(
  'corridor.mjs',
  `export default {
    tasks: { training: ['t 1'], heldOut: ['right 1', 'right 2', 'right 3'] },
    maxSteps: 4,
    begin(task) {
      let left = Number(task.at(-1));
      return {
        observation: \`\${left} to go\`,
        actions: ['left', 'right'],
        step(action) {
          left += action === 'right' ? -1 : 1;
          return { observation: \`\${left} to go\`, reward: left === 0 ? 1 : 0, done: left === 0 };
        },
      };
    },
    expert: () => 'right',
  };`,
);
const right = fileOf('right.mjs', `export const act = (_seen, { actions }) => actions.indexOf('right');`);
const left = fileOf('left.mjs', `export const act = () => 'left';`);

const usual = { env: corridor, evaluation: {}, languageModel: languageModelSchema.parse({}), out: null };
const compare = async (
  config: Partial<ComparisonConfig> & Pick<ComparisonConfig, 'policies'>,
  more: Partial<Host> = {},
) => {
  const asked = { ...usual, ...config };
  const code = asked.env === corridor ? { environment: await loadEnvironmentModule(corridor) } : {};
  return comparePolicies(asked, { ...plainHost(), ...code, ...more });
};

/** Comparing pictures byte by byte would take long. */
const hashed = ({ columns, ...film }: FilmedTask) => ({
  ...film,
  columns: columns.map((column) => ({
    ...column,
    moments: column.moments.map(({ action, frame }) => [action, sha256(frame.data)]),
  })),
});

describe('comparePolicies', () => {
  it('plays code and the scripted player to the optimum of a module', async () => {
    const { policies, differences, tasks } = await compare({ policies: [left, right, 'scripted'] });
    expect(tasks).toBe(3);
    expect(
      policies.map(({ success, mean_return, mean_steps }) => [success, mean_return, mean_steps]),
    ).toEqual([
      [0, 0, 4],
      [1, 1, 2],
      [1, 1, 2],
    ]);
    // three tasks gained: returns differ by 1 in each, so the interval is a point
    expect(differences[0]).toMatchObject({
      policy: right,
      from: left,
      success: { tasks: 3, difference: 1 },
      return: { tasks: 3, difference: 1, ci95: [1, 1] },
    });
  });

  it('films tasks side by side, by playing the recorded actions again', async () => {
    const out = join(folder, 'filmed');
    const filmed = async () => {
      const films: FilmedTask[] = [];
      const wanted = { which: 1, film: (film: FilmedTask) => void films.push(film) };
      const [policies, env, evaluation] = [['scripted', 'random'], 'MiniGrid-Empty-5x5-v0', { numGames: 2 }];
      const result = await compare({ policies, env, evaluation, out, films: wanted });
      return { films, result };
    };
    const { films, result } = await filmed();
    expect(films.map(({ number, columns }) => [number, columns.map(({ policy }) => policy)])).toEqual([
      [0, ['scripted', 'random']],
    ]);
    const [scripted, random] = films[0]!.columns;
    // from the upper left corner, facing right, to the lower right one, two fields away
    const path = ['move forward', 'move forward', 'turn right', 'move forward', 'move forward'];
    expect(scripted!.moments.map(({ action }) => action)).toEqual([null, ...path]);
    expect(scripted!.won).toBe(true);
    expect(random!.moments[0]!.frame).toEqual(scripted!.moments[0]!.frame);
    expect(scripted!.moments[1]!.frame).not.toEqual(scripted!.moments[0]!.frame);
    const { mean_steps, folder: place } = result.policies[1]!;
    const steps = [0, 1].map((number) => actionsOf(join(out, place!), number)!.length);
    expect((steps[0]! + steps[1]!) / 2).toBe(mean_steps);
    // finished policies are not played again
    expect((await filmed()).films.map(hashed)).toEqual(films.map(hashed));
  });

  it('keeps the steps of every attempt under the number of its game', async () => {
    const out = join(folder, 'attempts');
    const evaluation = { numGames: 4, attempts: 2, temperature: 1, model: { path: 'mlp' } };
    const env = 'gym_cards/NumberLine-v0';
    const films: FilmedTask[] = [];
    const wanted = { which: 'all', film: (film: FilmedTask) => void films.push(film) } as const;
    const { policies } = await compare({ policies: ['untouched'], env, evaluation, out, films: wanted });
    const kept = join(out, policies[0]!.folder!);
    const { games } = JSON.parse(readFileSync(join(kept, 'eval.json'), 'utf8')) as PpoEvaluation;
    const steps = games.map((game) => game.steps);
    expect(games.map((_, number) => actionsOf(kept, number)!.length)).toEqual(steps);
    // else any order would do
    expect(new Set(steps).size).toBeGreaterThan(1);
    expect(films.map(({ columns }) => columns[0]!.moments.length - 1)).toEqual(
      [0, 2, 4, 6].map((number) => steps[number]),
    );
  });

  it('plays numbered environments: the scripted player wins every number line', async () => {
    const evaluation = { numGames: 5 };
    const { policies } = await compare({
      policies: ['scripted', 'random'],
      env: 'gym_cards/NumberLine-v0',
      evaluation,
    });
    expect(policies[0]).toMatchObject({ success: 1, mean_return: 1, fallbacks: 0, episodes: 5 });
    expect(policies[1]!.mean_return).toBeLessThan(1);
  });

  it('plays held-out games: the hand-coded expert wins', async () => {
    const evaluation = { numGames: 2 };
    const { policies, env } = await compare({ policies: ['scripted'], env: null, evaluation });
    expect([env, policies[0]!.success]).toEqual([null, 1]);
  });

  it('counts several attempts at each task of policies that may act otherwise, without a temperature', async () => {
    const evaluation = { attempts: 3 };
    const { policies } = await compare({ policies: [right, 'random', 'scripted'], evaluation });
    const passes = [{ k: 1 }, { k: 2 }, { k: 3 }];
    expect(policies[0]).toMatchObject({ episodes: 9, success: 1, pass_at: passes });
    expect(policies[1]).toMatchObject({ episodes: 9, pass_at: passes });
    expect(policies[1]!.success).toBeLessThan(1);
    expect(policies[2]).toMatchObject({ episodes: 3, success: 1 });
    expect(policies[2]!.pass_at).toBeUndefined();
    await expect(compare({ policies: ['scripted'], evaluation })).rejects.toThrow(
      '--attempts 3: a search answers every attempt alike',
    );
  });

  it('keeps finished policies, by their content', async () => {
    const out = join(folder, 'kept');
    const notes: string[] = [];
    const noting = { listener: { note: (line: string) => void notes.push(line) } };
    const first = await compare({ policies: [right, 'scripted'], out }, noting);
    expect(notes.filter((line) => line.includes('played before'))).toEqual([]);
    const again = await compare({ policies: [right, 'scripted'], out }, noting);
    expect(again).toEqual(first);
    expect(notes.filter((line) => line.includes('played before'))).toHaveLength(2);
    expect(readdirSync(join(out, 'policies'))).toHaveLength(2);
    // other code, or another seed, is another result
    const changed = fileOf('changed.mjs', readFileSync(right, 'utf8'));
    await compare({ policies: [changed], out }, noting);
    expect(notes.at(-1)).toBe(`${changed}:`);
    fileOf('changed.mjs', readFileSync(left, 'utf8'));
    const { policies } = await compare({ policies: [changed], out });
    expect(policies[0]!.success).toBe(0);
  });

  it('refuses a policy without meaning before any plays, or gives the reason', async () => {
    const begun: string[] = [];
    const told = { listener: { begin: (part: string) => void begun.push(part) } };
    const speaker = { env: 'lewis/speaker', evaluation: { numGames: 1 } };
    await expect(compare({ policies: ['scripted', 'random'], ...speaker }, told)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(
        /^--policy random: draws from the listed actions, but lewis\/speaker/,
      ) as string,
    });
    expect(begun).toEqual([]);
    await expect(compare({ policies: [right, right] })).rejects.toThrow('is given twice; leave one out');
  });
});

const said = (content: string) =>
  JSON.stringify({
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 3 },
  });

/** Gives these replies in turn, the last one from then on. */
async function scriptedServer(replies: readonly (readonly [status: number, body: string])[]) {
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const [status, body] = replies[Math.min(requests++, replies.length - 1)]!;
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => void server.close().closeAllConnections();
  return { baseUrl: `http://127.0.0.1:${port}/v1`, requests: () => requests, close };
}

describe('a service as a policy', () => {
  const serviceAt = (baseUrl: string) =>
    languageModelSchema.parse({ baseUrl, priceIn: 1, priceOut: 2, concurrency: 1 });
  const answering = (asked: Asked) =>
    asked.answer(/now:\nleft\nright/i.test(asked.text) ? 'I go right.' : '?');

  it('plays to the optimum although the service fails and babbles at first, and counts what it cost', async () => {
    const server = await scriptedServer([
      [429, '{"error": {"message": "slow down"}}'],
      [500, '{"error": {"message": "oh"}}'],
      [200, '{"choices": [{"message": {"role": "assist'],
      [200, said('hm')],
      [200, said('I go right.')],
    ]);
    const { policies } = await compare({
      policies: ['openai:any'],
      languageModel: serviceAt(server.baseUrl),
    });
    // six steps and one unreadable answer; each reply has 10 and 3 tokens: 7 · (10 · 1 + 3 · 2) / 10⁶ dollars
    expect(policies[0]).toMatchObject({
      success: 1,
      mean_steps: 2,
      fallbacks: 0,
      service: { requests: 7, promptTokens: 70, answerTokens: 21, cost: 0.000112 },
    });
    expect(server.requests()).toBe(10);
    server.close();
  });

  it('asks nothing again for a finished result, and pays no reply twice after an interruption', async () => {
    const stop = new AbortController();
    let answered = 0;
    const server = await labelServer((asked) => {
      answering(asked);
      if (++answered === 2) stop.abort();
    });
    const asked = {
      policies: ['openai:any'],
      out: join(folder, 'service'),
      languageModel: serviceAt(server.baseUrl),
    };
    await expect(compare(asked, { signal: stop.signal })).rejects.toMatchObject({ code: 'interrupted' });
    expect(server.asked).toHaveLength(2);
    expect((await compare(asked)).policies[0]!.success).toBe(1);
    expect(server.asked).toHaveLength(6);
    await compare(asked);
    expect(server.asked).toHaveLength(6);
  });

  it('acts by calls of a tool on request; an answer without a call is asked for again', async () => {
    const server = await labelServer((asked) => {
      if (asked.temperature === 0) asked.answer('I go right.');
      else asked.call('act', '{"action": "right"}');
    });
    const { policies } = await compare({
      policies: ['openai:any'],
      languageModel: serviceAt(server.baseUrl),
      messages: 'tools',
    });
    expect(policies[0]).toMatchObject({ success: 1, mean_steps: 2, fallbacks: 0 });
    // six steps, each asked twice
    expect(server.asked).toHaveLength(12);
    expect(new Set(server.asked.flatMap(({ tools }) => tools))).toEqual(new Set(['act']));
    expect(server.asked[0]!.text).toContain('Call act with one of them.');
  });

  it.each(['{"action": "up"}', '{"way": "right"}', 'right'])(
    'plays at random after calls that name no action: %s',
    async (given) => {
      const server = await labelServer((asked) => asked.call('act', given));
      const { policies } = await compare({
        policies: ['openai:any'],
        languageModel: serviceAt(server.baseUrl),
        messages: 'tools',
      });
      const [played] = policies;
      expect(played!.fallbacks).toBeGreaterThan(0);
      expect(played!.fallbacks).toBe(server.asked.length / 6);
    },
  );

  it('calls a tool in games too, with the admissible commands as its choice', async () => {
    const server = await labelServer((asked) => asked.call('act', '{"action": "look"}'));
    const { policies } = await compare({
      policies: ['openai:any'],
      env: null,
      evaluation: { numGames: 1, maxSteps: 2 },
      languageModel: serviceAt(server.baseUrl),
      messages: 'tools',
    });
    expect(policies[0]).toMatchObject({ success: 0, mean_steps: 2, fallbacks: 0 });
    expect(server.asked.map(({ tools }) => tools)).toEqual([['act'], ['act']]);
  });

  it('counts the commands that were repaired, by game and in all', async () => {
    // the game's fridge; who stands before it cannot go there
    const server = await labelServer((asked) => asked.answer('go to fridgx 1'));
    const out = join(folder, 'repaired');
    const play = (repairActions: boolean) =>
      compare({
        ...(repairActions && { out }),
        policies: ['openai:any'],
        env: null,
        evaluation: { numGames: 1, maxSteps: 2 },
        languageModel: { ...serviceAt(server.baseUrl), repairActions },
      });
    const { policies } = await play(true);
    expect(policies[0]).toMatchObject({ mean_steps: 2, repairs: 1, fallbacks: 0 });
    const { games } = JSON.parse(
      readFileSync(join(out, policies[0]!.folder!, 'eval.json'), 'utf8'),
    ) as EvaluationResult;
    expect(games.map(({ repairs }) => repairs)).toEqual([1]);
    expect((await play(false)).policies[0]).not.toHaveProperty('repairs');
  });

  it('gets the bare episode on request, and is taken at its first word', async () => {
    const server = await labelServer((asked) => asked.answer('wait'));
    const languageModel = { ...serviceAt(server.baseUrl), admissible: true };
    const { policies } = await compare({ policies: ['openai:any'], languageModel, messages: 'episode' });
    const [first, second] = server.asked.map(({ text }) => text);
    expect(first).not.toContain('Answer with one of these');
    expect(first).toMatch(/\n\nCommands the world accepts now:\nleft\nright$/);
    expect(second!.startsWith(first!.split('\n\nCommands')[0]!)).toBe(true);
    expect(second).toContain('> wait');
    // an unknown word is a step, and nothing is asked twice
    expect(policies[0]).toMatchObject({
      success: 0,
      fallbacks: 0,
      service: { requests: server.asked.length },
    });
  });

  it('shows pictures with the published prompt of a numbered environment', async () => {
    const server = await labelServer((each) => each.answer('{"action": "+"}'));
    const env = 'gym_cards/NumberLine-v0';
    const config = {
      policies: ['openai:any'],
      env,
      evaluation: { numGames: 1 },
      languageModel: serviceAt(server.baseUrl),
    };
    await compare(config);
    expect(server.asked[0]!.pictures).toHaveLength(1);
    expect(server.asked[0]!.text).toMatch(/number line/i);
  });
});
