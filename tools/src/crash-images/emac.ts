/** `emac` inside this process, so that its calls of node:fs can be watched and a resume costs no start. */
import { Readable } from 'node:stream';

export interface Ended {
  readonly status: number;
  readonly stderr: string;
}

interface Command {
  runCommand(argv: readonly string[], io: object): Promise<number>;
}

const program = new URL('../../../apps/cli/dist/run-command.js', import.meta.url).href;

/** Runs `emac <argv>` until it ends, or `stop` interrupts it. */
export async function emac(argv: readonly string[], stop = new AbortController().signal): Promise<Ended> {
  const { runCommand } = (await import(program)) as Command;
  let stderr = '';
  const writer = (write: (text: string) => void) => ({
    write,
    isTerminal: false,
    columns: 100,
    isClosed: false,
  });
  const status = await runCommand(argv, {
    stdout: writer(() => {}),
    stderr: writer((text) => void (stderr += text)),
    stdin: Readable.from([]),
    env: { ...process.env },
    now: () => Date.now(),
    catchInterruption: () => stop,
  });
  return { status, stderr };
}
