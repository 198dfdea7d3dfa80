/** What a recorded training has promised by each of its changes, and the content that each checkpoint stands for. */
import type { Recorded, Tree } from './changes.ts';
import { Disk } from './disk.ts';

export interface Promised {
  /** path of the run folder */
  readonly run: string;
  /** null: the run itself */
  readonly step: number | null;
  /** changes after which it may not be lost */
  readonly from: number;
  /** the run's files then */
  readonly content: Tree;
}

export interface Expectations {
  readonly promises: readonly Promised[];
  /** all files after the last change */
  readonly end: Tree;
}

/** An event is written once what it tells is durable, so the events are the promises. */
export function expectationsOf(changes: readonly Recorded[], start: Tree = new Map()): Expectations {
  const disk = new Disk(start);
  const promises: Promised[] = [];
  for (const [index, { change, path }] of changes.entries()) {
    disk.apply(change);
    const run = /^(.+)\/events\.jsonl$/.exec(path)?.[1];
    if (run === undefined || change.kind !== 'write') continue;
    for (const line of new TextDecoder().decode(change.bytes).trim().split('\n')) {
      const event = JSON.parse(line) as { kind: string; step?: number };
      const step = event.kind === 'checkpoint' ? event.step! : null;
      if (event.kind !== 'checkpoint' && event.kind !== 'running') continue;
      promises.push({ run, step, from: index + 1, content: below(disk.present(), run) });
    }
  }
  return { promises, end: disk.present() };
}

export function below(tree: Tree, folder: string): Tree {
  const start = `${folder}/`;
  return new Map(
    [...tree].flatMap(([path, bytes]) => (path.startsWith(start) ? [[path.slice(start.length), bytes]] : [])),
  );
}
