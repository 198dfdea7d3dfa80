/** npm's server of memory as an environment, in which a chat model of random weights learns whom to look up. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onFailpoint } from '@emac/files';
import { afterEach, expect, it } from 'vitest';
import { contentOf } from '../reinforcement/run-content.test.support.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import type { Learning } from './asked-learning.ts';
import { learn } from './learn.ts';

const folder = temporaryFolder();
afterEach(() => onFailpoint(null));

const at = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const people = ['Ann', 'Bob'].map((name) =>
  JSON.stringify({ type: 'entity', name, entityType: 'person', observations: [`${name} is here.`] }),
);
const task = (name: string, split: string) => ({
  id: `${split} ${name}`,
  split,
  prompt: `Find ${name}.`,
  files: { 'memory.jsonl': people.join('\n') },
  solution: [{ name: 'open_nodes', arguments: { names: [name] } }],
  check: { result: `${name} is here\\.` },
});
const tasks = join(folder, 'tasks.jsonl');
writeFileSync(tasks, ['train', 'test'].map((split) => JSON.stringify(task('Ann', split))).join('\n'));
const server = at('node_modules/@modelcontextprotocol/server-memory/dist/index.js');

const imitating: Learning = {
  environment: `mcp:MEMORY_FILE_PATH={dir}/memory.jsonl ${process.execPath} ${server}#tasks=${tasks}&tools=open_nodes`,
  policy: at('packages/backbone/fixtures/text/llama'),
  method: 'bc',
  settings: {
    play: { rounds: 1, gamesPerRound: 1, maxSteps: 1 },
    speech: { maxPromptTokens: 384, maxLength: 64 },
    optimization: { learningRate: 0.03, updatesPerEpisode: 80 },
    trained: { parts: 'lora', rank: 8 },
    evaluation: { episodes: 1 },
  },
  folder: join(folder, 'whole'),
};

it('is learned by imitation, from nothing to the right call, and a killed run ends in the same bytes', async () => {
  const whole = await learn(imitating);
  expect(whole.before!.success).toBe(0);
  expect(whole.after!.success).toBe(1);
  const call: Learning = { ...imitating, folder: join(folder, 'stopped') };
  let updates = 0;
  onFailpoint((place) => {
    if (place === 'updating' && ++updates === 40) throw new Error('killed');
  });
  await expect(learn(call)).rejects.toThrow('killed');
  onFailpoint(null);
  const resumed = await learn(call);
  expect(contentOf(resumed.folder)).toEqual(contentOf(whole.folder));
});
