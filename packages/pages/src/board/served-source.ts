/** Runs that a board serves. */
import type { TablesFile, TextCell } from '../data/page-data.ts';
import type { RunRow, RunRows } from '../data/run-row.ts';
import type { BoardRights } from '../data/start.ts';
import { followEvents } from './events.ts';
import type { Source } from '../data/source.ts';

/** What the board of this page lets its reader do. Errors: of a board that needs a token to be read, with its words. */
export async function boardRights(token: string | null): Promise<BoardRights> {
  return asking(token)('/api/board');
}

/** With a token and the right to change something, names and notes can be kept. */
export function servedSource(
  token: string | null,
  { canChange, pass }: Pick<BoardRights, 'canChange' | 'pass'>,
): Source {
  const asked = asking(token);
  const at = (name: string, rest = '') => `/api/runs/${encodeURIComponent(name)}${rest}`;
  const withPass = (address: string) => (pass === null ? address : `${address}?pass=${pass}`);
  const { rows, touch } = keptRows(asked);
  return {
    rows,
    run: (name) => asked(at(name)),
    tables: async (name) => tablesAt(name, await asked(at(name, '/report')), withPass),
    episode: (name, episode) => asked(at(name, `/episodes/${episode}`)),
    frame: (name, file) => withPass(at(name, `/frames/${encodeURIComponent(file)}`)),
    address: pageOf,
    comparison: (query) => `/compare?${query}`,
    follow: (changed) =>
      followEvents(withPass('/events'), {
        changed(names) {
          touch(names);
          changed(names);
        },
        commands: () => changed(null),
      }),
    note:
      token === null || !canChange
        ? null
        : async (name, change) => {
            const headers = { 'content-type': 'application/json' };
            await asked(at(name, '/notes'), { method: 'POST', headers, body: JSON.stringify(change) });
          },
  };
}

function pageOf({ name, kind }: Pick<RunRow, 'name' | 'kind'>): string {
  const whole = encodeURIComponent(name);
  return kind === 'run' || kind === 'evaluation' ? `/run/${whole}` : `/tables/${whole}`;
}

/** names that are asked for one by one; of more the whole list is */
const several = 50;

/** The list, of which only what has changed is asked for again: a long one is megabytes. */
function keptRows(asked: Ask) {
  let known: ReadonlyMap<string, RunRow> | null = null;
  let changed = new Set<string>();
  return {
    /** Null for everything. */
    touch(names: readonly string[] | null): void {
      if (names === null) known = null;
      for (const name of names ?? []) changed.add(name);
    },
    async rows(): Promise<RunRows> {
      const [names, before] = [[...changed], known];
      changed = new Set();
      // a request that fails leaves nothing behind
      known = null;
      const isPart = before !== null && names.length <= several;
      const query = new URLSearchParams(names.map((name) => ['name', name]));
      if (isPart && names.length === 0) {
        known = before;
        return { runs: [...before.values()], unread: 0 };
      }
      const found = await asked<RunRows>(isPart ? `/api/runs?${query}` : '/api/runs');
      const kept = isPart ? [...before].filter(([name]) => !names.includes(name)) : [];
      const all = new Map([...found.runs.map((row) => [row.name, row] as const), ...kept]);
      // rows that are still being read change without a message
      known = found.unread === 0 ? all : null;
      return { runs: [...all.values()], unread: found.unread };
    },
  };
}

/** Reports of parts are their pages here; a picture is one of its films. Other addresses are dropped. */
function tablesAt(name: string, file: TablesFile, withPass: (address: string) => string): TablesFile {
  const cellAt = (cell: string | TextCell) => {
    if (typeof cell === 'string') return cell;
    const part = /^([\w./-]+)\/report\.html$/.exec(cell.href)?.[1];
    return part === undefined
      ? cell.text
      : { ...cell, href: `/run/${encodeURIComponent(`${name}/${part}`)}` };
  };
  return {
    ...file,
    tables: file.tables.map((table) => ({ ...table, rows: table.rows.map((row) => row.map(cellAt)) })),
    pictures: file.pictures.map((each) => ({
      ...each,
      src: withPass(`/api/runs/${encodeURIComponent(name)}/${each.src}`),
    })),
  };
}

type Ask = <T>(address: string, options?: RequestInit) => Promise<T>;

/** Requests of the board, each with the token. Errors: with the words of the board. */
function asking(token: string | null): Ask {
  return async (address, options = {}) => {
    const headers = new Headers(options.headers);
    if (token !== null) headers.set('authorization', `Bearer ${token}`);
    const reply = await fetch(address, { ...options, headers });
    if (reply.ok) return reply.json() as Promise<never>;
    const text = await reply.text();
    throw new Error(saidIn(text) ?? `${address}: ${reply.status}`);
  };
}

function saidIn(text: string): string | null {
  try {
    return (JSON.parse(text) as { readonly error?: string }).error ?? null;
  } catch {
    return text || null;
  }
}
