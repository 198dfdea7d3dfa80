/** An agent's attempt as an episode: real functions in their thread, over real HTTP. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LostEpisode, readAsked } from '@emac/core';
import { agentName } from '@emac/settings';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { loadAgent } from './agent-kind.ts';

const folder = temporaryFolder();
let files = 0;

/** An episode of an agent with this body; `ask(words)` gives the reply to a request of one message. */
async function begun(
  body: string,
  { maxSteps = null, env = {} }: { maxSteps?: number | null; env?: Readonly<Record<string, string>> } = {},
) {
  const path = join(folder, `agent-${files++}.mjs`);
  writeFileSync(
    path,
    `export const tasks = { training: ['a'], heldOut: ['b'] };
     export default async ({ baseURL, apiKey, model, task, seed }) => {
       const ask = async (content) => {
         const response = await fetch(baseURL + '/chat/completions', {
           method: 'POST',
           headers: { 'content-type': 'application/json', authorization: 'Bearer ' + apiKey },
           body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
         });
         const reply = await response.json();
         return reply.error ? reply.error.code : reply.choices[0].message.content;
       };
       ${body}
     };`,
  );
  const { kind } = await loadAgent(agentName(path), { env });
  const opened = await kind.open(kind.ids[0]!, { maxSteps });
  onTestFinished(() => opened.close!());
  // a policy of characters that reads at most 100 of them
  opened.speech(
    { countPromptTokens: (text) => text.length },
    { maxTokens: 100, observe: 'text', thoughts: false, dialogue: 'messages' },
  );
  return opened.begin(opened.tasks.training.at(0), 'seed 1');
}

const asks = (text: string) => readAsked(text).messages.at(-1)!.content;

describe('an attempt', () => {
  it('has a step for each answer, and ends with the reward', async () => {
    const episode = await begun(
      "const first = await ask(task + ' ' + seed); const second = await ask(first + '!'); return second === 'two' ? 2 : 0;",
    );
    expect(asks(episode.first.text)).toBe('a seed 1');
    const { observation, reward, terminated } = await episode.step('one');
    expect([asks(observation.text), reward, terminated]).toEqual(['one!', 0, false]);
    expect(await episode.step('two')).toMatchObject({ reward: 2, terminated: true, info: { won: true } });
    await episode.close();
  });

  it('may be lost in spite of a reward, where the agent says so', async () => {
    const episode = await begun("await ask('x'); return { reward: 0.5, won: false };");
    expect(await episode.step('one')).toMatchObject({ reward: 0.5, info: { won: false } });
  });

  it('is cut at its limit: the next request is refused, and what the agent then returns counts', async () => {
    const episode = await begun(
      "const said = [await ask('1'), await ask('2'), await ask('3')]; return said[2] === 'step_limit' ? 0.25 : 0;",
      { maxSteps: 2 },
    );
    await episode.step('one');
    expect(await episode.step('two')).toMatchObject({ reward: 0.25, truncated: true, terminated: false });
  });

  it('goes on after messages that are too long for the policy', async () => {
    const episode = await begun("const code = await ask('x'.repeat(200)); await ask(code); return 1;");
    expect(asks(episode.first.text)).toBe('context_length_exceeded');
    expect(await episode.step('ok')).toMatchObject({ reward: 1 });
  });

  it('that crashes, hangs or asks nothing is lost, with the reason', async () => {
    await expect(begun('return 1;')).rejects.toThrow(/the attempt at a ended without a request/);
    const crashing = await begun("await ask('x'); throw new Error('out of luck');");
    await expect(crashing.step('one')).rejects.toThrow(LostEpisode);
    await expect(crashing.step('one')).rejects.toThrow(/the attempt at a failed: out of luck/);
    const hanging = begun('await new Promise(() => {});', { env: { EMAC_ENV_SECONDS: '0.2' } });
    await expect(hanging).rejects.toThrow(
      /neither asked nor returned for 0\.2 s; mend it, or raise EMAC_ENV_SECONDS/,
    );
  });

  it.each(['"much"', 'undefined', 'NaN'])('that returns %s is refused', async (value) => {
    const episode = await begun(`await ask('x'); return ${value};`);
    await expect(episode.step('one')).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining(
        'must return a finite reward, at most 1e+100, for a, or { reward, won }',
      ) as string,
    });
  });

  it('of a command is named without folders and without variables, which may be keys', async () => {
    const { kind } = await loadAgent('agent:API_KEY=sk-secret /usr/bin/node lib/agent.js --deep');
    expect(kind.ids).toEqual(['agent:node agent.js --deep']);
  });

  it('needs a function', async () => {
    const path = join(folder, 'none.mjs');
    writeFileSync(path, 'export default { tasks: [] };');
    await expect(loadAgent(agentName(path))).rejects.toThrow(/its default export must be a function/);
    await expect(loadAgent('agent:./not-there.mjs')).rejects.toThrow(
      /--agent \.\/not-there\.mjs: does not exist/,
    );
  });
});
