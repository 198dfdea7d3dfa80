/** Board and report: what is shown stands in the page itself, or comes from the server that the page came from. */
import { render } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { asked } from '../components/address.ts';
import { Frame, Waiting } from '../components/frame.tsx';
import { useChanges, useLoaded } from '../components/loaded.ts';
import type { PageData, RunFile } from '../data/page-data.ts';
import { rowOfView } from '../data/row-of-view.ts';
import type { Source } from '../data/source.ts';
import { ComparePage } from './compare-page.tsx';
import { insideSource } from './inside-source.ts';
import { RunPage } from './run-page.tsx';
import { RunsPage } from './runs-page.tsx';
import { PlayCommand } from './play-command.tsx';
import { RunActions } from '../start/run-actions.tsx';
import { StartPage } from '../start/start-page.tsx';
import { servedStarter, type Starter } from '../start/starter.ts';
import { boardRights, servedSource } from './served-source.ts';
import { TablesPage } from './tables-page.tsx';

function Inside({ file }: { readonly file: PageData }) {
  const source = useMemo(() => (file.kind === 'tables' ? null : insideSource(file)), [file]);
  return (
    <Frame home={null}>
      {file.kind === 'tables' && <TablesPage {...file} />}
      {file.kind === 'runs' && <RunsPage source={source!} rows={file.runs.map(rowOfView)} changes={0} />}
      {file.kind === 'run' && <Alone file={file} source={source!} />}
    </Frame>
  );
}

function Alone({ file: { run, episodes }, source }: { readonly file: RunFile; readonly source: Source }) {
  const included = new Set(episodes.map(({ episode }) => episode));
  const heads = run.episodes.filter(({ episode }) => included.has(episode));
  const note =
    heads.length < run.episodes.length
      ? `${heads.length} of ${run.episodes.length} episodes: of each type of task the first ones lost and the first ones won.`
      : null;
  return <RunPage source={source} name={run.name} run={{ ...run, episodes: heads }} note={note} />;
}

function Served({ source, starter, folder }: Omit<ServedProps, 'changes'>) {
  const { pathname } = location;
  const one = /^\/(run|tables)\//.test(pathname) ? [nameIn(pathname)] : null;
  const changes = useChanges(source, one ?? (pathname === '/compare' ? (asked()['run'] ?? []) : null));
  const shown = { source, starter, folder, changes };
  if (pathname.startsWith('/run/')) return <ServedRun {...shown} name={nameIn(pathname)} />;
  if (pathname.startsWith('/tables/')) return <ServedTables {...shown} name={nameIn(pathname)} />;
  if (pathname === '/start') return <Start {...shown} />;
  return pathname === '/compare' ? <Compared {...shown} /> : <List {...shown} />;
}

/** `/run/NAME`, with `%2F` for `/` */
const nameIn = (path: string) => decodeURIComponent(path.slice(path.indexOf('/', 1) + 1));

interface ServedProps {
  readonly source: Source;
  /** null without the right to change something */
  readonly starter: Starter | null;
  /** of the runs, as the board was given it */
  readonly folder: string;
  readonly changes: number;
}

function Start({ source, starter, changes }: ServedProps) {
  document.title = 'EMAC: start a run';
  return (
    <Frame home="/" isStarting={starter !== null}>
      <StartPage starter={starter} source={source} changes={changes} />
    </Frame>
  );
}

function ServedRun({ source, starter, folder, name, changes }: ServedProps & { readonly name: string }) {
  const { value, fault } = useLoaded(`${name}#${changes}`, () => source.run(name));
  if (value !== null) document.title = `EMAC: ${value.title ?? name}`;
  return (
    <Frame home="/" isStarting={starter !== null} trail={name}>
      {value === null ? (
        <Waiting fault={fault} />
      ) : (
        <RunPage
          source={source}
          name={name}
          run={value}
          actions={
            <>
              <RunActions run={{ ...value, name }} starter={starter} />
              {value.state !== null && (
                <PlayCommand path={`${folder}/${name}`} environment={value.environment} />
              )}
            </>
          }
        />
      )}
    </Frame>
  );
}

/** A comparison or a sweep: its report, and the list of its parts. */
function ServedTables({ source, starter, name, changes }: ServedProps & { readonly name: string }) {
  const { value, fault } = useLoaded(`${name}#${changes}`, () => source.tables(name));
  return (
    <Frame home="/" isStarting={starter !== null} trail={name}>
      {value === null ? <Waiting fault={fault} /> : <TablesPage {...value} />}
      <p>
        <a href={`/?parent=${encodeURIComponent(name)}`}>its runs and evaluations in the list</a>
      </p>
    </Frame>
  );
}

function Compared({ source, starter, changes }: ServedProps) {
  const names = asked()['run'] ?? [];
  const { value, fault } = useLoaded(`${names.join(' ')}#${changes}`, () =>
    Promise.all(names.map(async (name) => ({ ...(await source.run(name)), name }))),
  );
  return (
    <Frame home="/" isStarting={starter !== null} trail="side by side">
      {value === null ? <Waiting fault={fault} /> : <ComparePage source={source} runs={value} />}
    </Frame>
  );
}

/** milliseconds until rows that were still being read are asked for again */
const patience = 500;

function List({ source, starter, changes }: ServedProps) {
  const [looks, setLooks] = useState(0);
  const { value, fault } = useLoaded(`rows#${changes + looks}`, () => source.rows());
  const unread = value?.unread ?? 0;
  useEffect(() => {
    if (unread === 0) return undefined;
    const timer = setTimeout(() => setLooks(looks + 1), patience);
    return () => clearTimeout(timer);
  }, [value]);
  return (
    <Frame home="/" isStarting={starter !== null}>
      {value === null ? (
        <Waiting fault={fault} />
      ) : (
        <RunsPage source={source} rows={value.runs} changes={changes} unread={unread} />
      )}
    </Frame>
  );
}

/** The board prints it as part of its address; it stays in the tab and leaves the address. */
function token(): string | null {
  const given = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (given !== undefined) {
    sessionStorage.setItem('token', given);
    history.replaceState(null, '', location.pathname + location.search);
  }
  return sessionStorage.getItem('token');
}

/** Asks first what it may do. */
function Board({ given }: { readonly given: string | null }) {
  const { value: rights, fault } = useLoaded('rights#', () => boardRights(given));
  const sources = useMemo(
    () =>
      rights && {
        source: servedSource(given, rights),
        starter: given === null || !rights.canChange ? null : servedStarter(given),
        folder: rights.folder,
      },
    [rights],
  );
  return sources ? (
    <Served {...sources} />
  ) : (
    <Frame home="/">
      <Waiting fault={fault} />
    </Frame>
  );
}

const given = token();
const inside = document.getElementById('data');
render(
  inside ? <Inside file={JSON.parse(inside.textContent) as PageData} /> : <Board given={given} />,
  document.getElementById('page')!,
);
