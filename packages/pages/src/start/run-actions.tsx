/** What can be done with a run: stop it, resume it, go on from its policy, start it again. Nothing without the right to. */
import { useState } from 'preact/hooks';
import type { AskedRun } from '../data/start.ts';
import { askedAddress, flagsIn } from './asked-run.ts';
import type { Starter } from './starter.ts';

export interface ActedRun {
  /** as in addresses */
  readonly name: string;
  readonly method: string | null;
  readonly environment: string | null;
  readonly policy: string | null;
  readonly state: string | null;
  /** flags of its command, e.g. `--lr 0.001` */
  readonly changed: readonly string[];
}

export interface RunActionsProps {
  readonly run: ActedRun;
  /** null where nothing may be started */
  readonly starter: Starter | null;
}

export function RunActions({ run, starter }: RunActionsProps) {
  const [said, say] = useState<string | null>(null);
  if (starter === null || run.state === null) return null;
  const act = (work: Promise<unknown>, done: string) => {
    say(null);
    work.then(
      () => say(done),
      (thrown: unknown) => say(thrown instanceof Error ? thrown.message : String(thrown)),
    );
  };
  const { name, state } = run;
  return (
    <p class="run-actions">
      {state === 'running' && (
        <button type="button" onClick={() => act(starter.stopRun(name), 'The run saves and stops.')}>
          Stop
        </button>
      )}
      {resumable.has(state) && (
        <button
          type="button"
          onClick={() =>
            act(starter.start({ kind: 'resume', run: name }), 'The run resumes as soon as no other runs.')
          }
        >
          Resume
        </button>
      )}
      <a class="button" href={startAddress(run, name)}>
        Continue from here
      </a>
      <a class="button" href={startAddress(run, null, flagsIn(run.changed))}>
        Run again with these settings
      </a>
      {said !== null && (
        <small class="soft" role="status">
          {said}
        </small>
      )}
    </p>
  );
}

const resumable = new Set(['interrupted', 'killed', 'failed']);

/** The page that starts a run like this one; from its policy, if `from` names it. */
export function startAddress(
  run: Pick<ActedRun, 'method' | 'environment' | 'policy'>,
  from: string | null,
  flags: AskedRun['flags'] = {},
): string {
  const { method, environment, policy } = run;
  const asked = askedAddress({ kind: 'train', method: method ?? 'bc', environment, policy, from, flags });
  const query = new URLSearchParams(
    Object.entries(asked).flatMap(([name, values]) => values.map((value) => [name, value])),
  );
  return `/start?${query}`;
}
