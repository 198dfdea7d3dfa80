/** A served agent, and damaged requests to it. The agent always says `look`: only the code before it is tested. */
import { agentService, listen } from '@emac/bridge';
import { promptOf, Random, type Frame } from '@emac/core';
import { encodePng } from '@emac/images';
import { readConversation, readEpisode } from '@emac/prompt';
import { damaged } from './mutate.ts';
import type { Target } from './target.ts';

const picture: Frame = { width: 2, height: 2, data: new Uint8Array(12) };
const url = `data:image/png;base64,${Buffer.from(await encodePng(picture)).toString('base64')}`;
const first = 'You see a desk 1.\nYour task is to: look at desk 1.';
const messages = [
  [
    '/v1/chat/completions',
    {
      model: 'fuzz',
      messages: [
        { role: 'system', content: 'Act.' },
        { role: 'user', content: first },
        { role: 'assistant', content: 'go to desk 1' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'You arrive.' },
            { type: 'image_url', image_url: { url } },
          ],
        },
      ],
      temperature: 0.5,
      seed: 1,
      stop: ['\n'],
      logprobs: true,
      stream: true,
    },
  ],
  [
    '/v1/act',
    {
      history: { initial: first, turns: [{ command: 'go to desk 1', observation: 'You arrive.' }] },
      images: [url],
      admissible: ['look', 'go to desk 1'],
      admissible_only: true,
    },
  ],
  ['/v1/act', { prompt: `${first}\n>`, top_p: 0.9, temperature: 1 }],
] as const;

export const servedTarget: Target = {
  name: 'served',
  draw: (random) => {
    const [path, message] = messages[random.integer(messages.length)]!;
    const body = damaged(Buffer.from(JSON.stringify(message)), random);
    return { path, body, headers: { 'content-type': 'application/json' } };
  },
  open: () => {
    const service = agentService({
      agent: {
        name: 'fuzz',
        policy: {
          encode: null,
          decide: async (questions) =>
            questions.map(() => ({ text: ' look', tokens: [1, 0], logProbabilities: [-1, -1] })),
          countPromptTokens: (text) => text.length,
        },
        sampling: { kind: 'search', beams: 1 },
        admissibleOnly: false,
        question: async ({ history }, { random }) => {
          return { prompt: promptOf([], history.initial), allowed: null, random };
        },
        command: ({ text }) => text.trim(),
        tokenTexts: (tokens) => tokens.map((token) => (token === 0 ? '' : ' look')),
        readMessages: readConversation,
        readText: readEpisode,
      },
      batch: 64,
      random: Random.fromSeed(0),
      now: () => 0,
    });
    return listen({ port: 0, fetch: (request) => service.fetch(request) });
  },
};
