/** A custom expert's file: its answers become labels or unusable ones; its exceptions are neither. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random, type LabelRequest } from '@emac/core';
import { sha256 } from '@emac/files';
import { expertSchema } from '@emac/settings';
import { afterAll, describe, expect, it } from 'vitest';
import { gamesKind } from '../environments/alfworld-kind.ts';
import { labelFrom } from '../environments/given-label.ts';
import { guardedExpert, loadExpertModule } from './expert-module.ts';
import { openTeacher } from './open-teacher.ts';

const folder = mkdtempSync(join(tmpdir(), 'emac-expert-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const request: LabelRequest = {
  task: { id: 'task/trial', type: null },
  history: { initial: 'You are in a room.', turns: [{ command: 'look', observation: 'nothing' }] },
  memories: [],
  admissible: ['go to desk 1', 'look', 'move apple 1 to desk 1'],
};

let count = 0;
function file(body: string, name = `expert-${count++}.mjs`): string {
  writeFileSync(join(folder, name), body);
  return join(folder, name);
}

describe('a custom expert file', () => {
  it.each([
    ['a function by name', 'export function label({ admissible }) { return admissible[0]; }'],
    ['an asynchronous one', 'export const label = async ({ admissible }) => admissible[0];'],
    ['a default function', 'export default ({ admissible }) => admissible[0];'],
    [
      'an object with a method',
      'export default { place: 0, label({ admissible }) { return { kind: "action", command: admissible[this.place] }; } };',
    ],
  ])('may export %s', async (_what, body) => {
    const expert = await loadExpertModule(file(body));
    expect(expert.sha256).toBe(sha256(body));
    expect(await guardedExpert(expert).label(request)).toEqual({ kind: 'action', command: 'go to desk 1' });
  });

  it('may be CommonJS, and is read again after a change', async () => {
    const path = file('module.exports = { label: () => "look" };', 'old.cjs');
    expect(await guardedExpert(await loadExpertModule(path)).label(request)).toMatchObject({
      command: 'look',
    });
    const changing = file('export const label = () => "look";');
    await loadExpertModule(changing);
    writeFileSync(changing, 'export const label = () => "go to desk 1";');
    const again = guardedExpert(await loadExpertModule(changing));
    expect(await again.label(request)).toMatchObject({ command: 'go to desk 1' });
  });

  it.each([
    ['is no JavaScript', 'export functio', 'data', /failed to load/],
    ['exports no label', 'export const lable = 1;', 'data', /exports no function label/],
    ['throws while it is read', 'throw new Error("early")', 'data', /early/],
  ])('is rejected if it %s', async (_what, body, code, message) => {
    const refused = loadExpertModule(file(body));
    await expect(refused).rejects.toMatchObject({ code, message: expect.stringMatching(message) as string });
  });

  it('is rejected if it does not exist or is a folder', async () => {
    await expect(loadExpertModule(join(folder, 'absent.mjs'))).rejects.toMatchObject({ code: 'missing' });
    await expect(loadExpertModule(folder)).rejects.toMatchObject({ code: 'data' });
  });

  it('is not read because a configuration names it', async () => {
    const path = file('throw new Error("was run");');
    const parts = { random: Random.fromSeed(0), kind: gamesKind([], 50) };
    const host = { env: { EMAC_EXPERT: path }, now: () => 0 };
    const config = expertSchema.parse({ kind: 'module', module: path });
    await expect(openTeacher(config, host, parts)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(`add --expert ${path}`) as string,
    });
    const expert = { name: path, sha256: 'x', label: () => 'look' };
    const builtIn = openTeacher(expertSchema.parse({}), { ...host, expert }, parts);
    await expect(builtIn).rejects.toMatchObject({ code: 'usage' });
    expect((await openTeacher(config, { ...host, expert }, parts)).code).toBe('x');
  });
});

describe('an answer', () => {
  it.each([
    ['a command', 'look', 'look'],
    ['one with blanks around it', ' look\n', 'look'],
    ['one in the other dialect', 'put apple 1 in/on desk 1', 'move apple 1 to desk 1'],
    ['a label', { kind: 'action', command: 'look' }, 'look'],
  ])('is a label: %s', (_what, answer, command) => {
    expect(labelFrom(answer, request)).toEqual({ kind: 'action', command });
  });

  it.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /no answer/],
    ['null', null, /no answer/],
    ['a number', 7, /is not a label: 7/],
    ['an empty text', '  ', /empty/],
    ['several lines', 'look\nlook', /several lines/],
    ['what the world does not accept', 'fly to the moon', /does not accept "fly to the moon"/],
    ['another case', 'Look', /does not accept/],
    ['an object without a kind', { command: 'look' }, /is not a label/],
    ['a list', ['look'], /is not a label/],
    ['a function', () => 'look', /is not a label/],
    ['a circle', circle(), /is not a label/],
    ['an action without a command', { kind: 'action', command: 3 }, /is not a label/],
    ['that it is lost', { kind: 'unusable', reason: 'lost' }, /lost/],
  ])('is none: %s', (_what, answer, reason) => {
    const label = labelFrom(answer, request);
    expect(label).toEqual({
      kind: 'unusable',
      cause: 'no-command',
      reason: expect.stringMatching(reason) as string,
    });
  });

  it('is taken unchanged if the accepted commands are unknown', () => {
    expect(labelFrom('fly', { admissible: null })).toEqual({ kind: 'action', command: 'fly' });
  });
});

function circle(): object {
  const itself: { self?: object } = {};
  itself.self = itself;
  return itself;
}

describe('a custom expert', () => {
  it('that throws is asked three times, and then the run stops', async () => {
    let asked = 0;
    const label = () => {
      asked++;
      throw new Error('no idea');
    };
    const expert = guardedExpert({ name: './mine.js', sha256: '', label });
    await expect(expert.label(request)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/\.\/mine\.js: threw 3 times in task\/trial: no idea/) as string,
    });
    expect(asked).toBe(3);
    const shaky = () => (asked++ < 4 ? Promise.reject(new Error('once')) : Promise.resolve('look'));
    const recovered = guardedExpert({ name: '', sha256: '', label: shaky });
    expect(await recovered.label(request)).toEqual({ kind: 'action', command: 'look' });
  });

  it('cannot change the request it gets', async () => {
    const before = JSON.stringify(request);
    const label = (asked: LabelRequest) => {
      (asked.admissible as string[]).length = 0;
      (asked.history.turns as unknown[]).length = 0;
      return 'look';
    };
    const expert = guardedExpert({ name: '', sha256: '', label });
    expect(await expert.label(request)).toEqual({ kind: 'action', command: 'look' });
    expect(JSON.stringify(request)).toBe(before);
  });
});
