/** How an agent of one's own runs: a function in a thread of its own, or a command for every attempt. */
import { spawn } from 'node:child_process';
import { EmacError, messageOf, type Fact } from '@emac/core';
import { loadedIn, type LoadedModule } from '../environments/module-parts.ts';
import { moduleThread, type ModuleThread, type ThreadOptions } from '../environments/module-thread.ts';

/** What an agent is called with. */
export interface AgentCall {
  /** OpenAI's API of the policy in training */
  readonly baseURL: string;
  /** names this attempt */
  readonly apiKey: string;
  readonly model: string;
  readonly task: Fact;
  /** for draws of the agent; equal in the attempts of a group */
  readonly seed: string;
}

/** One attempt of an agent under way. */
export interface RunningAttempt {
  /** What it returned. Errors: what it threw, or how its process ended. */
  readonly returned: Promise<unknown>;
  /** Ends it where it has not ended by itself. */
  stop(): void;
}

export interface RunningAgent {
  begin(call: AgentCall): RunningAttempt;
  close(): Promise<void>;
}

type Begins = Omit<ThreadOptions, 'seconds'>;

export interface LoadedAgent {
  readonly agent: RunningAgent;
  /** its own tasks; undefined without */
  readonly tasks: unknown;
}

/** All attempts run in one thread, side by side; one that is stopped ends the thread, and the next attempt begins another. Errors: `data`. */
export async function functionAgent(name: string, options: Begins): Promise<LoadedAgent> {
  let thread: ModuleThread | null = null;
  let loading: Promise<LoadedModule> | null = null;
  const started = (): { readonly thread: ModuleThread; readonly loading: Promise<LoadedModule> } => {
    thread ??= moduleThread({ ...options, seconds: Infinity });
    loading ??= loadedIn(thread);
    return { thread, loading };
  };
  const end = async (): Promise<void> => {
    const ended = thread;
    [thread, loading] = [null, null];
    await ended?.close();
  };
  const found = await started().loading;
  if (!found.isFunction)
    throw new EmacError(
      'data',
      `--agent ${name}: its default export must be a function; write export default async ({ baseURL, apiKey, model, task }) => reward`,
    );
  return {
    tasks: found.tasks,
    agent: {
      begin(call) {
        const at = started();
        const returned = at.loading.then(() => at.thread.call({ call: 'run' }, call));
        return {
          returned,
          // a function cannot be stopped from outside: its thread can
          stop: () => void (at.thread === thread && end()),
        };
      },
      close: end,
    },
  };
}

/** Characters of a command's errors that a message repeats. */
const toldCharacters = 300;

/** The command gets what an agent is called with in its environment; the last line that it prints is JSON. */
export function commandAgent(
  command: string,
  { env, said }: Pick<ThreadOptions, 'env' | 'said'>,
): RunningAgent {
  const processes = new Set<() => void>();
  return {
    begin(call) {
      const child = spawn(command, {
        shell: true,
        // a group of its own, so that it ends with all that it began
        detached: process.platform !== 'win32',
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...env, ...variablesOf(call) },
      });
      let printed = '';
      let told = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => void (printed += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        told = (told + text).slice(-toldCharacters);
        said(text);
      });
      const stop = (): void => {
        if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
          killGroup(child.pid);
      };
      processes.add(stop);
      const returned = new Promise<unknown>((resolve, reject) => {
        child.on('error', reject);
        // what it left running may hold its output, and would outlive the attempt
        child.on('exit', () => killGroup(child.pid!));
        child.on('close', (code, signal) => {
          processes.delete(stop);
          if (code !== 0) return reject(new Error(endOf({ code, signal }, told)));
          try {
            resolve(lastLine(printed));
          } catch (thrown) {
            reject(
              new EmacError(
                'data',
                `its last line must be JSON, such as {"reward": 1}: ${messageOf(thrown)}`,
              ),
            );
          }
        });
      });
      return { returned, stop };
    },
    close: async () => {
      for (const stop of processes) stop();
    },
  };
}

function variablesOf({ baseURL, apiKey, model, task, seed }: AgentCall): Record<string, string> {
  return {
    OPENAI_BASE_URL: baseURL,
    OPENAI_API_KEY: apiKey,
    OPENAI_MODEL: model,
    EMAC_TASK: JSON.stringify(task),
    EMAC_SEED: seed,
  };
}

function killGroup(pid: number): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // it has just ended by itself
  }
}

/** Nothing printed is no reward. */
function lastLine(printed: string): unknown {
  const last = printed.trim().split('\n').at(-1)!;
  return last === '' ? undefined : JSON.parse(last);
}

function endOf({ code, signal }: { code: number | null; signal: string | null }, told: string): string {
  const how = code === null ? `was ended by ${signal}` : `ended with code ${code}`;
  const why = told.trim().split('\n').at(-1)!;
  return why === '' ? how : `${how} (${why})`;
}
