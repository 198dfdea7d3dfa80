/** Training with a language model as expert, over HTTP: concurrent requests, payments, counts. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReplyPosition } from '@emac/expert';
import { plainHost } from '@emac/opening';
import type { GivenTrainConfig, TrainConfig } from '@emac/settings';
import { commandFor, labelServer, type Asked } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { resume } from '../methods.ts';
import { train } from './train.ts';

const folder = temporaryFolder();
const host = { ...plainHost(), env: { OPENAI_API_KEY: 'test-key' } };

function taught(name: string, baseUrl: string, changes: Partial<GivenTrainConfig> = {}): GivenTrainConfig {
  return {
    phase: 'bc',
    out: join(folder, name),
    play: { rounds: 1, gamesPerRound: 3, maxSteps: 4, episodesPerUpdate: 3, stopRepeating: false },
    optimization: { updatesPerEpisode: 1 },
    speech: { beams: 1 },
    evaluation: { episodes: 0 },
    expert: { kind: 'openai', languageModel: { baseUrl, model: 'teacher', concurrency: 8 } },
    ...changes,
  };
}

const runIn = (name: string): string => join(folder, name, readdirSync(join(folder, name))[0]!);

const linesOf = (run: string, name: string) =>
  readFileSync(join(run, name), 'utf8')
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** Everything that must not depend on interruptions. */
function bytesOf(run: string): Record<string, string> {
  const latest = readFileSync(join(run, 'checkpoints', 'latest'), 'utf8').trim();
  const checkpoint = join('checkpoints', latest);
  const names = readdirSync(join(run, checkpoint)).map((file) => join(checkpoint, file));
  const all = ['metrics.jsonl', 'buffers/transitions.bin', ...names];
  return Object.fromEntries(all.map((name) => [name, readFileSync(join(run, name)).toString('base64')]));
}

/** Holds requests until so many are open at once; afterwards answers each on arrival. */
function gate(count: number) {
  const held: Asked[] = [];
  let isOpen = false;
  return (asked: Asked): void => {
    held.push(asked);
    isOpen ||= held.length === count;
    if (isOpen) for (const each of held.splice(0)) each.answer(commandFor(each.text));
  };
}

describe('labels of a language model', () => {
  it('are requested at once for all concurrent episodes', async () => {
    const server = await labelServer(gate(3));
    await train(taught('at-once', server.baseUrl), host);
    expect(Math.max(...server.asked.map(({ open }) => open))).toBe(3);
  });

  it('are in flight as many as are allowed, and no more', async () => {
    const server = await labelServer(gate(2));
    const languageModel = { baseUrl: server.baseUrl, model: 'teacher', concurrency: 2 };
    await train(taught('two', server.baseUrl, { expert: { kind: 'openai', languageModel } }), host);
    expect(Math.max(...server.asked.map(({ open }) => open))).toBe(2);
  });

  it('are paid for once, even if a stopped episode has only half of its replies', async () => {
    const answering = (asked: Asked) => asked.answer(thoughtOrCommand(asked.text));
    const whole = await labelServer(answering);
    const { folder: undisturbed } = await train(taught('whole', whole.baseUrl), host);

    // one episode has its thought and is refused the command; the others get their replies, then stop
    const controller = new AbortController();
    const some = await labelServer((asked) => {
      if (!hasThought(asked.text) || controller.signal.aborted) return answering(asked);
      controller.abort();
      asked.refuse(401);
    });
    const stopped = train(taught('stopped', some.baseUrl), { ...host, signal: controller.signal });
    await expect(stopped).rejects.toMatchObject({ run: { canGoOn: true } });
    const run = runIn('stopped');
    const { replies, training } = stateOf(run);
    const lines = linesOf(run, 'llm.jsonl');
    expect(lines).toHaveLength(some.answered.length);
    expect(replies.unused!.map((line) => lines[line]!['text'])).toContain('think: I wonder.');
    expect(training.current.steps.flat().length).toBeGreaterThanOrEqual(3);

    const rest = await labelServer(answering);
    await resume(run, { ...host, changed: (config) => askingAt(rest.baseUrl, config) });
    expect(bytesOf(run)).toEqual(bytesOf(undisturbed));
    // together they sent the undisturbed run's requests, each once
    expect([...some.answered, ...rest.answered].sort()).toEqual([...whole.answered].sort());
    expect(linesOf(run, 'llm.jsonl')).toHaveLength(whole.answered.length);
  });

  it('that are all unusable end the run with their own message', async () => {
    const server = await labelServer((asked) => asked.answer('', 'content_filter'));
    const failed = train(taught('unusable', server.baseUrl), host);
    await expect(failed).rejects.toMatchObject({ code: 'check-failed', run: { canGoOn: false } });
    await expect(failed).rejects.toThrow(/none of the expert's 12 replies was usable/);
    const run = runIn('unusable');
    expect(existsSync(join(run, 'DONE'))).toBe(false);
    const record = JSON.parse(readFileSync(join(run, 'run.json'), 'utf8')) as { readonly status: string };
    expect(record.status).toBe('failed');
    // resuming ends the same way
    await expect(resume(run, host)).rejects.toThrow(/was usable/);
  });

  it('are not bought for a probe unless requested', async () => {
    const askedBefore = async (name: string, changes: Partial<GivenTrainConfig>) => {
      const server = await labelServer((asked) => asked.answer(commandFor(asked.text)));
      let before = -1;
      const listener = {
        training: ({ kind }: { readonly kind: string }) => {
          if (kind === 'episode-start' && before < 0) before = server.asked.length;
        },
      };
      const config = taught(name, server.baseUrl, changes);
      const { folder: run } = await train(config, { ...host, listener });
      const probes = linesOf(run, 'metrics.jsonl').filter(({ kind }) => kind === 'probe');
      return { before, probes: probes.length };
    };
    expect(await askedBefore('no-probe', {})).toEqual({ before: 0, probes: 0 });
    const asked = await askedBefore('probe', { probe: true });
    // three games of four steps at most, before and after one round
    expect(asked.before).toBeGreaterThan(0);
    expect(asked.probes).toBe(2);
  });
});

/** At the second step of an episode a thought, to be followed by a command. */
function thoughtOrCommand(text: string): string {
  const isSecond = episodeIn(text).split('\n> ').length === 2;
  return isSecond && !hasThought(text) && !isReflection(text) ? 'think: I wonder.' : commandFor(text);
}

function hasThought(text: string): boolean {
  return episodeIn(text).includes('> think: I wonder.');
}

function isReflection(text: string): boolean {
  return text.includes('STATUS: FAIL');
}

/** The text below the examples. */
function episodeIn(text: string): string {
  return text.slice(text.lastIndexOf('Your task is to'));
}

function askingAt(baseUrl: string, config: TrainConfig): TrainConfig {
  const languageModel = { ...config.expert.languageModel, baseUrl };
  return { ...config, expert: { ...config.expert, languageModel } };
}

/** Of the latest checkpoint. */
function stateOf(run: string) {
  const latest = readFileSync(join(run, 'checkpoints', 'latest'), 'utf8').trim();
  return JSON.parse(readFileSync(join(run, 'checkpoints', latest, 'state.json'), 'utf8')) as {
    readonly replies: ReplyPosition;
    readonly training: { readonly current: { readonly steps: readonly (readonly unknown[])[] } };
  };
}
