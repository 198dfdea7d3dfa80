/** The routes of OpenEnv's tasks, under the environment's name. */
import type { OpenedKind } from '@emac/core';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { jsonOf } from '../server/json-body.ts';
import { refused } from '../server/refusal.ts';
import { checked, splitNames } from './protocol.ts';
import { listedSplits, listedTasks, sourceOf } from './tasks.ts';

const split = z.enum(splitNames);
const number = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const bySplit = z.strictObject({ split });
const byIndex = z.strictObject({ split, index: number });
const byRange = z.strictObject({ split, start: number.nullish(), stop: number.nullish() });

export function addTaskRoutes(app: Hono, kind: OpenedKind): void {
  const name = nameOf(kind.id);
  /** Answers under this name alone, in any case. */
  const named = (answer: (context: Context) => Promise<object>) => async (context: Context) => {
    const asked = context.req.param('name') ?? '';
    if (asked.toLowerCase() !== name.toLowerCase()) return refused(unknown(name));
    return context.json(await answer(context));
  };
  const posted = <T>(schema: z.ZodType<T>, answer: (body: T) => object) =>
    named(async ({ req }) => answer(checked(schema, await jsonOf(req.raw), 'body')));
  app.get('/list_environments', (context) => context.json([name]));
  app.get(
    '/:name/splits',
    named(async () => listedSplits()),
  );
  app.post(
    '/:name/tasks',
    posted(bySplit, (asked) => ({ tasks: listedTasks(kind, asked.split, {}), env_name: name })),
  );
  app.post(
    '/:name/num_tasks',
    posted(bySplit, (asked) => ({ num_tasks: sourceOf(kind, asked.split).count })),
  );
  app.post(
    '/:name/task',
    posted(byIndex, ({ split: asked, index }) => ({
      task: listedTasks(kind, asked, { start: index, stop: index + 1 })[0],
    })),
  );
  app.post(
    '/:name/task_range',
    posted(byRange, ({ split: asked, start, stop }) => ({
      tasks: listedTasks(kind, asked, { start: start ?? 0, ...(stop != null && { stop }) }),
    })),
  );
}

/** The last part of an id: a route's name has no slash. */
function nameOf(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

function unknown(name: string) {
  return { status: 404, code: 'not_found', message: `The environment here is called ${name}.` };
}
