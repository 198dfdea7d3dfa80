/** A run's name in the list: a link, a star, and a name and note that are edited in place. */
import { useState } from 'preact/hooks';
import type { RunRow } from '../data/run-row.ts';
import { environmentWords, methodWords, nameWords } from '../data/words.ts';
import type { NoteChange, Source } from '../data/source.ts';

export function RunName({ row, source }: { readonly row: RunRow; readonly source: Source }) {
  const [isEdited, setEdited] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const { note } = source;
  const address = source.address(row);
  const shown = row.title ?? nameWords(row.name);
  const keep = (change: NoteChange) => {
    setEdited(false);
    note!(row.name, change).then(
      () => setFault(null),
      (thrown: unknown) => setFault(thrown instanceof Error ? thrown.message : String(thrown)),
    );
  };
  if (isEdited) return <Editing row={row} keep={keep} leave={() => setEdited(false)} />;
  return (
    <span class="named" title={row.name}>
      {note !== null && (
        <button
          type="button"
          class="plain star"
          aria-pressed={row.isStarred}
          aria-label={`star ${row.name}`}
          onClick={() => keep({ isStarred: !row.isStarred })}
        >
          {row.isStarred ? '★' : '☆'}
        </button>
      )}
      {note === null && row.isStarred && <span aria-label="starred">★</span>}
      {address === null ? shown : <a href={address}>{shown}</a>}
      {note !== null && (
        <button
          type="button"
          class="plain edit"
          aria-label={`edit name and note of ${row.name}`}
          onClick={() => setEdited(true)}
        >
          ✎
        </button>
      )}
      <small class="soft narrow">{aboutWords(row)}</small>
      {row.note !== null && <small class="soft">{row.note}</small>}
      {fault !== null && <small class="lost">{fault}</small>}
    </span>
  );
}

/** `Imitation (BC) · ALFWorld`, where a narrow screen has no columns for them */
function aboutWords({ method, kind, environment }: RunRow): string {
  const what = method === null ? kind : methodWords(method);
  return environment === null ? what : `${what} · ${environmentWords(environment)}`;
}

interface EditingProps {
  readonly row: RunRow;
  readonly keep: (change: NoteChange) => void;
  readonly leave: () => void;
}

function Editing({ row, keep, leave }: EditingProps) {
  const [title, setTitle] = useState(row.title ?? '');
  const [note, setNote] = useState(row.note ?? '');
  return (
    <form
      class="editing"
      onSubmit={(event) => {
        event.preventDefault();
        keep({ title: title || null, note: note || null });
      }}
      onKeyDown={(event) => event.key === 'Escape' && leave()}
    >
      <input
        aria-label="name"
        placeholder="name"
        value={title}
        onInput={(event) => setTitle(event.currentTarget.value)}
      />
      <input
        aria-label="note"
        placeholder="note"
        value={note}
        onInput={(event) => setNote(event.currentTarget.value)}
      />
      <button>keep</button>
    </form>
  );
}
