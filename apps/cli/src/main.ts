/**
 * The process around the command: streams, signals, exit status. Ctrl-C ends it at once (130). While a run is being written, the first Ctrl-C lets the run
 * finish its step and save (75); the second ends it at once. A closed output is no fault. A lost result (full disk) is one (74); lost progress text is not, so
 * that no run dies of it.
 */
import { EmacError } from '@emac/core';
import { reported, runCommand } from './run-command.ts';
import { say, type Io, type Writer } from './terminal/io.ts';

const statusOf = { SIGINT: 130, SIGTERM: 143 } as const;
const interruption = new AbortController();
/** the work to finish after a first interruption; null if an interruption ends the process */
let finishing: string | null = null;
let lostResult: EmacError | null = null;

const signals = ['SIGINT', 'SIGTERM'] as const;

for (const signal of signals)
  process.on(signal, () => {
    // ends the line with the terminal's own ^C and the progress
    if (io.stderr.isTerminal) io.stderr.write('\n');
    if (finishing === null || interruption.signal.aborted) exit(statusOf[signal]);
    interruption.abort();
    say(io.stderr, `finishing ${finishing}; again to quit`);
  });

/** Ends the process after the current graph of ONNX Runtime. A second signal ends it at once. */
function exit(status: number): never {
  for (const signal of signals) process.removeAllListeners(signal);
  process.exit(status);
}

function writer(stream: NodeJS.WriteStream): Writer {
  let isClosed = false;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    isClosed = true;
    if (error.code !== 'EPIPE' && stream === process.stdout)
      lostResult = new EmacError('io', `cannot write standard output: ${error.message}`, { cause: error });
  });
  return {
    write: (text) => {
      if (!isClosed) stream.write(text);
    },
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.columns || 100;
    },
    get isClosed() {
      return isClosed;
    },
  };
}

const io: Io = {
  stdout: writer(process.stdout),
  stderr: writer(process.stderr),
  stdin: process.stdin,
  // a copy: a custom environment must not find keys in the original
  env: { ...process.env },
  now: () => Date.now(),
  catchInterruption: (said = 'the step and saving') => {
    finishing = said;
    return interruption.signal;
  },
};

// a test facility: ordinary calls do not load it
if (process.env['EMAC_FAILPOINT'] || process.env['EMAC_FAILPOINT_FD'])
  (await import('./failpoint-environment.ts')).armFailpoints(process.env);
const status = await runCommand(process.argv.slice(2), io);
// pipes may still hold output; a stream without a reader calls back with an error
for (const stream of [process.stdout, process.stderr])
  if (stream.writable) await new Promise<void>((resolve) => stream.write('', () => resolve()));
exit(status === 0 && lostResult !== null ? await reported(lostResult, io) : status);
