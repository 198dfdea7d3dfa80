/** The tab's runs: shown, continued, exported, deleted; and runs from elsewhere. */
import { Headline } from '@emac/pages';
import { nameWords } from '@emac/pages/data';
import type { TabRun } from '../tab/messages.ts';
import { bringsCode, filesOf } from './archives.ts';
import type { Tell } from './use-trainer.ts';

interface ListProps {
  readonly runs: readonly TabRun[];
  /** folder of the run that is shown */
  readonly shown: string | null;
  readonly isBusy: boolean;
  /** the module on the page */
  readonly code: string;
  readonly tell: Tell;
}

/** As its headline names it. */
export const nameOf = ({ view: { title, name } }: TabRun): string => title ?? name;

const size = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

export function RunList({ runs, shown, isBusy, code, tell }: ListProps) {
  const whole = runs.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <section id="runs" aria-label="Runs">
      <h2>Runs</h2>
      <p class="soft">
        {`${runs.length === 0 ? 'None yet.' : `${size(whole)} in this tab's memory and on its disk.`} A folder or archive of a run that emac made goes on here.`}
      </p>
      {runs.map((run) => (
        <Row
          key={run.folder}
          run={run}
          isShown={run.folder === shown}
          isBusy={isBusy}
          code={code}
          tell={tell}
        />
      ))}
      <div class="buttons">
        <Import label="Import an archive" accept=".zip" isBusy={isBusy} tell={tell} />
        <Import label="Import a folder" isFolder isBusy={isBusy} tell={tell} />
      </div>
    </section>
  );
}

interface RowProps extends Pick<ListProps, 'isBusy' | 'code' | 'tell'> {
  readonly run: TabRun;
  readonly isShown: boolean;
}

function Row({ run, isShown, isBusy, code, tell }: RowProps) {
  return (
    <div class={isShown ? 'run shown' : 'run'}>
      {isShown ? (
        <p>{`${nameWords(nameOf(run))}, shown above`}</p>
      ) : (
        <Headline run={run.view} isWhole={false} />
      )}
      <span class="buttons">
        {!isShown && (
          <button type="button" disabled={isBusy} onClick={() => tell({ kind: 'show', folder: run.folder })}>
            Show
          </button>
        )}
        <button
          type="button"
          disabled={isBusy}
          onClick={() => {
            tell({ kind: 'show', folder: run.folder });
            tell({ kind: 'open-game', folder: run.folder, code });
          }}
        >
          Play
        </button>
        {!run.isDone && (
          <button
            type="button"
            disabled={isBusy}
            onClick={() => tell({ kind: 'resume', folder: run.folder, code })}
          >
            Continue
          </button>
        )}
        <button type="button" disabled={isBusy} onClick={() => tell({ kind: 'files', folder: run.folder })}>
          Export
        </button>
        <button
          type="button"
          disabled={isBusy}
          onClick={() => {
            if (confirm(`Delete ${nameOf(run)}?`)) tell({ kind: 'remove', folder: run.folder });
          }}
        >
          Delete
        </button>
        <span class="soft">{size(run.bytes)}</span>
      </span>
    </div>
  );
}

const codeWarning =
  'This run brings code: the module of its environment. Whoever made it can read and change all runs of this site once you play or continue it. Import it?';

interface ImportProps extends Pick<ListProps, 'isBusy' | 'tell'> {
  readonly label: string;
  readonly accept?: string;
  readonly isFolder?: boolean;
}

function Import({ label, accept, isFolder = false, isBusy, tell }: ImportProps) {
  const take = async (input: HTMLInputElement) => {
    const chosen = [...(input.files ?? [])];
    if (chosen.length === 0) return;
    // what cannot be read holds no run, and the trainer says so
    const files = await filesOf(chosen).catch(() => []);
    input.value = '';
    if (bringsCode(files) && !confirm(codeWarning)) return;
    tell({ kind: 'import', name: chosen[0]!.name, files });
  };
  return (
    <label class="file">
      {label}
      <input
        type="file"
        disabled={isBusy}
        {...(accept !== undefined && { accept })}
        {...(isFolder && { webkitdirectory: true })}
        onChange={({ currentTarget }) => void take(currentTarget)}
      />
    </label>
  );
}
