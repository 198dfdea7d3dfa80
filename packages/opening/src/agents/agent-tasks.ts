/** Tasks of an agent of one's own: its own export, or files with one JSON value a line. */
import { EmacError, messageOf, type Fact, type KindSettings, type OpenedKind, type Task } from '@emac/core';
import { readText, sha256 } from '@emac/files';
import { isRecord } from '../environments/module-faults.ts';

export interface AgentTasks {
  readonly tasks: OpenedKind['tasks'];
  /** what the agent is given for a task */
  valueOf(task: Task): Fact;
  /** of the files; null without any */
  readonly sha256: string | null;
}

export interface OwnTasks {
  /** names the agent in errors */
  readonly place: string;
  /** type of every task */
  readonly type: string;
  /** `{ training, heldOut }`, or a list; undefined without */
  readonly exported: unknown;
}

interface Values {
  readonly training: readonly Fact[];
  readonly heldOut: readonly Fact[];
}

/** The files' tasks, or the agent's own: every line of `heldOut` is held out. Errors: `data`, `missing`. */
export function agentTasks(
  { place, type, exported }: OwnTasks,
  { source = null, heldOut = null }: Pick<KindSettings, 'source' | 'heldOut'>,
): AgentTasks {
  const texts = [source, heldOut].map((path) => (path === null ? null : readText(path)));
  const [own, held] = texts.map((text, which) =>
    text === null ? null : linesOf([source, heldOut][which]!, text),
  );
  const values = own
    ? splitOf(own)
    : held && exported === undefined
      ? nothing
      : exportedValues(place, exported);
  const files = texts.filter((text) => text !== null);
  return {
    ...tasksOf(source ?? place, held ? { ...values, heldOut: held } : values, type),
    sha256: files.length > 0 ? sha256(Buffer.from(files.join('\n'))) : null,
  };
}

/** The same from files alone. Errors: as `agentTasks`'s. */
export function fileTasks(
  own: Omit<OwnTasks, 'exported'>,
  sources: Pick<KindSettings, 'source' | 'heldOut'>,
): AgentTasks {
  return agentTasks({ ...own, exported: undefined }, sources);
}

const nothing: Values = { training: [], heldOut: [] };

/** Errors: `data` for a line that is no JSON, and for no line at all. */
function linesOf(path: string, text: string): Fact[] {
  if (text.trim() === '') throw new EmacError('data', `${path}: has no tasks; write one JSON value a line`);
  return text.split('\n').flatMap((line, index): Fact[] => {
    if (line.trim() === '') return [];
    try {
      return [JSON.parse(line) as Fact];
    } catch (thrown) {
      throw new EmacError('data', `${path}: line ${index + 1} must be JSON: ${messageOf(thrown)}`);
    }
  });
}

function exportedValues(place: string, exported: unknown): Values {
  if (Array.isArray(exported)) return splitOf(exported as readonly Fact[]);
  const { training, heldOut } = isRecord(exported) ? exported : {};
  if (Array.isArray(training) && Array.isArray(heldOut)) return { training, heldOut } as Values;
  throw new EmacError(
    'data',
    `${place}: needs tasks; export const tasks = { training: […], heldOut: […] }, or give --tasks FILE.jsonl`,
  );
}

/** Values with another `split` than `train` are held out; where none has one, every fifth, or of fewer than five the last. */
function splitOf(values: readonly Fact[]): Values {
  const hasSplit = values.some((value) => isRecord(value) && 'split' in value);
  const isHeld = (value: Fact, index: number): boolean => {
    if (!hasSplit) return index % 5 === 4 || (values.length < 5 && index === values.length - 1);
    const split = isRecord(value) ? value['split'] : undefined;
    return typeof split === 'string' && !split.startsWith('train');
  };
  return {
    training: values.filter((value, index) => !isHeld(value, index)),
    heldOut: values.filter(isHeld),
  };
}

function tasksOf(place: string, values: Values, type: string): Omit<AgentTasks, 'sha256'> {
  const byId = new Map<string, Fact>();
  const source = (set: keyof Values) => {
    const tasks = values[set].map((value): Task => {
      const id = idOf(value);
      if (byId.has(id))
        throw new EmacError(
          'data',
          `${place}: tasks must differ, ${id} is there twice; remove one, or give each an id`,
        );
      byId.set(id, value);
      return { id, type };
    });
    return { count: tasks.length, at: (number: number | bigint) => tasks[Number(number)]! };
  };
  return {
    tasks: { training: source('training'), heldOut: source('heldOut') },
    valueOf: ({ id }) => byId.get(id)!,
  };
}

/** A text is its own name; a record may have an `id`. */
function idOf(value: Fact): string {
  if (typeof value === 'string') return value;
  const id = isRecord(value) ? value['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : JSON.stringify(value);
}
