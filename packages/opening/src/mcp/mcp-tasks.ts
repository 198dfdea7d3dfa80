/** Tasks at an MCP server, from a file: what the policy is asked, how its work is checked, and how a script does it. */
import { EmacError, type KindSettings, type OpenedKind, type Task, type ToolCall } from '@emac/core';
import { z } from 'zod';
import { fileTasks } from '../agents/agent-tasks.ts';

const pattern = z.string().refine(isPattern, { error: 'must be a regular expression' });

const call = z.strictObject({
  name: z.string().min(1),
  arguments: z.record(z.string(), z.json()).default({}),
});

const check = z
  .strictObject({
    /** of a tool's whole result, one that is no error */
    result: pattern.optional(),
    /** made by the environment; absent: the policy's own calls are checked */
    call: call.optional(),
    /** of an answer without a call, which ends the episode */
    answer: pattern.optional(),
  })
  .refine(({ result, answer }) => result !== undefined || answer !== undefined, {
    error: 'needs result or answer, a regular expression',
  })
  .refine(({ result, call: made }) => result !== undefined || made === undefined, {
    error: 'has a call, so it needs result, a regular expression of what the call gives',
  });

const schema = z.strictObject({
  id: z.string().min(1),
  split: z.string().optional(),
  prompt: z.string().min(1),
  /** by their paths in the episode's folder */
  files: z
    .record(z.string().refine(isInside, { error: 'must be a path inside {dir}' }), z.string())
    .default({}),
  solution: z.array(z.union([call, z.string().min(1)])).optional(),
  check,
});

export type McpCheck = z.infer<typeof check>;
export type McpTask = z.infer<typeof schema>;

export interface McpTasks {
  readonly tasks: OpenedKind['tasks'];
  of(id: string): McpTask;
  readonly all: readonly McpTask[];
  readonly sha256: string;
}

/** `place` names the environment in errors. Errors: `usage` without a file; `missing`; `data` for a task that is none, by its line. */
export function mcpTasks(
  place: string,
  type: string,
  sources: Pick<KindSettings, 'source' | 'heldOut'>,
): McpTasks {
  if (sources.source == null)
    throw new EmacError(
      'usage',
      `${place}: needs tasks; give --tasks FILE.jsonl, or end its name with #tasks=FILE.jsonl`,
    );
  const { tasks, valueOf, sha256 } = fileTasks({ place, type }, sources);
  const sets = [tasks.training, tasks.heldOut];
  if (sets.some(({ count }) => count === 0))
    throw new EmacError(
      'data',
      `${sources.source}: needs a task to train on and one that is held out, got ${tasks.training.count} and ${tasks.heldOut.count}; add tasks, or set split`,
    );
  const named = sets.flatMap(({ count, at }) => Array.from({ length: count! }, (_, number) => at(number)));
  const read = new Map(named.map((task) => [task.id, taskOf(sources.source!, task, valueOf(task))]));
  return { tasks, sha256: sha256!, all: [...read.values()], of: (id) => read.get(id)! };
}

function taskOf(path: string, { id }: Task, value: unknown): McpTask {
  const { data, error } = schema.safeParse(value);
  if (data) return data;
  const [{ path: where, message }] = error.issues as [z.core.$ZodIssue];
  throw new EmacError('data', `${path}: task ${id}: ${[...where, message].join(': ')}`);
}

/** The calls of a solution, in its order. */
export function callsIn({ solution = [] }: McpTask): readonly ToolCall[] {
  return solution.flatMap((step) => (typeof step === 'string' ? [] : [step]));
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}

function isInside(path: string): boolean {
  const parts = path.split(/[\\/]/);
  return parts.every((part) => part !== '' && part !== '.' && part !== '..' && !part.includes(':'));
}
