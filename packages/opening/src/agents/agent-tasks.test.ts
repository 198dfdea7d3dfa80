import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TaskSource } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { agentTasks } from './agent-tasks.ts';

const folder = temporaryFolder();
const own = { place: '--agent ./mine.mjs', type: 'agent:mine.mjs' };
const none = { source: null, heldOut: null };

const idsOf = ({ count, at }: TaskSource) => Array.from({ length: count! }, (_, number) => at(number).id);

function written(name: string, values: readonly unknown[]): string {
  const path = join(folder, name);
  writeFileSync(path, `${values.map((value) => JSON.stringify(value)).join('\n')}\n`);
  return path;
}

describe('tasks of an agent', () => {
  it('are its export, named by their text, their id or their JSON', () => {
    const exported = { training: ['a', { id: 7, goal: 'x' }, { goal: 'y' }], heldOut: ['b'] };
    const { tasks, valueOf } = agentTasks({ ...own, exported }, none);
    expect(idsOf(tasks.training)).toEqual(['a', '7', '{"goal":"y"}']);
    expect(idsOf(tasks.heldOut)).toEqual(['b']);
    expect(valueOf(tasks.training.at(1))).toEqual({ id: 7, goal: 'x' });
  });

  it.each([
    [6, [4]],
    [3, [2]],
  ])('of a list of %i have every fifth, else the last held out', (count, held) => {
    const exported = Array.from({ length: count }, (_, number) => `task ${number}`);
    expect(idsOf(agentTasks({ ...own, exported }, none).tasks.heldOut)).toEqual(
      held.map((number) => `task ${number}`),
    );
  });

  it('of a file are split as its lines say', () => {
    const source = written('tasks.jsonl', [
      { id: 'one', split: 'train' },
      { id: 'two', split: 'test' },
      { id: 'three' },
    ]);
    const { tasks, sha256 } = agentTasks({ ...own, exported: undefined }, { source, heldOut: null });
    expect([idsOf(tasks.training), idsOf(tasks.heldOut)]).toEqual([['one', 'three'], ['two']]);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    const heldOut = written('held.jsonl', ['x', 'y']);
    expect(
      idsOf(agentTasks({ ...own, exported: undefined }, { source: null, heldOut }).tasks.heldOut),
    ).toEqual(['x', 'y']);
  });

  it('of an empty file are refused, though the agent has its own; a byte-order mark is none of them', () => {
    const empty = join(folder, 'empty.jsonl');
    writeFileSync(empty, '\n');
    for (const files of [
      { source: empty, heldOut: null },
      { source: null, heldOut: empty },
    ])
      expect(() => agentTasks({ ...own, exported: ['a', 'b'] }, files)).toThrow(
        /empty\.jsonl: has no tasks; write one JSON value a line/,
      );
    const marked = join(folder, 'marked.jsonl');
    writeFileSync(marked, '\ufeff"a"\n"b"\n');
    const { tasks } = agentTasks({ ...own, exported: undefined }, { source: marked, heldOut: null });
    expect([idsOf(tasks.training), idsOf(tasks.heldOut)]).toEqual([['a'], ['b']]);
  });

  it('are refused where there are none, twice the same, or no JSON', () => {
    const withTasks = (exported: unknown) => () => agentTasks({ ...own, exported }, none);
    expect(withTasks(undefined)).toThrow(
      /--agent \.\/mine\.mjs: needs tasks; export const tasks = .* --tasks FILE/,
    );
    expect(withTasks({ training: ['a'], heldOut: ['a'] })).toThrow(/tasks must differ, a is there twice/);
    const source = join(folder, 'bad.jsonl');
    writeFileSync(source, '"a"\n{');
    expect(() => agentTasks({ ...own, exported: undefined }, { source, heldOut: null })).toThrow(
      /bad\.jsonl: line 2 must be JSON/,
    );
  });
});
