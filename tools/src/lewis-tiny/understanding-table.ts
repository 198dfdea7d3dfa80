/** How well speakers and listeners understand each other, in Markdown. */
export interface Understood {
  readonly success: number | null;
  readonly identification: {
    readonly metrics: { readonly format: number | null; readonly length: number | null };
  };
  readonly recognition?: {
    readonly metrics: {
      readonly positive_accuracy: number | null;
      readonly negative_accuracy: number | null;
    };
  };
}

export interface UnderstoodRow {
  readonly name: string;
  /** one for each seed */
  readonly results: readonly Understood[];
}

/** Of each measure the mean over the seeds, and each. */
export function understandingTable(rows: readonly UnderstoodRow[]): string {
  const head = ['', 'accuracy', 'form', 'length reward', 'recognition: same', 'recognition: other'];
  const lines = rows.map(({ name, results }) => [
    name,
    ...[
      results.map(({ success }) => success),
      results.map(({ identification }) => identification.metrics.format),
      results.map(({ identification }) => identification.metrics.length),
      results.map(({ recognition }) => recognition?.metrics.positive_accuracy ?? null),
      results.map(({ recognition }) => recognition?.metrics.negative_accuracy ?? null),
    ].map(meanAndEach),
  ]);
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function meanAndEach(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return '';
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  return `${mean.toFixed(3)} (${known.map((value) => value.toFixed(3)).join(', ')})`;
}
