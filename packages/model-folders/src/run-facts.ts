/** Facts about a checkpoint, from itself and its run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isThere, readJournal, whileReading } from '@emac/files';
import type { EvaluationResult } from '@emac/rollout';
import { layout, readConfig, readRecord } from '@emac/runs';
import { usualEnvironment } from '@emac/settings';

/** Training progress at a checkpoint. */
export interface Standing {
  readonly updates: number;
  /** finished rounds; epochs for a dataset */
  readonly rounds: number;
  readonly isOfDataset: boolean;
}

export interface RunFacts {
  readonly name: string;
  readonly phase: string;
  readonly seed: number;
  /** rounds or epochs of the whole run */
  readonly rounds: number | null;
  readonly source: string | null;
  /** for answers in training episodes; null with beam search */
  readonly sampleTemperature: number | null;
  /** the games of its evaluations */
  readonly evaluatedOn: string | null;
  /** null without one, or if it belongs to another checkpoint */
  readonly after: EvaluationResult | null;
  readonly before: EvaluationResult | null;
  /** of the last update in the checkpoint; null without updates */
  readonly lastLoss: number | null;
}

/** Training progress from a checkpoint's state. */
export function standingAt(state: Readonly<Record<string, unknown>>): Standing {
  const { updates = 0, round, epoch } = (state['training'] ?? {}) as Training;
  return { updates, rounds: epoch ?? round ?? 0, isOfDataset: epoch !== undefined };
}

interface Training {
  readonly updates?: number;
  readonly round?: number;
  readonly epoch?: number;
}

/** Facts in a run's files about the checkpoint of that name and number of updates. Errors: `missing`, `data`, `io`. */
export function runFacts(
  folder: string,
  { checkpoint, updates }: { readonly checkpoint: string } & Pick<Standing, 'updates'>,
): RunFacts {
  const { name, phase, seed } = readRecord(folder);
  const { env = usualEnvironment, games, play, dataset, evaluation } = readConfig(folder) as Config;
  const elsewhere = env === usualEnvironment ? null : env;
  const after = evaluationIn(join(folder, layout.evaluation));
  return {
    name,
    phase,
    seed,
    rounds: (dataset ? dataset.epochs : play?.rounds) ?? null,
    source: dataset?.data ?? games ?? elsewhere,
    sampleTemperature: (!dataset && play?.sampleTemperature) || null,
    evaluatedOn: elsewhere ?? evaluation?.on ?? null,
    after: after?.checkpoint === checkpoint ? after : null,
    before: evaluationIn(join(folder, 'eval-before.json')),
    lastLoss: lossOf(folder, updates - 1),
  };
}

interface Config {
  readonly env?: string;
  readonly games?: string | null;
  readonly play?: {
    readonly rounds?: number;
    readonly sampleTemperature?: number | null;
  };
  readonly dataset?: { readonly data?: string; readonly epochs?: number } | null;
  readonly evaluation?: { readonly on?: string };
}

/** The loss of an update, counted from 0. */
function lossOf(folder: string, update: number): number | null {
  const lines = readJournal(join(folder, layout.metrics)) as {
    readonly kind?: string;
    readonly update?: number;
    readonly loss?: number | null;
  }[];
  return lines.find((line) => line.kind === 'update' && line.update === update)?.loss ?? null;
}

function evaluationIn(path: string): EvaluationResult | null {
  if (!isThere(path)) return null;
  return JSON.parse(whileReading(path, () => readFileSync(path, 'utf8'))) as EvaluationResult;
}
