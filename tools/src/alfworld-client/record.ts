/**
 * Records an exchange between the Python client, with ALFWorld's own games, and a run, over both wires;
 * `packages/bridge` replays it. Two games are played with given commands: one is won, after a refused command; the
 * other is left early.
 *
 *   EMAC_PYTHON=~/alfworld/bin/python node tools/dist/alfworld-client/record.js OUT GAME GAME
 *
 * Each GAME is a path to `<task>/<trial>/game.tw-pddl` with a `walkthrough`; the paths are in the record. OUT gets
 * `version-2.jsonl` and `published.jsonl`: one exchange per line.
 */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { openHttpWorld, type HttpWorld } from '@emac/bridge';
import type { Environment } from '@emac/core';
import { startPython } from './python.ts';

export interface Exchange {
  readonly path: string;
  readonly sent: string;
  /** of the published wire */
  readonly sentMd5?: string;
  readonly status: number;
  readonly received: string;
  readonly receivedMd5?: string;
}

/** Refused by every game; Python's `repr` must escape its quotes and backslash. */
const refused = `say 'it\\'s "so"'`;

const [out, won, left] = process.argv.slice(2);
if (!out || !won || !left) throw new Error('record: needs OUT and two games');
const ids = [won, left].map((path) => path.split('/').slice(-3, -1).join('/'));
const commands = [
  [refused, ...(JSON.parse(readFileSync(won, 'utf8')) as { walkthrough: string[] }).walkthrough],
  ['inventory', 'help'],
];

for (const wire of ['2', 'published'] as const) {
  const exchanges = await recorded(wire);
  const lines = exchanges.map((each) => `${JSON.stringify(each)}\n`);
  writeFileSync(join(out, `${wire === '2' ? 'version-2' : wire}.jsonl`), lines.join(''));
}

async function recorded(wire: '2' | 'published'): Promise<Exchange[]> {
  const world = await openHttpWorld({ port: 0 });
  const exchanges: Exchange[] = [];
  const proxy = createServer((request, response) => {
    void passedOn(world, request).then((exchange) => {
      // skips messages after the world was closed
      if (exchange.status === 200) exchanges.push(exchange);
      const headers = exchange.receivedMd5 === undefined ? {} : { MD5: exchange.receivedMd5 };
      response.writeHead(exchange.status, headers).end(exchange.received);
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const games = ['--games', dirname(dirname(dirname(won!))), ...ids.flatMap((id) => ['--game', id])];
  const rounds = wire === 'published' ? ['--rounds', '1'] : [];
  const client = startPython(['play.py', '--connect', address, '--wire', wire, ...games, ...rounds]);
  const connected = await world.connected();
  const tasks = connected.wire === 'published' ? [] : connected.games;
  await played(world.environment({ tasks, count: 2, pictures: false }));
  await world.close();
  const { status, stderr } = await client.ended;
  proxy.close();
  if (status !== 0) throw new Error(`record: the client ended with ${status}: ${stderr}`);
  return exchanges;
}

async function played(environment: Environment): Promise<void> {
  for (const [place, each] of commands.entries()) {
    const at = environment.arrivals ? await environment.arrivals.next(() => true) : place;
    const episode = await environment.begin(environment.tasks[at!]!, `seed ${place}`);
    for (const command of each) await episode.step(command);
    await episode.close();
  }
}

async function passedOn(world: HttpWorld, request: IncomingMessage): Promise<Exchange> {
  const body = await request.toArray();
  const sent = Buffer.concat(body as Buffer[]);
  const path = request.url!;
  const sentMd5 = request.headers['md5'];
  const headers =
    typeof sentMd5 === 'string' ? { MD5: sentMd5 } : { 'content-type': request.headers['content-type']! };
  const answer = await fetch(new URL(path, world.address), { method: 'POST', body: sent, headers });
  const receivedMd5 = answer.headers.get('md5');
  return {
    path,
    sent: sent.toString(),
    ...(typeof sentMd5 === 'string' && { sentMd5 }),
    status: answer.status,
    received: await answer.text(),
    ...(receivedMd5 !== null && { receivedMd5 }),
  };
}
