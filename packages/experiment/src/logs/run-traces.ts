/** `traces.jsonl` of a run: a line for every episode of training, which a checkpoint holds as it holds the metrics. */
import { join } from 'node:path';
import { openJournal, type Journal } from '@emac/files';
import { layout } from '@emac/runs';
import type { Work } from '../life/recipe.ts';

/** Null where none are asked for. `name`: in the run folder. Errors: `cannot-create`, `io`, `data`. */
export function runTraces(
  { run, point, open }: Pick<Work, 'run' | 'point' | 'open'>,
  { traces }: { readonly traces: boolean },
  name: string = layout.traces,
): Journal | null {
  if (!traces) return null;
  const keep = point?.run.files[name] ?? { length: 0 };
  const journal = openJournal(join(run.folder, name), { keep });
  open.add(() => {
    journal.sync();
    journal.close();
  });
  run.holds(name, journal);
  return journal;
}
