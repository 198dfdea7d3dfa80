/** Commands of agents, in real shells. */
import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { commandAgent } from './running-agent.ts';

const call = { baseURL: 'http://127.0.0.1:9/v1', apiKey: 'key', model: 'policy', task: null, seed: '0' };

it.skipIf(process.platform !== 'linux')('a command ends with all that it left running', async () => {
  let said = '';
  const agent = commandAgent('sleep 600 & echo $! >&2; echo 0.5', {
    env: process.env as Record<string, string>,
    said: (text) => void (said += text),
  });
  expect(await agent.begin(call).returned).toBe(0.5);
  const id = Number(said.trim());
  expect(id).toBeGreaterThan(0);
  const isRunning = () => {
    try {
      // a process that nobody has waited for yet is no longer running
      return readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1]![0] !== 'Z';
    } catch {
      return false;
    }
  };
  await vi.waitFor(() => expect(isRunning()).toBe(false), { timeout: 20_000 });
  await agent.close();
});
