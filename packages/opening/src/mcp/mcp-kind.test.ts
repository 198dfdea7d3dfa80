/** npm's servers of files and of memory, as environments: a server of its own for each episode. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { callText, LostEpisode, readCallText, Random, type OpenedKind } from '@emac/core';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { loadMcp } from './mcp-kind.ts';
import { mcpName, shortName } from './mcp-name.ts';
import { mcpTasks } from './mcp-tasks.ts';

const folder = temporaryFolder();
afterEach(() => void vi.unstubAllEnvs());
const script = (name: string) =>
  fileURLToPath(
    new URL(`../../../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url),
  );
const files = `mcp:${process.execPath} ${script('server-filesystem')} {dir}`;

const move = { name: 'move_file', arguments: { source: '{dir}/a.txt', destination: '{dir}/b.txt' } };
const readB = { name: 'read_text_file', arguments: { path: '{dir}/b.txt' } };
const moving = (id: string, text: string) => ({
  id,
  prompt: 'Rename a.txt to b.txt.',
  files: { 'a.txt': text },
  solution: [move],
  check: { call: readB, result: `^${text}$` },
});
const question = {
  id: 'question',
  prompt: 'What is in a.txt?',
  files: { 'a.txt': 'plum' },
  check: { answer: '^It is plum' },
};

function written(name: string, tasks: readonly object[]): string {
  const path = join(folder, name);
  writeFileSync(path, tasks.map((task) => JSON.stringify(task)).join('\n'));
  return path;
}

const settings = { maxSteps: null };

describe('a server of files', () => {
  let kind: OpenedKind;
  beforeAll(async () => {
    const tasks = written('files.jsonl', [moving('apple', 'apple'), question, moving('pear', 'pear')]);
    const given = loadMcp(`${files}#tasks=${tasks}&tools=move_file,read_text_file`);
    kind = await given.kind.open(given.kind.ids[0]!, settings);
  });

  it('is named without folders of this machine', () => {
    expect(kind.id).toBe('mcp:node index.js {dir}');
    expect([kind.tasks.training.count, kind.tasks.heldOut.count]).toEqual([2, 1]);
  });

  it('is won by its solution; other episodes see nothing of it, and a wrong call is an observation', async () => {
    const task = kind.tasks.training.at(0);
    const [episode, other] = await Promise.all([kind.begin(task, '0'), kind.begin(task, '0')]);
    const asked = { task, memories: [], admissible: null };
    const history = { initial: episode.first.text, turns: [] };
    const label = await kind.player!.label({ ...asked, history });
    expect(label).toEqual({ kind: 'action', command: callText(move) });
    const won = await episode.step(callText(move));
    expect(won).toMatchObject({ reward: 1, terminated: true, info: { won: true } });
    expect(won.observation.text).toBe('Successfully moved {dir}/a.txt to {dir}/b.txt');
    const missing = await other.step(callText(readB));
    expect(missing).toMatchObject({ reward: 0, terminated: false });
    expect(missing.observation.text).toMatch(/no such file.*\{dir\}\/b\.txt/);
    expect((await other.step('{"name":"move_file","arguments":{}}')).observation.text).toMatch(
      /^move_file: wrong arguments: source: /,
    );
    expect((await other.step('Done.')).observation.text).toBe(
      'The answer calls no tool. Call one of move_file, read_text_file.',
    );
    await Promise.all([episode.close(), other.close()]);
  });

  it('takes an answer in words where the task checks one', async () => {
    const play = async (answer: string) => {
      const episode = await kind.begin(kind.tasks.training.at(1), '0');
      const seen = await episode.step('{"name":"read_text_file","arguments":{"path":"{dir}/a.txt"}}');
      expect(seen).toMatchObject({ observation: { text: 'plum' }, terminated: false });
      const { reward, terminated } = await episode.step(answer);
      await episode.close();
      return [reward, terminated];
    };
    expect(await play('It is plum.')).toEqual([1, true]);
    expect(await play('<think>It is plum.</think>An apple.')).toEqual([0, true]);
  });

  it('is played at random by calls that its schemas allow', () => {
    const seen = { text: 'Rename a.txt to b.txt.', frames: [], admissible: null };
    const calls = Array.from({ length: 20 }, (_, seed) =>
      readCallText(kind.draw!(seen, Random.fromSeed(seed))),
    );
    expect(new Set(calls.map((call) => call!.name))).toEqual(new Set(['move_file', 'read_text_file']));
    for (const call of calls)
      for (const value of Object.values(call!.arguments))
        expect(['Rename', 'a.txt', 'to', 'b.txt']).toContain(value);
  });
});

it('leaves no folder behind, and loses the episode of a server that ends', async () => {
  const made = join(folder, 'made');
  mkdirSync(made);
  vi.stubEnv('TMPDIR', made);
  const tasks = written('lost.jsonl', [moving('one', 'a'), moving('two', 'b')]);
  // the first start lists the tools, the second finds no server
  const count = join(folder, 'starts');
  const command = `echo . >> ${count}; test $(wc -l < ${count}) -lt 2 && exec ${files.slice(4)}`;
  const { kind } = loadMcp(`mcp:${command}#tasks=${tasks}`);
  const opened = await kind.open(kind.ids[0]!, settings);
  const fault = await opened.begin(opened.tasks.training.at(0), '0').catch((thrown: unknown) => thrown);
  expect(fault).toBeInstanceOf(LostEpisode);
  expect((fault as Error).message).toMatch(/: the server ended with code 1, at the start$/);
  expect(readdirSync(made)).toEqual([]);
});

describe('a name', () => {
  it('has a server, tasks and tools', () => {
    expect(mcpName('mcp:KEY=a npx a#b {dir}#tasks=a=b.jsonl&tools=one,two')).toMatchObject({
      server: 'KEY=a npx a#b {dir}',
      tasks: 'a=b.jsonl',
      tools: ['one', 'two'],
    });
    expect(shortName('KEY=a node /home/me/server.js {dir}/memory')).toBe('mcp:node server.js memory');
    expect(shortName('https://a.example/mcp')).toBe('mcp:https://a.example/mcp');
    expect(() => mcpName('mcp: #tasks=a')).toThrow('names no server');
    expect(() => mcpName('mcp:x#tasks=a&steps=3')).toThrow('after # it takes tasks and tools, got steps');
  });
});

describe('a file of tasks', () => {
  const read = (name: string, tasks: readonly object[]) =>
    mcpTasks('--env mcp:x', 'mcp:x', { source: written(name, tasks) });
  const task = { prompt: 'a', check: { result: 'b' } };

  it.each([
    [[{ ...task, id: 'one' }], 'needs a task to train on and one that is held out, got 0 and 1'],
    [[{ ...task, id: 'one', check: {} }], 'task one: check: needs result or answer'],
    [[{ ...task, id: 'one', check: { result: '(' } }], 'task one: check: result: must be a regular exp'],
    [[{ ...task, id: 'one', files: { '../a': '' } }], 'task one: files: ../a: '],
    [[{ ...task, id: 'one', reward: 1 }], 'task one: Unrecognized key: "reward"'],
    [[{ ...task, id: 'one', check: { answer: '1', call: { name: 'x' } } }], 'has a call, so it needs result'],
  ])('is refused by its first fault: %j', (tasks, message) => {
    const others = message.startsWith('needs') ? [] : [{ ...task, id: 'two' }];
    expect(() => read('wrong.jsonl', [...tasks, ...others])).toThrow(message);
  });

  it('is needed', () => {
    expect(() => mcpTasks('--env mcp:x', 'mcp:x', {})).toThrow(
      '--env mcp:x: needs tasks; give --tasks FILE.jsonl, or end its name with #tasks=FILE.jsonl',
    );
    expect(() => loadMcp('mcp:x#tasks=nowhere.jsonl')).toThrow('nowhere.jsonl');
  });
});
