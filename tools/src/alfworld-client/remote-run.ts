/** A run with the Python client as its world, and the comparison of two runs. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startEmac, startPython, type Ran, type Running } from './python.ts';

export interface RemoteRun {
  readonly run: Ran;
  readonly client: Ran;
}

/** No step is too slow for a test. */
const patiently = ['--step-seconds', '900'];

/** Starts `emac <argv> --world http`, and the client with these flags once the port is open; waits for both. */
export async function playedByPython(
  argv: readonly string[],
  client: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<RemoteRun> {
  let playing: Running | null = null;
  const run = startEmac([...argv, '--world', 'http', '--port', '0', ...patiently], {
    onStderr: (written) => {
      const address = /--connect (http:\/\/[\d.:]+)/.exec(written)?.[1];
      if (address && !playing)
        playing = startPython(['play.py', '--connect', address, ...patiently, ...client], { env });
    },
  });
  const ended = await run.ended;
  const played = playing as Running | null;
  if (!played) throw new Error(`the run opened no port: ${ended.stderr}`);
  return { run: ended, client: await played.ended };
}

/** The only run folder in `out`. */
export function runIn(out: string): string {
  const names = readdirSync(out).filter((name) => !name.startsWith('.'));
  if (names.length !== 1) throw new Error(`${out}: must hold one run, has ${names.length}`);
  return join(out, names[0]!);
}
