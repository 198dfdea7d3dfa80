import type { History } from '@emac/core';
import { expect, it } from 'vitest';
import { fetchExpert, fetching, fetchTexts } from './fetching.ts';

it('is won only by going to the thing and taking it there', async () => {
  const environment = fetching();
  const [, task] = environment.tasks;
  const told = async (commands: readonly string[]) => {
    const episode = await environment.begin(task!, 'seed');
    const steps = [];
    for (const command of commands) steps.push(await episode.step(command));
    await episode.close();
    return steps.map(({ observation, reward, info }) => [observation.text, reward, info.won]);
  };
  expect(await told(['take b', 'go b', 'take b'])).toEqual([
    ['nothing', 0, false],
    ['at-b', 0, false],
    ['done', 1, true],
  ]);
  expect(await told(['go b', 'go a', 'take b'])).toEqual([
    ['at-b', 0, false],
    ['at-a', 0, false],
    ['nothing', 0, false],
  ]);
  expect(environment.played.map(({ taskId }) => taskId)).toEqual(['fetch/b', 'fetch/b']);
});

it('has an expert that knows the way from everywhere', async () => {
  const expert = fetchExpert();
  const task = { id: 'fetch/b', type: null };
  const labelAfter = async (commands: readonly string[]) => {
    const turns = commands.map((command) => ({ command, observation: '' }));
    const history: History = { initial: 'want-b', turns };
    return expert.label({ task, history, memories: [], admissible: null });
  };
  const action = (command: string) => ({ kind: 'action', command });
  expect(await labelAfter([])).toEqual(action('go b'));
  expect(await labelAfter(['go b', 'take a'])).toEqual(action('take b'));
  expect(await labelAfter(['go b', 'go c'])).toEqual(action('go b'));
  expect(expert.requests).toHaveLength(3);
});

it('has prompts of lessons, the first observation and later observations', () => {
  const turns = [{ command: 'go b', observation: 'at-b' }];
  const observation = { text: 'at-b', frames: [], admissible: null };
  const moment = { history: { initial: 'want-b', turns }, observation, memories: ['try b'] };
  expect(fetchTexts.prompt(moment)).toBe('try b want-b at-b');
});
