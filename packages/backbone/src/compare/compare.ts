/**
 * Compares this implementation with a comparison folder's numbers: E = max |ours − expected| / max |expected| over
 * valid positions for every stage, and equality for every generated sequence.
 */
import { createSession, type SessionOptions, type Value } from '@emac/graph';

import { asInstructBlip } from '../families/as-instructblip.ts';
import { instructBlip } from '../families/instructblip.ts';
import type { InstructBlipConfig } from '../files/model-config.ts';
import { openModelFiles, type ModelFiles } from '../files/model-files.ts';
import { compareFamily } from './compare-family.ts';
import { float32Difference } from './float32-difference.ts';
import { relativeError } from './relative-error.ts';
import type { CompareOptions, Comparison } from './comparison.ts';
import { openComparisonFolder, type ComparisonFolder } from './comparison-folder.ts';
import { comparisonGraph } from './comparison-graph.ts';
import { readGenerationConfig } from '../files/generation-config.ts';
import { createGenerator } from '../generation/create-generator.ts';
import { linesStage } from './tokenized-lines.ts';

export const comparisonStages = [
  'vision_hidden_state',
  'qformer_output',
  'projected',
  'logits',
  'sequence_log_probs',
  'loss',
  'grad_projection_weight',
  'grad_projection_bias',
] as const;

export type ComparisonStage = (typeof comparisonStages)[number];

/** Computes every value that a folder has numbers for. Errors: those of opening the folder and of `createSession`. */
export async function compareFolder(
  folder: string,
  { generations = () => true, ...options }: CompareOptions = {},
): Promise<Comparison> {
  const opened = openModelFiles(folder);
  if (opened.family.name !== instructBlip.name) return compareFamily(opened, { generations, ...options });
  const files = asInstructBlip(opened);
  const comparison = openComparisonFolder(folder);
  const outputs = await runStages(files, comparison, options);
  const errors = comparisonStages.map((stage) => [stage, stageError(comparison, stage, outputs[stage]!)]);
  return {
    stages: Object.fromEntries(errors),
    generated: await compareGenerations(files, comparison, {
      projected: outputs['projected']!,
      options,
      generations,
    }),
    rounding: float32Difference(files.config.llama),
    provider: options.provider ?? 'cpu',
  };
}

/** of stages of models so small that their roundings alone are below it */
const smallest = 1e-4;

const picturesStages = [
  'vision_hidden_state',
  'qformer_output',
  'projected',
  'connector_input',
  'visual',
  'deep',
];

/**
 * True if all tokens agree and every stage is within what float32 explains: 1e-4, and from the language model on
 * `float32Difference` where that is more. Gradients may differ ten times as much. Pixels may differ by three of 255 steps,
 * because Pillow 13 resizes some pictures down before across; Pillow up to 12 goes across first, as here.
 */
export function withinTolerance({ stages, generated, rounding }: Comparison): boolean {
  const tolerance = (stage: string) => {
    if (stage === 'pixel_values') return 3 / 255;
    if (stage === linesStage) return 0;
    if (picturesStages.includes(stage)) return smallest;
    return Math.max(smallest, rounding) * (stage.startsWith('grad_') ? 10 : 1);
  };
  const close = Object.entries(stages).every(([stage, error]) => error <= tolerance(stage));
  return close && Object.values(generated).every(Boolean);
}

type Values = Readonly<Record<string, Value>>;

async function runStages(
  files: ModelFiles<InstructBlipConfig>,
  comparison: ComparisonFolder,
  options: SessionOptions,
): Promise<Values> {
  const { batch, length, inputs } = comparison;
  const queryText = inputs['qformer_input_ids']?.shape[1] ?? 0;
  const graph = comparisonGraph(files, { batch, length, queryText });
  const session = await createSession(graph, options);
  try {
    return await session.run(Object.fromEntries(graph.inputs.map(({ name }) => [name, inputs[name]!])));
  } finally {
    await session.dispose();
  }
}

function stageError(comparison: ComparisonFolder, stage: ComparisonStage, { data }: Value): number {
  const expected = comparison.expected(stage);
  if (expected.length !== data.length) return Infinity;
  const attended = comparison.inputs['attention_mask']!.data as BigInt64Array;
  const vocabulary = expected.length / attended.length;
  const counts = (index: number) => stage !== 'logits' || attended[Math.floor(index / vocabulary)] === 1n;
  return relativeError(data as Float32Array, expected, counts);
}

interface GenerationComparison {
  readonly projected: Value;
  readonly options: SessionOptions;
  readonly generations: (key: string) => boolean;
}

async function compareGenerations(
  { companions, config, weights }: ModelFiles<InstructBlipConfig>,
  comparison: ComparisonFolder,
  { projected, options, generations }: GenerationComparison,
): Promise<Record<string, boolean>> {
  const generator = await createGenerator({ config: config.llama, weights }, options);
  const { beginToken } = readGenerationConfig(companions.generation);
  const ids = comparison.inputs['input_ids']!.data as BigInt64Array;
  const perRow = projected.data.length / comparison.batch;
  const result: Record<string, boolean> = {};
  try {
    for (const { key, row, promptLength, options: search } of comparison.generations) {
      if (!generations(key)) continue;
      const start = row * comparison.length;
      const prompt = Array.from(ids.subarray(start, start + promptLength), Number);
      const visual = (projected.data as Float32Array).slice(row * perRow, (row + 1) * perRow);
      const tokens = prompt.slice(config.queryTokens);
      const covered = search.definition === 'lavis' ? [beginToken ?? tokens[0]!] : prompt;
      const ours = await generator.generate({ visual, tokens }, { ...search, promptTokens: covered });
      result[key] = String(ours.tokens) === String(comparison.expectedTokens(key));
    }
  } finally {
    await generator.dispose();
  }
  return result;
}
