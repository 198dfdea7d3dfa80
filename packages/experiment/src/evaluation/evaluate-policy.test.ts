/** Stopped evaluations, and their identity. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { plainHost } from '@emac/opening';
import { builtinGame } from '@emac/world';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { evaluatePolicy } from './evaluate-policy.ts';

const folder = temporaryFolder();
const small = { ckpt: 'emma-tiny', numGames: 2, maxSteps: 2, parallelEpisodes: 1, speech: { beams: 1 } };

const journalOf = (out: string): string[] => readFileSync(`${out}.part.jsonl`, 'utf8').trim().split('\n');

/** Stops after the first game; returns the subject in its journal. */
async function subjectOf(given: Parameters<typeof evaluatePolicy>[0] & { readonly out: string }) {
  const controller = new AbortController();
  const listener = { game: () => controller.abort() };
  const host = { ...plainHost({ signal: controller.signal, listener }), env: { XDG_CACHE_HOME: folder } };
  await expect(evaluatePolicy(given, host)).rejects.toMatchObject({ code: 'interrupted' });
  const [subject, ...games] = journalOf(given.out);
  expect(games).toHaveLength(1);
  return subject;
}

describe('an evaluation', () => {
  it('keeps its games until the result is written', async () => {
    const out = join(folder, 'unwritable.json');
    let games = 0;
    const listener = { game: () => void (++games === 2 && mkdirSync(out)) };
    const failed = evaluatePolicy({ ...small, out }, plainHost({ listener }));
    await expect(failed).rejects.toThrow(out);
    expect(journalOf(out)).toHaveLength(1 + 2);
    rmSync(out, { recursive: true });
    const { result } = await evaluatePolicy({ ...small, out });
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual(result);
    expect(existsSync(`${out}.part.jsonl`)).toBe(false);
  });

  it("gets its folder when complete, and resumes from an interruption's files beside it", async () => {
    const out = join(folder, 'kept');
    const given = { ...small, out: `${out}/` };
    const prepared: string[] = [];
    const prepare = (made: string) => {
      prepared.push(made);
      writeFileSync(join(made, 'note'), '');
    };
    const stopped = async (more: object) => {
      const controller = new AbortController();
      const host = plainHost({ signal: controller.signal, listener: { game: () => controller.abort() } });
      const failed = evaluatePolicy({ ...given, ...more }, host, { prepare });
      await expect(failed).rejects.toMatchObject({ code: 'interrupted' });
    };
    // another evaluation's journal is not continued
    await stopped({ maxSteps: 3 });
    writeFileSync(join(`${out}.part`, 'of-another'), '');
    await stopped({});
    expect(existsSync(join(`${out}.part`, 'of-another'))).toBe(false);
    expect([existsSync(out), existsSync(join(`${out}.part`, 'eval.json'))]).toEqual([false, false]);
    const played: string[] = [];
    const listener = { step: ({ id }: { readonly id: string }) => void played.push(id) };
    const { result } = await evaluatePolicy(given, plainHost({ listener }), { prepare });
    expect(new Set(played).size).toBe(1);
    expect(readdirSync(out).sort()).toEqual(['episodes', 'eval.json', 'frames', 'logging_results', 'note']);
    expect(readdirSync(join(out, 'episodes'))).toHaveLength(2);
    expect(JSON.parse(readFileSync(join(out, 'eval.json'), 'utf8'))).toEqual(result);
    expect([existsSync(`${out}.part`), new Set(prepared)]).toEqual([false, new Set([`${out}.part`])]);
    // a folder that is there may hold other things
    await evaluatePolicy(given, plainHost(), { prepare });
    expect(prepared.at(-1)).toBe(`${out}/`);
  });

  it('resumes among several attempts at a game, with the same draws', async () => {
    const drawn = { ...small, attempts: 3, temperature: 2, seed: 7 };
    const whole = await evaluatePolicy({ ...drawn, out: join(folder, 'whole.json') });
    const out = join(folder, 'attempts.json');
    const subject = await subjectOf({ ...drawn, out });
    const resumed = await evaluatePolicy({ ...drawn, out });
    expect(resumed.result).toEqual(whole.result);
    expect(readFileSync(out)).toEqual(readFileSync(join(folder, 'whole.json')));
    const { games } = whole.kind === 'games' ? whole.result : { games: [] };
    expect(games.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 1, 2, 3]);
    // other draws are another evaluation
    expect(await subjectOf({ ...drawn, seed: 8, out })).not.toBe(subject);
    await expect(evaluatePolicy({ ...small, attempts: 3 })).rejects.toThrow(
      '--attempts 3: a search answers every attempt alike; give --temperature above 0, or leave it out',
    );
  });

  it('differs if the networks are rounded', async () => {
    const given = { ...small, out: join(folder, 'networks.json') };
    const subject = await subjectOf(given);
    expect(await subjectOf(given)).toBe(subject);
    expect(await subjectOf({ ...given, model: { weights: 'int8' } })).not.toBe(subject);
  });

  it("differs if a game's file has changed", async () => {
    const games = join(folder, 'games');
    const { id, file } = builtinGame('valid_unseen', 0);
    for (const trial of ['one', 'two']) {
      const path = join(games, dirname(id), trial, 'game.tw-pddl');
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, JSON.stringify(file));
    }
    const given = { ...small, games, out: join(folder, 'changed.json') };
    const subject = await subjectOf(given);
    expect(await subjectOf(given)).toBe(subject);
    appendFileSync(join(games, dirname(id), 'two', 'game.tw-pddl'), '\n');
    expect(await subjectOf(given)).not.toBe(subject);
  });
});
