/** The commands that pages asked for: the one that runs, those that wait, and those that have ended. */
import { useState } from 'preact/hooks';
import type { QueuedCommand } from '../data/start.ts';
import { flagsOf } from './command-words.ts';
import type { Starter } from './starter.ts';

export interface CommandListProps {
  readonly commands: readonly QueuedCommand[];
  readonly starter: Starter;
}

export function CommandList({ commands, starter }: CommandListProps) {
  if (commands.length === 0) return <p class="soft">Nothing was started from a page yet.</p>;
  return (
    <ol class="commands">
      {commands.map((command) => (
        <li key={command.id} class={command.state}>
          <Command command={command} starter={starter} />
        </li>
      ))}
    </ol>
  );
}

function Command({ command, starter }: { readonly command: QueuedCommand; readonly starter: Starter }) {
  const { id, command: text, state, run, message } = command;
  const [said, say] = useState<string | null>(null);
  const stop = () => {
    say(state === 'running' ? 'saves and stops …' : null);
    starter.stopCommand(id).catch((thrown: unknown) => say(String(thrown)));
  };
  const isOpen = state === 'running' || state === 'waiting';
  return (
    <>
      <span class={`state ${marks[state]}`}>{state}</span>
      <span class="what">
        {run === null ? null : <a href={`/run/${encodeURIComponent(run)}`}>{run}</a>}
        <code title={text}>{flagsOf(text)}</code>
        {message !== null && <small class="lost">{message}</small>}
        {isOpen && said !== null && <small class="soft">{said}</small>}
      </span>
      {isOpen && (
        <button type="button" onClick={stop}>
          {state === 'running' ? 'Stop' : 'Remove'}
        </button>
      )}
    </>
  );
}

/** the mark of a run that stands so */
const marks = {
  waiting: '',
  running: 'running',
  done: 'done',
  stopped: 'interrupted',
  failed: 'failed',
  cancelled: '',
} as const;
