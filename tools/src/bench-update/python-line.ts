/** A Python program that answers each line of JSON with one line of JSON. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface PythonLine {
  ask(request: object): Promise<Record<string, unknown>>;
  end(): void;
}

/** Starts it. Errors: when it ends instead of answering. */
export function pythonLine(python: string, parameters: readonly string[]): PythonLine {
  const child = spawn(python, parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    ask: async (request) => {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`${python}: ended without an answer`);
      return JSON.parse(value as string) as Record<string, unknown>;
    },
    end: () => child.stdin.end(),
  };
}
