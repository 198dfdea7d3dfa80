/**
 * MLflow, through the REST interface of its server (`mlflow server`). Its older store of plain files (`mlruns`) is refused by MLflow 3.17
 * unless a variable allows it, so it is not written. A resumed run replaces what was sent before its stop.
 */
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import { readText } from '@emac/files';
import { layout } from '@emac/runs';
import { parsedConfig } from '../pages/parsed-config.ts';
import { post, sendTo } from './service.ts';
import type { Tracker } from './tensorboard.ts';
import type { ServiceOptions } from './trackio.ts';

/** The server's address. Errors: `usage` without one, and for a folder or a database. */
export function mlflowAddress(env: ServiceOptions['env']): string {
  const asked = env['MLFLOW_TRACKING_URI'];
  if (asked && /^https?:\/\//.test(asked) && URL.canParse(asked)) return asked;
  throw new EmacError(
    'usage',
    `MLFLOW_TRACKING_URI: must be the address of an MLflow server (http://127.0.0.1:5000 after \`mlflow server\`), got ${JSON.stringify(asked ?? '')}`,
  );
}

/** Most metrics and most parameters of one message. */
const atOnce = { metrics: 1000, params: 100 };

/** Sends every number of the run and its settings to the experiment MLFLOW_EXPERIMENT_NAME (`emac`). Errors: `usage`; those of `sendTo`. */
export function mlflow({ run, now, env }: ServiceOptions): Tracker {
  const base = mlflowAddress(env);
  const name = basename(resolve(run));
  const ask = (path: string, body: object) => post(base, { path: `api/2.0/mlflow/${path}`, body });
  let id = '';
  return sendTo(run, {
    async open() {
      const experiment = await experimentNamed(env['MLFLOW_EXPERIMENT_NAME'] || 'emac', ask);
      const filter = `tags.\`emac.run\` = '${name.replaceAll("'", '')}'`;
      const { runs = [] } = (await ask('runs/search', { experiment_ids: [experiment], filter })) as Found;
      for (const { info } of runs) await ask('runs/delete', { run_id: info.run_id });
      const tags = [{ key: 'emac.run', value: name }];
      const begun = { experiment_id: experiment, run_name: name, start_time: now().getTime(), tags };
      id = ((await ask('runs/create', begun)) as { run: StoredRun }).run.info.run_id;
      for (const params of parts(settingsOf(run), atOnce.params))
        await ask('runs/log-batch', { run_id: id, params });
    },
    async send(measures) {
      const timestamp = now().getTime();
      const all = measures.flatMap(({ step, numbers }) =>
        Object.entries(numbers).map(([key, value]) => ({ key, value, step, timestamp })),
      );
      for (const metrics of parts(all, atOnce.metrics)) await ask('runs/log-batch', { run_id: id, metrics });
    },
    async end() {
      const status = existsSync(join(run, layout.done)) ? 'FINISHED' : 'KILLED';
      await ask('runs/update', { run_id: id, status, end_time: now().getTime() });
    },
  });
}

interface StoredRun {
  readonly info: { readonly run_id: string };
}

interface Found {
  readonly runs?: readonly StoredRun[];
}

type Ask = (path: string, body: object) => Promise<unknown>;

async function experimentNamed(name: string, ask: Ask): Promise<string> {
  const filter = `name = '${name.replaceAll("'", '')}'`;
  const found = (await ask('experiments/search', { max_results: 1, filter })) as {
    experiments?: readonly { experiment_id: string }[];
  };
  const known = found.experiments?.[0];
  if (known) return known.experiment_id;
  return ((await ask('experiments/create', { name })) as { experiment_id: string }).experiment_id;
}

/** Settings of a run by dotted names, as texts; a long value is cut. */
function settingsOf(run: string): { key: string; value: string }[] {
  const flat = (value: unknown, path: string): { key: string; value: string }[] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).flatMap(([name, each]) => flat(each, path === '' ? name : `${path}.${name}`))
      : [{ key: path, value: String(JSON.stringify(value)).slice(0, 500) }];
  return flat(parsedConfig(readText(join(run, layout.config))), '');
}

function parts<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, part) =>
    list.slice(part * size, (part + 1) * size),
  );
}
