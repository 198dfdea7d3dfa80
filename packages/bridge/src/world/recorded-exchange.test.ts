/**
 * A recorded exchange with ALFWorld's own client, over both wires, with two real games (recorded by
 * `tools/src/alfworld-client/record.ts`). The same messages, sent again, get byte-identical answers, and the run sees
 * the client's observations.
 */
import { readFileSync } from 'node:fs';
import type { Environment, Observation, Step } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { world } from './http-world.test.support.ts';
import type { HttpWorld } from './http-world.ts';

interface Exchange {
  readonly path: string;
  readonly sent: string;
  readonly sentMd5?: string;
  readonly status: number;
  readonly received: string;
  readonly receivedMd5?: string;
}

function recorded(wire: 'version-2' | 'published'): Exchange[] {
  const file = new URL(`../../fixtures/alfworld/${wire}.jsonl`, import.meta.url);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Exchange);
}

/** A message of version 2, parsed as plain JSON. */
interface Said {
  readonly do?: string;
  readonly kind?: string;
  readonly game?: string;
  readonly command?: string;
  readonly reward?: number;
  readonly won?: boolean;
  readonly observation?: { readonly text: string; readonly admissible: string[] };
}

const version2 = recorded('version-2');
const orders = version2.map(({ received }) => JSON.parse(received) as Said);
const reports = version2.map(({ sent }) => JSON.parse(sent) as Said);

/** The ordered games with their commands. */
const episodes = orders.reduce<{ game: string; commands: string[] }[]>((all, order) => {
  if (order.do === 'begin') all.push({ game: order.game!, commands: [] });
  if (order.do === 'step') all.at(-1)!.commands.push(order.command!);
  return all;
}, []);

const observations: readonly Observation[] = reports
  .filter(({ observation }) => observation)
  .map(({ observation }) => ({
    text: observation!.text,
    admissible: observation!.admissible,
    frames: [],
  }));

/** The run: makes the recorded commands, then closes the world. */
async function acted(opened: HttpWorld) {
  const connected = await opened.connected();
  const tasks = connected.wire === 'published' ? [] : connected.games;
  const environment: Environment = opened.environment({ tasks, count: 2, pictures: false });
  const seen: Observation[] = [];
  const steps: Step[] = [];
  const games: string[] = [];
  for (const [place, { commands }] of episodes.entries()) {
    const at = environment.arrivals ? (await environment.arrivals.next(() => true))! : place;
    const episode = await environment.begin(environment.tasks[at]!, `seed ${place}`);
    games.push(`${episode.task.type} ${episode.task.id}`);
    seen.push(episode.first);
    for (const command of commands) {
      const step = await episode.step(command);
      steps.push(step);
      seen.push(step.observation);
    }
    await episode.close();
  }
  await opened.close();
  return { seen, steps, games };
}

/** The client: sends each body after the previous answer; `rename` inserts this run's name of the client. */
async function replayed(
  { address }: HttpWorld,
  exchanges: readonly Exchange[],
  rename: (text: string, answers: readonly string[]) => string,
) {
  const answers: { status: number; received: string; receivedMd5: string | null }[] = [];
  for (const { path, sent, sentMd5 } of exchanges) {
    const body = rename(
      sent,
      answers.map(({ received }) => received),
    );
    const headers = { 'content-type': 'application/json', ...(sentMd5 !== undefined && { MD5: sentMd5 }) };
    const response = await fetch(new URL(path, address), { method: 'POST', body, headers });
    const received = await response.text();
    answers.push({ status: response.status, received, receivedMd5: response.headers.get('md5') });
  }
  return answers;
}

/** The run's expected observations, on both wires. */
function expectTheGames({ seen, steps, games }: Awaited<ReturnType<typeof acted>>): void {
  expect(seen).toEqual(observations);
  // the first game is won by its last command, the second is left
  expect(steps.map(({ reward }) => reward)).toEqual([0, 0, 0, 0, 1, 0, 0]);
  expect(steps.map(({ info }) => info.won)).toEqual(steps.map(({ reward }) => reward === 1));
  expect(steps.map(({ terminated }) => terminated)).toEqual(steps.map(({ reward }) => reward === 1));
  expect(games).toEqual(episodes.map(({ game }) => `${game.split('-')[0]} ${game}`));
}

describe("an exchange with ALFWorld's own client", () => {
  it('is answered on version 2 as recorded', async () => {
    const opened = await world();
    const name = (welcome: string) => (JSON.parse(welcome) as { client: string }).client;
    const then = name(version2[0]!.received);
    const acting = acted(opened);
    const answers = await replayed(opened, version2, (text, [welcome]) =>
      welcome === undefined ? text : text.replace(then, name(welcome)),
    );
    const now = name(answers[0]!.received);
    expect(answers.map(({ status, received }) => [status, received.replace(now, then)])).toEqual(
      version2.map(({ status, received }) => [status, received]),
    );
    expectTheGames(await acting);
  });

  it('is answered on the published wire as recorded', async () => {
    const opened = await world();
    const exchanges = recorded('published');
    const acting = acted(opened);
    const answers = await replayed(opened, exchanges, (text) => text);
    expect(answers).toEqual(
      exchanges.map(({ status, received, receivedMd5 }) => ({ status, received, receivedMd5 })),
    );
    expectTheGames(await acting);
    // a text with quotes of both kinds, as Python prints it
    expect(answers[0]!.received).toBe(String.raw`['say \'it\\\'s "so"\'']`);
    // after the won game, and after the abandoned one
    expect(answers.map(({ received }) => received === "['SKIP']")).toEqual(
      answers.map((_, place) => place === 5 || place === 8),
    );
  });
});
