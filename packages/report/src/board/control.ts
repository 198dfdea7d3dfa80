/** What a board may change, if it may: the program that serves it starts and stops the runs. */
import type { AskedCommand, CommandPreview, QueuedCommand, StartForm, StartSubject } from '@emac/pages';

export interface Control {
  /** the secret that every change needs */
  readonly token: string;
  /** Errors: `usage` for an unknown method. */
  form(subject: StartSubject): Promise<StartForm>;
  preview(asked: AskedCommand): Promise<CommandPreview>;
  /** Errors: `usage` for a command that is refused. */
  start(asked: AskedCommand): Promise<QueuedCommand>;
  /** newest first */
  commands(): readonly QueuedCommand[];
  /** Takes one that waits out of the queue, or asks a running one to save and stop. Errors: `missing`. */
  stopCommand(id: number): void;
  /** Asks a run of this machine to save and stop. Errors: `missing`, `unavailable`, `auth`. */
  stopRun(folder: string): void;
  /** Counts changes of the commands. */
  readonly version: number;
  /** Records an action, or that it was refused. */
  record(action: string, detail: Readonly<Record<string, unknown>>): void;
}
