/** trackio and MLflow over HTTP: a real server in their place records what arrives. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { mlflow } from './mlflow.ts';
import { trackio } from './trackio.ts';

interface Request {
  readonly path: string;
  readonly key: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

const folder = mkdtempSync(join(tmpdir(), 'emac-services-'));
afterAll(() => rmSync(folder, { recursive: true }));
let requests: Request[] = [];
let answers: (path: string) => { status?: number; body: object };
let server: Server;
let address = '';
beforeEach(async () => {
  requests = [];
  answers = () => ({ body: {} });
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const key = request.headers['x-trackio-write-token'] as string | undefined;
      const body = JSON.parse(Buffer.concat(parts).toString()) as Request['body'];
      requests.push({ path: request.url!, key, body });
      const { status = 200, body: answer } = answers(request.url!);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

/** The folder of a run with one line of metrics. */
function runOf(name: string): string {
  const run = join(folder, name);
  mkdirSync(run);
  writeFileSync(join(run, 'config.yaml'), 'seed: 3\noptimization:\n  learningRate: 0.001\n');
  metrics(run, { kind: 'update', update: 4, loss: 0.5 });
  return run;
}
const metrics = (run: string, line: object) =>
  appendFileSync(join(run, 'metrics.jsonl'), `${JSON.stringify(line)}\n`);
const now = () => new Date(7000);

it('sends each line to trackio once, in order, with the key of the address', async () => {
  const run = runOf('first');
  const env = { TRACKIO_SERVER_URL: `${address}?write_token=secret`, TRACKIO_PROJECT: 'mine' };
  const tracker = trackio({ run, now, env });
  metrics(run, { kind: 'round', success: 0.25 });
  tracker.follow();
  await tracker.close();
  const logs = requests.flatMap(({ body }) => body['logs'] as object[]);
  const config = { seed: 3, optimization: { learningRate: 0.001 } };
  const common = { project: 'mine', run: 'first', run_id: 'first' };
  expect(logs).toEqual([
    { ...common, metrics: { 'update/loss': 0.5 }, step: 4, config, log_id: 'first-0' },
    { ...common, metrics: { 'round/success': 0.25 }, step: 1, config: null, log_id: 'first-1' },
  ]);
  expect(requests.map(({ path, key }) => `${path} ${key}`)).toContain('/api/bulk_log secret');
  expect(requests.every(({ key }) => key === 'secret')).toBe(true);
});

it('replaces a run that MLflow has, and sends its settings, numbers and end', async () => {
  const run = runOf('second');
  writeFileSync(join(run, 'DONE'), '');
  answers = (path) => {
    if (path.endsWith('experiments/search')) return { body: { experiments: [{ experiment_id: '8' }] } };
    if (path.endsWith('runs/search')) return { body: { runs: [{ info: { run_id: 'earlier' } }] } };
    if (path.endsWith('runs/create')) return { body: { run: { info: { run_id: 'new' } } } };
    return { body: {} };
  };
  await mlflow({ run, now, env: { MLFLOW_TRACKING_URI: address } }).close();
  const name = { key: 'emac.run', value: 'second' };
  expect(requests.map(({ path, body }) => [path.replace('/api/2.0/mlflow/', ''), body])).toEqual([
    ['experiments/search', { max_results: 1, filter: "name = 'emac'" }],
    ['runs/search', { experiment_ids: ['8'], filter: "tags.`emac.run` = 'second'" }],
    ['runs/delete', { run_id: 'earlier' }],
    ['runs/create', { experiment_id: '8', run_name: 'second', start_time: 7000, tags: [name] }],
    [
      'runs/log-batch',
      {
        run_id: 'new',
        params: [
          { key: 'seed', value: '3' },
          { key: 'optimization.learningRate', value: '0.001' },
        ],
      },
    ],
    [
      'runs/log-batch',
      { run_id: 'new', metrics: [{ key: 'update/loss', value: 0.5, step: 4, timestamp: 7000 }] },
    ],
    ['runs/update', { run_id: 'new', status: 'FINISHED', end_time: 7000 }],
  ]);
});

it('names the address and its answer where a service refuses', async () => {
  answers = () => ({ status: 403, body: { error: 'a key is needed' } });
  const tracker = trackio({ run: runOf('third'), now, env: { TRACKIO_SERVER_URL: address } });
  await expect(tracker.close()).rejects.toThrow(
    /^http:\/\/127\.0\.0\.1:\d+\/api\/bulk_log: answered 403: .*a key is needed/,
  );
});

it('wants an address before anything begins', () => {
  const run = runOf('fourth');
  expect(() => trackio({ run, now, env: {} })).toThrow(/^TRACKIO_SERVER_URL: must be the address/);
  expect(() => mlflow({ run, now, env: { MLFLOW_TRACKING_URI: 'mlruns' } })).toThrow(
    /^MLFLOW_TRACKING_URI: must be the address of an MLflow server .*got "mlruns"/,
  );
});
