/** A client of an environment service, with core's `Environment` contract. */
import { EmacError, LostEpisode, type Environment, type Episode, type Step, type Task } from '@emac/core';
import type { z } from 'zod';
import { observationFrom } from '../wire/observation.ts';
import { environmentRoutes as routes } from '../wire/routes.ts';
import { begunSchema, offeredSchema, refusalSchema, steppedSchema, wireVersion } from '../wire/schemas.ts';
import { codeOfStatus, parsedJson, postedJson, refusalIn } from '../wire/json-exchange.ts';
import type { Connection } from './post.ts';

export interface ConnectWorldOptions extends Partial<Omit<Connection, 'url'>> {
  /** whether to request pictures; default true */
  readonly pictures?: boolean;
}

/**
 * The environment offered by `environmentService` at a URL. Errors: `unavailable`, `auth` for a token, `data` if
 * another server answers; of its episodes `LostEpisode`.
 */
export async function connectWorld(
  url: string,
  { pictures = true, ...options }: ConnectWorldOptions = {},
): Promise<Environment> {
  const connection: Connection = { retryMs: 10_000, wait: realWait, ...options, url };
  const offered = await got(connection);
  return {
    tasks: offered.games,
    begin: (task, seed) => begun(connection, task, { game: task.id, seed, pictures }),
  };
}

const realWait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

async function got({
  url,
  token,
  signal,
  fetch: ask = fetch,
}: Connection): Promise<z.infer<typeof offeredSchema>> {
  let response: Response;
  try {
    const headers = token ? { authorization: `Bearer ${token}` } : {};
    response = await ask(new URL(routes.games.path, url), { headers, ...(signal && { signal }) });
  } catch (cause) {
    throw new EmacError('unavailable', `${url}: does not answer; start the environment first`, { cause });
  }
  if (codeOfStatus(response.status) === 'auth') throw await refusalIn(response, url);
  const read = offeredSchema.safeParse(parsedJson(await response.text()));
  if (read.success) return read.data;
  throw new EmacError('data', `${url}: offers no environment of version ${wireVersion}`);
}

async function begun(
  connection: Connection,
  task: Task,
  asked: { readonly game: string; readonly seed: string; readonly pictures: boolean },
): Promise<Episode> {
  const ask = <T>(path: string, body: object, schema: z.ZodType<T>) =>
    said(connection, task, { path, body, schema });
  const { episode, observation } = await ask(routes.begin.path, asked, begunSchema);
  let steps = 0;
  let last: Step | null = null;
  return {
    task,
    first: await observationFrom(observation),
    async step(command) {
      if (last?.terminated || last?.truncated) return last;
      const made = await ask(routes.step.path, { episode, step: ++steps, command }, steppedSchema);
      const { reward, won, done: terminated, truncated } = made;
      const seen = await observationFrom(made.observation);
      return (last = { observation: seen, reward, terminated, truncated, info: { won } });
    },
    async close() {
      await postedJson(connection, routes.close.path, { body: { episode } }).catch(() => {});
    },
  };
}

interface Asked<T> {
  readonly path: string;
  readonly body: object;
  readonly schema: z.ZodType<T>;
}

/** Errors: `LostEpisode` for any fault, `interrupted`. */
async function said<T>(connection: Connection, { id }: Task, { path, body, schema }: Asked<T>): Promise<T> {
  try {
    const response = await postedJson(connection, path, { body });
    const answer = parsedJson(await response.text());
    const read = schema.safeParse(answer);
    if (response.ok && read.success) return read.data;
    const refusal = refusalSchema.safeParse(answer);
    const why = refusal.success ? refusal.data.error.message : `status ${response.status}`;
    throw new LostEpisode(`${id}: ${why}`);
  } catch (thrown) {
    if (thrown instanceof EmacError && thrown.code === 'unavailable' && !(thrown instanceof LostEpisode))
      throw new LostEpisode(`${id}: ${thrown.message}`, { cause: thrown });
    throw thrown;
  }
}
