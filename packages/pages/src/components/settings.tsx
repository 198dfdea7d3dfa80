/** The settings of a run: the command that began it, and every value in use, folded. */
import { useState } from 'preact/hooks';
import type { RunView } from '../data/run-view.ts';
import { flagWords } from '../data/words.ts';

export function Settings({ run: { command, config } }: { readonly run: RunView }) {
  if (command === null && config === null) return null;
  return (
    <section>
      <h2>Settings</h2>
      {command !== null && <Command text={command.trim()} />}
      {config !== null && (
        <details id="settings">
          <summary>Every setting with the value in use</summary>
          <pre tabIndex={0}>{config}</pre>
        </details>
      )}
    </section>
  );
}

/** What differs from the defaults, as the command's flags say it. */
export function Changed({ changed }: Pick<RunView, 'changed'>) {
  if (changed.length === 0) return null;
  return (
    <ul class="chips" aria-label="changed settings">
      {changed.map((flag) => (
        <li title={flag}>{flagWords(flag)}</li>
      ))}
    </ul>
  );
}

/** A command to be copied, without the lines that are comments. */
export function Command({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text.replace(/^#.*\n/gm, ''));
    setCopied(true);
  };
  return (
    <div class="command">
      <pre tabIndex={0}>{text}</pre>
      <button type="button" onClick={() => void copy()}>
        {isCopied ? 'copied' : 'copy'}
      </button>
    </div>
  );
}
