/**
 * A run with a listener service on a real port: the service stops midway, comes back, and the run ends like an
 * undisturbed one.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { agreement, thingOf, trueDescription, type Listener, type Speaker } from '@emac/lewis';
import { plainHost } from '@emac/opening';
import type { GivenGrpoConfig } from '@emac/settings';
import { describe, expect, it, onTestFinished } from 'vitest';
import { resume } from '../methods.ts';
import { trainGrpoRuns } from '../grpo/train-grpo.ts';
import { contentOf } from '../reinforcement/run-content.test.support.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';

const folder = temporaryFolder();

/** Scores by the text's length, so that rewards differ; counts its requests. */
function listener(): Listener & { asked: number } {
  const own = {
    asked: 0,
    identity: async () => 'scripted',
    ask: async (questions: Parameters<Listener['ask']>[0]) => {
      own.asked += questions.length;
      const answers = questions.map(({ picture, question }) => {
        const said = (question.length % 7) / 7;
        return (agreement(question, thingOf(picture)) + said) / 2;
      });
      return { answers, identity: 'scripted' };
    },
  };
  return own;
}

async function serve(own: Listener, port = 0) {
  const { listen, listenerService, openPictures } = await import('@emac/bridge');
  const app = listenerService({
    listener: own,
    pictures: openPictures({ folder: null }),
    model: 'scripted',
    concurrency: 1,
    acquireTimeoutMs: 1000,
    batchSize: 5,
    now: () => 0,
  });
  const server = await listen({ port, fetch: (request) => app.fetch(request) });
  onTestFinished(() => server.close());
  return server;
}

/** A perfect speaker that records its pictures. */
function describing(): Speaker & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    identity: async () => 'scripted',
    ask: async (questions) => {
      const pictures = questions.map(({ picture }) => picture);
      asked.push(...pictures);
      return { answers: pictures.map((name) => trueDescription(thingOf(name))), identity: 'scripted' };
    },
  };
}

async function serveSpeaker(speaker: Speaker, port = 0) {
  const { listen, openPictures, speakerService } = await import('@emac/bridge');
  const app = speakerService({
    speaker,
    pictures: openPictures({ folder: null }),
    model: 'scripted',
    concurrency: 1,
    acquireTimeoutMs: 1000,
    batchSize: 5,
    now: () => 0,
  });
  const server = await listen({ port, fetch: (request) => app.fetch(request) });
  onTestFinished(() => server.close());
  return server;
}

const speakerEnv = { SPEAKER_MAX_RETRIES: '0', SPEAKER_CHUNK_DELAY: '0' };

const given = (address: string, out: string): GivenGrpoConfig => ({
  role: 'speaker',
  policy: 'lewis-tiny',
  listener: address,
  play: { updates: 3, promptsPerUpdate: 2, groupSize: 2 },
  rewards: { accuracy: 'soft_always' },
  losses: { maxLength: 12 },
  trained: { rank: 2 },
  evaluation: { episodes: 0 },
  checkpointEvery: 1,
  out: join(folder, out),
});

/** No pause between tries, one try: the environment of the published client. */
const env = { LISTENER_MAX_RETRIES: '0', LISTENER_CHUNK_DELAY: '0' };

describe('a speaker with a listener at an address', () => {
  it('pauses if the service does not answer, and ends the same; recorded replies are not requested again', async () => {
    const [whole, own] = [listener(), listener()];
    const server = await serve(whole);
    const run = await one(trainGrpoRuns(given(server.address, 'whole'), { ...plainHost(), env }));
    await server.close();
    const replies = readFileSync(join(run.folder, 'llm.jsonl'), 'utf8').trim().split('\n');
    // one call for all answers of an update
    expect(replies).toHaveLength(3);

    let second = await serve(own);
    const { port } = new URL(second.address);
    let updates = 0;
    const paused = one(
      trainGrpoRuns(given(second.address, 'paused'), {
        ...plainHost({
          listener: {
            reinforced: () => {
              if (++updates === 2) void second.close();
            },
          },
        }),
        env,
      }),
    );
    await expect(paused).rejects.toMatchObject({
      code: 'interrupted',
      message: expect.stringContaining('does not answer') as string,
    });
    const stopped = join(folder, 'paused', readdirSync(join(folder, 'paused'))[0]!);
    second = await serve(own, Number(port));
    await one(resume(stopped, { ...plainHost(), env }));
    expect(contentOf(stopped)).toEqual(contentOf(run.folder));
    expect(own.asked).toBe(whole.asked);
  });

  it('as a listener with a speaker there: descriptions that were used before the checkpoint are known again', async () => {
    const run = async (out: string, closes: number | null) => {
      const speaker = describing();
      let server = await serveSpeaker(speaker);
      const asked = {
        ...given('', out),
        role: 'listener',
        speaker: server.address,
        play: { updates: 4, promptsPerUpdate: 2, groupSize: 2, speakerTemperature: 0 },
        evaluation: { episodes: 2 },
        checkpointEvery: 2,
      } as const;
      let updates = 0;
      const reinforced = () => {
        if (++updates === closes) void server.close();
      };
      const { listener: _address, ...rest } = asked;
      const runs = trainGrpoRuns(rest, { ...plainHost({ listener: { reinforced } }), env: speakerEnv });
      if (closes === null) return { folder: (await one(runs)).folder, speaker };
      await expect(one(runs)).rejects.toMatchObject({ code: 'interrupted' });
      const stopped = join(folder, out, readdirSync(join(folder, out))[0]!);
      server = await serveSpeaker(speaker, Number(new URL(server.address).port));
      await one(resume(stopped, { ...plainHost(), env: speakerEnv }));
      return { folder: stopped, speaker };
    };
    const whole = await run('listening', null);
    const paused = await run('paused-listening', 3);
    // evaluations contain the address, which differs
    const trained = (of: string) => [...contentOf(of)].filter(([name]) => !name.startsWith('eval'));
    expect(trained(paused.folder)).toEqual(trained(whole.folder));
    expect(paused.speaker.asked).toEqual(whole.speaker.asked);
    const lines = (of: string) => readFileSync(join(of, 'llm.jsonl'), 'utf8').trim().split('\n').length;
    expect(lines(paused.folder)).toBe(lines(whole.folder));
    // each picture once, in training and both evaluations
    expect(new Set(whole.speaker.asked).size).toBe(whole.speaker.asked.length);
  });

  it('finds its address in the environment', async () => {
    const server = await serve(listener());
    const { listener: _address, ...rest } = given('', 'named');
    const run = await one(
      trainGrpoRuns(
        { ...rest, play: { ...rest.play, updates: 1 } },
        { ...plainHost(), env: { ...env, LISTENER_URL: `${server.address}/batch_score` } },
      ),
    );
    expect(run.config.listener).toBe(`${server.address}/batch_score`);
  });
});

async function one<T>(runs: Promise<readonly T[]>): Promise<T> {
  return (await runs)[0]!;
}
