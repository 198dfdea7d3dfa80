/** What a page does to start, stop and resume runs: requests of the board, each with the token of its address. */
import type { AskedCommand, CommandPreview, QueuedCommand, StartForm, StartSubject } from '../data/start.ts';

/** Errors: those that the board says, as they are shown. */
export interface Starter {
  form(subject: StartSubject): Promise<StartForm>;
  preview(asked: AskedCommand): Promise<CommandPreview>;
  start(asked: AskedCommand): Promise<QueuedCommand>;
  /** newest first */
  commands(): Promise<readonly QueuedCommand[]>;
  stopCommand(id: number): Promise<void>;
  stopRun(name: string): Promise<void>;
}

/** Of the board that the page came from. */
export function servedStarter(token: string): Starter {
  const authorization = `Bearer ${token}`;
  const get = <T>(path: string) => answer<T>(path, { headers: { authorization } });
  const post = <T>(path: string, body: object = {}) =>
    answer<T>(path, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return {
    form: ({ method, environment, policy }) => {
      const asked = new URLSearchParams({ method, environment: environment ?? '', policy: policy ?? '' });
      return get<StartForm>(`settings?${asked}`);
    },
    preview: (asked) => post('commands/preview', asked),
    start: (asked) => post('commands', asked),
    commands: async () => (await get<{ readonly commands: readonly QueuedCommand[] }>('commands')).commands,
    stopCommand: (id) => post(`commands/${id}/stop`),
    stopRun: (name) => post(`runs/${encodeURIComponent(name)}/stop`),
  };
}

/** Errors: with the words of the board. */
async function answer<T>(path: string, asked: RequestInit): Promise<T> {
  const reply = await fetch(`/api/${path}`, asked);
  const said = (await reply.json()) as T & { readonly error?: string };
  if (!reply.ok) throw new Error(said.error ?? `${path}: ${reply.status}`);
  return said;
}
