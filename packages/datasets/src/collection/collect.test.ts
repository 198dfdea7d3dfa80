/** Interrupted and resumed collections. */
import { mkdirSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainHost, type Host } from '@emac/opening';
import { commandFor, labelServer, type Asked } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { collect } from './collect.ts';

const folder = temporaryFolder();
const host: Host = { ...plainHost(), env: { OPENAI_API_KEY: 'test-key' } };
const answering = (asked: Asked) => asked.answer(commandFor(asked.text));

function given(name: string, baseUrl: string, languageModel: object = {}): Parameters<typeof collect>[0] {
  return {
    out: join(folder, name),
    numGames: 3,
    maxSteps: 3,
    parallelEpisodes: 3,
    expert: { kind: 'openai', languageModel: { baseUrl, model: 'teacher', ...languageModel } },
  };
}

let asked = 0;
let dataset = '';

/** Output and requests of an uninterrupted collection. */
async function undisturbed(): Promise<{ readonly dataset: string; readonly asked: number }> {
  if (dataset === '') {
    const server = await labelServer(answering);
    await collect(given('whole', server.baseUrl), host);
    [dataset, asked] = [datasetOf('whole'), server.asked.length];
  }
  return { dataset, asked };
}

const datasetOf = (name: string) => readFileSync(join(folder, name, 'train.json'), 'utf8');

describe('a collection with a language model', () => {
  it('that fails between two games of a group pays for neither again', async () => {
    const whole = await undisturbed();
    const server = await labelServer(answering);
    // the first of three concurrent games is written; then a folder blocks the path of the state
    const state = join(folder, 'failed.part', 'collect.json');
    let kept = '';
    const listener = {
      game: () => {
        kept = readFileSync(state, 'utf8');
        rmSync(state);
        mkdirSync(state);
      },
    };
    await expect(collect(given('failed', server.baseUrl), { ...host, listener })).rejects.toThrow();
    rmSync(state, { recursive: true });
    writeFileSync(state, kept);
    expect(server.asked).toHaveLength(whole.asked);
    await collect(given('failed', server.baseUrl), host);
    expect(datasetOf('failed')).toBe((await undisturbed()).dataset);
    expect(server.asked).toHaveLength(whole.asked);
  });

  it('reports a spent budget, and resumes with a larger one', async () => {
    const server = await labelServer(answering);
    const stopped = collect(given('budget', server.baseUrl, { maxTokensTotal: 6_000 }), host);
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    await expect(stopped).rejects.toThrow(/budget/);
    await collect(given('budget', server.baseUrl, { maxTokensTotal: 9_000_000, concurrency: 1 }), host);
    expect(datasetOf('budget')).toBe((await undisturbed()).dataset);
    expect(existsSync(join(folder, 'budget', 'collect.json'))).toBe(false);
  });

  it('resumes with another number of concurrent games to the same dataset, but not with other games', async () => {
    const server = await labelServer(answering);
    const controller = new AbortController();
    const listener = { game: () => controller.abort() };
    const one = { ...given('parallel', server.baseUrl), parallelEpisodes: 1 };
    const stopped = collect(one, { ...host, listener, signal: controller.signal });
    await expect(stopped).rejects.toThrow(/stopped on request after 1 of 3 games/);
    const other = collect({ ...given('parallel', server.baseUrl), maxSteps: 2 }, host);
    await expect(other).rejects.toMatchObject({ code: 'usage' });
    await collect(given('parallel', server.baseUrl), host);
    expect(datasetOf('parallel')).toBe((await undisturbed()).dataset);
  });
});

describe('random actions in games', () => {
  it('stand in the histories, while every label is the expert’s in that state', async () => {
    const records = async (name: string, randomActions?: number) => {
      const asked = {
        out: join(folder, name),
        numGames: 4,
        ...(randomActions === undefined ? {} : { randomActions }),
      };
      await collect(asked, plainHost());
      return JSON.parse(datasetOf(name)) as { text_input: string; text_output: string; game_id: string }[];
    };
    const strayed = await records('strayed', 0.4);
    // a command in the history of a step that was not the label of the step before
    const others = strayed.filter(({ text_input, game_id }, place) => {
      const before = strayed[place - 1];
      return before?.game_id === game_id && !text_input.includes(`> ${before.text_output}\n`);
    });
    expect(others.length).toBeGreaterThan(0);
    const straight = await records('straight');
    expect(strayed.length).toBeGreaterThan(straight.length);
    for (const { text_input, text_output, game_id } of straight)
      if (!text_input.includes('\n> '))
        expect(strayed.find((each) => each.game_id === game_id)?.text_output).toBe(text_output);
    expect(await records('never', 0)).toEqual(straight);
  });
});
