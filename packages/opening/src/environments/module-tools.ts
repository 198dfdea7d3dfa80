/** Tools of a custom environment in place of actions: what they are called, what a call must hold, and what they say. */
import { callText, readCallText, type AskedTool, type Fact, type ToolCall } from '@emac/core';
import { answerParts, callsNoTool, readCall } from '@emac/postprocess';
import { z } from 'zod';
import { isFunction, isRecord, refused } from './module-faults.ts';

export interface ModuleTools {
  readonly asked: readonly AskedTool[];
  /** What is wrong with a call, in a sentence; null: nothing. */
  fault(call: ToolCall): string | null;
  /** Calls the tool; `made` is what `begin` gave. An action that is no right call gets an observation that says so, and no reward. */
  act(action: string, made: unknown): unknown;
}

interface Tool {
  readonly asked: AskedTool;
  readonly schema: z.ZodType;
  readonly run: (this: unknown, ...given: readonly unknown[]) => unknown;
}

/** Null without tools. `answer` takes an answer that calls none. Errors: `data` for tools that are none. */
export function toolsOf(path: string, given: unknown, answer?: unknown): ModuleTools | null {
  if (answer != null && (!isFunction(answer) || given == null))
    throw refused(path, 'answer must be a function, beside tools: it takes an answer that calls none');
  if (given === undefined || given === null) return null;
  if (!isRecord(given) || Array.isArray(given) || Object.keys(given).length === 0)
    throw refused(path, 'tools must be an object of tools by their names');
  const tools = new Map(Object.entries(given).map(([name, tool]) => [name, toolOf(path, name, tool)]));
  const names = [...tools.keys()].join(', ');
  const fault = ({ name, arguments: values }: ToolCall): string | null => {
    const tool = tools.get(name);
    if (!tool) return `There is no tool ${name}; there are ${names}.`;
    const { error } = tool.schema.safeParse(values);
    if (!error) return null;
    const issues = error.issues.map(({ path: place, message }) => [...place, message].join(': '));
    return `${name}: wrong arguments: ${issues.join('; ')}.`;
  };
  return {
    asked: [...tools.values()].map(({ asked }) => asked),
    fault,
    async act(action, made) {
      const own = readCallText(action);
      const read = own ? { call: own } : readCall(action);
      if (isFunction(answer) && 'fault' in read && read.fault === callsNoTool) {
        const told = await answer.call(given, answerParts(action).answer.trim(), made);
        if (told !== null && told !== undefined) return stepOf(told);
      }
      const wrong = 'fault' in read ? `The answer ${read.fault}. Call one of ${names}.` : fault(read.call);
      if (wrong !== null) return { observation: wrong, reward: 0, done: false };
      const { name, arguments: values } = (read as { readonly call: ToolCall }).call;
      const told = await tools.get(name)!.run.call((given as Record<string, unknown>)[name], values, made);
      return stepOf(told);
    },
  };
}

/** A text ends nothing and pays nothing. */
function stepOf(told: unknown): unknown {
  return typeof told === 'string' ? { observation: told, reward: 0, done: false } : told;
}

function toolOf(path: string, name: string, given: unknown): Tool {
  const { description, parameters, run } = isRecord(given) ? given : {};
  if (typeof description !== 'string' || !isRecord(parameters) || !isFunction(run))
    throw refused(
      path,
      `tools.${name} must have a description, parameters (a JSON schema) and a function run`,
    );
  const schema = { ...parameters } as { readonly [name: string]: Fact };
  try {
    return {
      asked: { type: 'function', function: { name, description, parameters: schema } },
      schema: z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]),
      run,
    };
  } catch (thrown) {
    throw refused(path, `tools.${name}.parameters cannot be read: ${(thrown as Error).message}`);
  }
}

/** An expert's `{ name, arguments }` as an action; anything else as it is. */
export function calledBy(answer: unknown): unknown {
  if (!isRecord(answer)) return answer;
  const { name, arguments: values } = answer;
  return typeof name === 'string' && isRecord(values) && !Array.isArray(values)
    ? callText({ name, arguments: values as ToolCall['arguments'] })
    : answer;
}
