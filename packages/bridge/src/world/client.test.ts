/** The client of version 2 and replies that are no orders. */
import { fetching } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { playElsewhere } from './client.ts';

interface Answer {
  readonly status: number;
  readonly body: object;
}

const welcome: Answer = {
  status: 200,
  body: { version: 2, client: 'c', pollSeconds: 1, stepSeconds: 1 },
};
const refused = (status: number, code: string): Answer => ({
  status,
  body: { error: { message: 'No.', type: 'invalid_request_error', param: null, code } },
});

/** Plays against these answers; returns the kinds of messages sent. */
async function playing(...answers: Answer[]): Promise<string[]> {
  const sent: string[] = [];
  await playElsewhere({
    url: 'http://127.0.0.1:1',
    retryMs: 0,
    wait: () => Promise.resolve(),
    environment: fetching(),
    name: 'test',
    atOnce: 1,
    pictures: false,
    fetch: (_url, init) => {
      const { kind = 'hello' } = JSON.parse(init!.body as string) as { kind?: string };
      sent.push(kind);
      const { status, body } = answers.shift()!;
      return Promise.resolve(Response.json(body, { status }));
    },
  });
  return sent;
}

const begin: Answer = {
  status: 200,
  body: { do: 'begin', episode: 'e1', game: 'fetch/a', seed: 's', pictures: false },
};
const finished: Answer = { status: 200, body: { do: 'finished' } };

describe('a client of version 2', () => {
  it('asks again if its report does not fit the order', async () => {
    const sent = await playing(welcome, begin, refused(409, 'out_of_step'), begin, finished);
    expect(sent).toEqual(['hello', 'nothing', 'begun', 'nothing', 'begun']);
  });

  it('says hello again if the run does not know it', async () => {
    const sent = await playing(welcome, refused(404, 'unknown_client'), welcome, finished);
    expect(sent).toEqual(['hello', 'nothing', 'hello', 'nothing']);
  });

  it('stops if its token is wrong', async () => {
    await expect(playing(refused(401, 'unauthorized'))).rejects.toMatchObject({ code: 'auth' });
  });
});
