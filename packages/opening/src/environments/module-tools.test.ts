/** The example with tools, in its thread. */
import { fileURLToPath } from 'node:url';
import { callText, readAsked } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { loadEnvironmentModule } from './environment-module.ts';

const path = fileURLToPath(new URL('../../../../examples/environments/safe.mjs', import.meta.url));
const opened = async () => {
  const { kind } = await loadEnvironmentModule(path);
  return kind.open(kind.ids[0]!, { maxSteps: null });
};
const read = callText({ name: 'read', arguments: { safe: 'red' } });

describe('an environment with tools', () => {
  it('is played by its expert with the fewest calls', async () => {
    const kind = await opened();
    const task = kind.tasks.training.at(0);
    const episode = await kind.begin(task, '0');
    const asked = { task, memories: [], admissible: null };
    const initial = episode.first.text;
    expect(await kind.player!.label({ ...asked, history: { initial, turns: [] } })).toEqual({
      kind: 'action',
      command: read,
    });
    const { observation, reward } = await episode.step(read);
    expect([observation.text, reward]).toEqual(['Its code is 1.', 0]);
    const turns = [{ command: read, observation: observation.text }];
    const enter = '{"name":"enter","arguments":{"code":1}}';
    expect(await kind.player!.label({ ...asked, history: { initial, turns } })).toMatchObject({
      command: enter,
    });
    expect(await episode.step(enter)).toMatchObject({ reward: 1, terminated: true, info: { won: true } });
  });

  it.each([
    ['Sesame!', 'The answer calls no tool. Call one of read, enter.'],
    ['{"name":"knock","arguments":{}}', 'There is no tool knock; there are read, enter.'],
    ['{"name":"enter","arguments":{"code":"1"}}', 'enter: wrong arguments: code: '],
    ['{"name":"enter","arguments":{}}', 'enter: wrong arguments: code: '],
  ])('answers %s with what is wrong, and no reward', async (action, said) => {
    const kind = await opened();
    const episode = await kind.begin(kind.tasks.training.at(0), '0');
    const { observation, reward, terminated } = await episode.step(action);
    expect([observation.text.startsWith(said), reward, terminated]).toEqual([true, 0, false]);
  });

  it('is a conversation, whose oldest calls are dropped above the limit', async () => {
    const { speech } = await opened();
    const form = { observe: 'text', thoughts: false, dialogue: 'messages' } as const;
    const turns = [
      { command: read, observation: 'The note is empty.' },
      { command: 'Sesame!', observation: 'The answer calls no tool.' },
    ];
    const moment = {
      history: { initial: 'Open it.', turns },
      observation: { text: '', frames: [], admissible: null },
      memories: [],
    };
    const roles = (most: number) => {
      const policy = { countPromptTokens: (text: string) => readAsked(text).messages.length };
      const text = speech(policy, { ...form, maxTokens: most }).prompt(moment);
      expect(readAsked(text).tools).toHaveLength(2);
      return readAsked(text).messages.map(({ role }) => role);
    };
    expect(roles(9)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(roles(4)).toEqual(['user', 'assistant', 'user']);
    expect(() =>
      speech({ countPromptTokens: () => 0 }, { ...form, dialogue: 'message', maxTokens: 9 }),
    ).toThrow(/safe.mjs: has tools, which a chat model calls; give one with --policy/);
  });
});
