/** Results of the tasks in the published layout: `{config, metrics: {accuracy, correct, total}, results}`. */

export interface IdentificationItem {
  readonly label: number;
  readonly predicted: number;
}

export interface RecognitionItem {
  readonly isSame: boolean;
  /** null for an answer that does not parse, which counts as wrong */
  readonly saidSame: boolean | null;
}

export interface TaskResult<Item, Metrics> {
  readonly config: Readonly<Record<string, unknown>>;
  readonly metrics: Metrics;
  readonly results: readonly Item[];
}

export interface Counted {
  /** null without items */
  readonly accuracy: number | null;
  readonly correct: number;
  readonly total: number;
}

/** Identification: choose one of K. */
export function identificationResult<Item extends IdentificationItem>(
  config: Readonly<Record<string, unknown>>,
  results: readonly Item[],
): TaskResult<Item, Counted> {
  return { config, metrics: counted(results.map(({ label, predicted }) => label === predicted)), results };
}

export interface RecognitionMetrics extends Counted {
  /** of pairs that show the same concept; null without any */
  readonly positive_accuracy: number | null;
  /** of the other pairs */
  readonly negative_accuracy: number | null;
}

/** Recognition: same concept or not. */
export function recognitionResult<Item extends RecognitionItem>(
  config: Readonly<Record<string, unknown>>,
  results: readonly Item[],
): TaskResult<Item, RecognitionMetrics> {
  const of = (items: readonly Item[]) => counted(items.map(({ isSame, saidSame }) => isSame === saidSame));
  return {
    config,
    metrics: {
      ...of(results),
      positive_accuracy: of(results.filter(({ isSame }) => isSame)).accuracy,
      negative_accuracy: of(results.filter(({ isSame }) => !isSame)).accuracy,
    },
    results,
  };
}

function counted(right: readonly boolean[]): Counted {
  const correct = right.filter(Boolean).length;
  return { accuracy: right.length > 0 ? correct / right.length : null, correct, total: right.length };
}
