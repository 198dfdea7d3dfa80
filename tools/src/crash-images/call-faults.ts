/** The n-th call of a command's file system fails. The command ends with one sentence, and its run resumes to the bytes of the undisturbed one. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Ended } from './emac.ts';
import type { Expectations } from './expectations.ts';
import { materialize, readTree } from './image.ts';
import { beginIn, different, played, resumeIn, type Bench } from './trial.ts';
import { watchCalls, type Call } from './watched-calls.ts';

/** A disk that stays full, a bad block, too many open files, a signal, a write that writes half. */
export const callFaults = ['ENOSPC', 'EIO', 'EMFILE', 'EINTR', 'short'] as const;
export type CallFault = (typeof callFaults)[number];

const affects: Readonly<Record<CallFault, (call: Call) => boolean>> = {
  ENOSPC: ({ name }) => /^(open|write|mkdir|rename)/.test(name),
  EIO: () => true,
  EMFILE: ({ name }) => /^(open|readFile|readdir)/.test(name),
  EINTR: ({ name }) => /^(open|write|fsync)/.test(name),
  short: ({ name }) => name === 'writeSync',
};

/** statuses of a failed disk: cannot be created, input or output failed, or a file that cannot be read */
const allowed = new Set([73, 74]);

export interface Struck {
  /** false if the command has fewer such calls */
  readonly isStruck: boolean;
  readonly faults: readonly string[];
}

/** Lets call number `nth` (from 0) of those that `fault` affects fail. */
export async function struckAt(
  bench: Bench,
  { end }: Expectations,
  { fault, nth }: { readonly fault: CallFault; readonly nth: number },
): Promise<Struck> {
  const [out, later] = [join(bench.folder, 'image'), join(bench.folder, 'later')];
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out);
  let [seen, struck] = [0, null as Call | null];
  const stop = watchCalls(out, {
    before(call) {
      if (!affects[fault](call)) return;
      const place = seen++;
      if (place < nth || (place > nth && fault !== 'ENOSPC')) return;
      struck ??= call;
      if (fault === 'short') return 1;
      throw Object.assign(new Error(`${fault}: injected, ${call.name} '${call.path}'`), {
        code: fault,
        path: call.path,
        syscall: call.name,
      });
    },
  });
  const first = await played(bench, beginIn(bench, out), out).finally(stop);
  if (!struck) return { isStruck: false, faults: [] };
  const at = (text: string) =>
    `${fault} at call ${nth} (${struck!.name} ${struck!.path.slice(out.length + 1)}): ${text}`;
  const wrong = ofEnd(first, fault);
  if (wrong) return { isStruck: true, faults: [at(wrong)] };
  if (first.status === 0)
    return {
      isStruck: true,
      faults: different(end, readTree(out)).map((each) => at(`succeeded, and ${each}`)),
    };
  // elsewhere: this process could believe that it still holds the run
  materialize(later, readTree(out));
  const second = await played(bench, resumeIn(bench, later), later);
  // a complete result is not made again
  if (second.status === 73 && different(end, readTree(later)).length === 0)
    return { isStruck: true, faults: [] };
  if (second.status !== 0)
    return {
      isStruck: true,
      faults: [at(`${sentence(first)}; resumed, ended with ${second.status}: ${sentence(second)}`)],
    };
  return {
    isStruck: true,
    faults: different(end, readTree(later)).map((each) => at(`resumed, and ${each}`)),
  };
}

function ofEnd(ended: Ended, fault: CallFault): string | null {
  const { status } = ended;
  if (status === 0) return null;
  if (fault === 'short') return `a short write ended it with ${status}: ${sentence(ended)}`;
  if (!allowed.has(status)) return `ended with ${status}: ${sentence(ended)}`;
  return /\n\s+at /.test(ended.stderr) ? `printed a stack: ${ended.stderr}` : null;
}

function sentence({ stderr }: Ended): string {
  return (
    stderr
      .trim()
      .split('\n')
      .find((line) => line.startsWith('emac:')) ?? stderr.slice(-300)
  );
}
