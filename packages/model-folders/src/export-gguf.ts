/**
 * A text model as a GGUF file: a model folder as it is, or what a run trained, merged into its base first. The merged weights are kept in
 * float32 in a temporary folder beside the file, so that they are rounded once, to the type of the file.
 */
import { basename, dirname, join } from 'node:path';
import { EmacError } from '@emac/core';
import { createFolder, discard, isThere, temporaryBeside } from '@emac/files';
import { checkGgufExport, exportGguf, type ExportedGguf } from '@emac/gguf';
import { modelOfRun, modelPath, runOf } from '@emac/opening';
import { resolveCheckpoint } from '@emac/runs';
import { mergeModel } from './merge-model.ts';

export interface TrainedGguf {
  /** a model folder, a run, RUN@best, a checkpoint folder, or an adapter as PEFT writes it */
  readonly source: string;
  /** the file that is made */
  readonly out: string;
  /** of matrices */
  readonly type: 'F16' | 'Q8_0';
  /** the model that was trained; null: as the run names it */
  readonly model: string | null;
}

/** Writes the file. Errors: those of `exportGguf` and `mergeModel`; `usage` for an adapter alone without a model. */
export async function exportTrainedGguf({ source, out, type, model }: TrainedGguf): Promise<ExportedGguf> {
  if (isThere(out)) throw new EmacError('cannot-create', `${out}: already exists; give another name`);
  if (isThere(join(source, 'config.json'))) return exportGguf({ folder: source, out, type });
  const base = model ?? baseOf(source);
  checkGgufExport(modelPath(base));
  createFolder(dirname(out));
  const merged = temporaryBeside(out);
  try {
    await mergeModel({ base, adapter: source, out: merged, dtype: 'float32' });
    return exportGguf({ folder: merged, out, type, name: basename(source) });
  } finally {
    discard(merged);
  }
}

/** The model that a run or a checkpoint in it was trained from. */
function baseOf(source: string): string {
  const isAdapter = isThere(join(source, 'adapter_config.json')) && !isThere(join(source, 'MANIFEST.json'));
  const run = isAdapter ? null : runOf(resolveCheckpoint(source).folder);
  if (run !== null) return modelOfRun(run);
  throw new EmacError(
    'usage',
    `${source}: is neither a run nor a model folder, so its base is unknown; give the base with --model`,
  );
}
