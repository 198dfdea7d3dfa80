/**
 * `npx nx bench expert`: labelling only, for 134 games of 30 steps, 8 calls in flight, against a local server that
 * answers in 200 ms; once uninterrupted, and once killed and resumed. Prints the times beside the ideal ones.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killedRun, labelRun } from './label-run.bench.ts';
import { slowServer } from './slow-server.bench.ts';

const [games = 134, steps = 30, inFlight = 8, answersAfterMs = 200] = process.argv.slice(2).map(Number);
const labels = games * steps;
const ideal = (labels * answersAfterMs) / inFlight / 1000;
const folder = mkdtempSync(join(tmpdir(), 'emac-labels-'));
const say = (line: string): void => void process.stdout.write(`${line}\n`);

say(
  `${labels} labels, ${inFlight} in flight, a server that answers in ${answersAfterMs} ms: ideal ${ideal.toFixed(1)} s`,
);
{
  const server = await slowServer(answersAfterMs);
  const journal = join(folder, 'whole.jsonl');
  const { ms } = await labelRun({ baseUrl: server.baseUrl, journal, games, steps, inFlight });
  const seconds = ms / 1000;
  say(
    `to the end: ${seconds.toFixed(1)} s, ${(seconds / ideal).toFixed(3)} of the ideal; ${server.requests()} requests, at most ${server.mostAtOnce()} at once`,
  );
  await server.close();
}
{
  const server = await slowServer(answersAfterMs);
  const told = { baseUrl: server.baseUrl, journal: join(folder, 'killed.jsonl'), games, steps, inFlight };
  const before = await killedRun(told, Math.floor(labels * 0.4));
  const { ms, commands } = await labelRun(told);
  const kept = before.filter((text) => commands.includes(text)).length;
  const rest = ((labels - before.length) * answersAfterMs) / inFlight / 1000;
  say(
    `killed after ${before.length} replies and gone on with: ${(ms / 1000).toFixed(1)} s for the rest (ideal ${rest.toFixed(1)} s)`,
  );
  say(
    `${server.requests()} requests in all, ${server.repeated()} of them repeated; ${kept} of ${before.length} journaled replies used`,
  );
  await server.close();
}
rmSync(folder, { recursive: true });
