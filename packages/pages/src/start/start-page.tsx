/** The page that starts runs: a form from the table of settings, the command that it stands for, and the queue. */
import { useEffect, useState } from 'preact/hooks';
import { useAsked } from '../components/address.ts';
import { useLoaded } from '../components/loaded.ts';
import type { Source } from '../data/source.ts';
import type { AskedRun, CommandPreview, StartForm } from '../data/start.ts';
import { askedAddress, askedRun, withFields, withFlag } from './asked-run.ts';
import { CommandList } from './command-list.tsx';
import { SettingsForm } from './settings-form.tsx';
import type { Starter } from './starter.ts';
import { startChoices, SubjectForm } from './subject-form.tsx';

export interface StartPageProps {
  /** null where nothing may be started */
  readonly starter: Starter | null;
  /** the board's list, for the runs to start from */
  readonly source: Pick<Source, 'rows'>;
  /** counts what has changed on the board */
  readonly changes: number;
}

export function StartPage({ starter, source, changes }: StartPageProps) {
  if (starter === null)
    return (
      <p>
        Nothing can be started here. Open the address that <code>emac board --allow-changes</code> prints.
      </p>
    );
  return <Starting starter={starter} source={source} changes={changes} />;
}

function Starting({ starter, source, changes }: StartPageProps & { readonly starter: Starter }) {
  const [asked, change] = useAsked();
  const [started, count] = useState(0);
  const run = askedRun(asked);
  const { method, environment, policy } = run;
  const form = useForm(starter, run);
  const list = useLoaded(`rows#${changes}`, () => source.rows());
  const queue = useLoaded(`commands#${changes} ${started}`, () => starter.commands());
  const set = (changed: Partial<AskedRun>) => change(askedAddress({ ...run, ...changed }));
  const wanted = form.value ? withFields(run, form.value.fields) : null;
  const { preview, fault } = usePreview(starter, wanted);
  const wrong = preview?.refusal ?? fault;
  return (
    <div class="starting">
      <div>
        <h1>Start a run</h1>
        {form.value === null ? (
          <p class="soft">{form.fault ?? '…'}</p>
        ) : (
          <>
            <SubjectForm
              run={run}
              form={form.value}
              starts={startChoices(list.value?.runs ?? [])}
              change={set}
            />
            <SettingsForm
              key={`${method} ${environment} ${policy}`}
              fields={form.value.fields}
              flags={run.flags}
              wrong={wrong}
              change={(flag, value) => set({ flags: withFlag(run.flags, flag, value) })}
            />
          </>
        )}
      </div>
      <aside>
        <Command
          preview={preview}
          wrong={wrong}
          start={() => starter.start(wanted!).then(() => count((before) => before + 1))}
          isBusy={queue.value?.some(({ state }) => state === 'running') ?? false}
        />
        <section>
          <h2>Queue</h2>
          {queue.value !== null && <CommandList commands={queue.value} starter={starter} />}
        </section>
      </aside>
    </div>
  );
}

/** The form of the method, environment and policy; that of before stays until another is there. */
function useForm(starter: Starter, { method, environment, policy }: AskedRun) {
  const [last, setLast] = useState<StartForm | null>(null);
  const { value, fault } = useLoaded(`${method} ${environment} ${policy}#`, () =>
    starter.form({ method, environment, policy }),
  );
  useEffect(() => {
    if (value !== null) setLast(value);
  }, [value]);
  return { value: value ?? last, fault };
}

/** milliseconds without a change before the board is asked */
const pause = 200;

function usePreview(starter: Starter, run: AskedRun | null) {
  const [found, setFound] = useState<{
    readonly preview: CommandPreview | null;
    readonly fault: string | null;
  }>({
    preview: null,
    fault: null,
  });
  const key = JSON.stringify(run);
  useEffect(() => {
    if (run === null) return;
    let isWanted = true;
    const timer = setTimeout(() => {
      starter.preview(run).then(
        (preview) => isWanted && setFound({ preview, fault: null }),
        (thrown: unknown) =>
          isWanted &&
          setFound({ preview: null, fault: thrown instanceof Error ? thrown.message : String(thrown) }),
      );
    }, pause);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [key]);
  return found;
}

interface CommandProps {
  readonly preview: CommandPreview | null;
  /** why it would not start; null if nothing is known against it */
  readonly wrong: string | null;
  /** another one runs */
  readonly isBusy: boolean;
  readonly start: () => Promise<unknown>;
}

function Command({ preview, wrong, isBusy, start }: CommandProps) {
  const [said, say] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const command = preview?.command ?? null;
  useEffect(() => say(null), [command]);
  const ask = async () => {
    setAsking(true);
    try {
      await start();
      say('Added to the queue.');
    } catch (thrown) {
      say(thrown instanceof Error ? thrown.message : String(thrown));
    }
    setAsking(false);
  };
  return (
    <section class="asked-command">
      <div class="titled">
        <h2>Command</h2>
        <button
          type="button"
          disabled={command === null}
          onClick={() => void navigator.clipboard.writeText(command!).then(() => say('Copied.'))}
        >
          Copy
        </button>
      </div>
      <pre>{command ?? '…'}</pre>
      {wrong !== null && (
        <p class="lost" role="status">
          {wrong}
        </p>
      )}
      <p class="run-actions">
        <button
          type="button"
          class="main"
          disabled={command === null || wrong !== null || isAsking}
          onClick={() => void ask()}
        >
          {isBusy ? 'Add to the queue' : 'Start'}
        </button>
        {said !== null && (
          <small class="soft" role="status">
            {said}
          </small>
        )}
      </p>
    </section>
  );
}
