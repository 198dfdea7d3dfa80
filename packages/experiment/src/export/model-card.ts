/** The page that explains an exported model. Every number in it is from the run's own files; what they do not say is not said. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isThere, readJournal, whileReading } from '@emac/files';
import type { EvaluationResult, EvaluationSummary } from '@emac/rollout';
import { layout, readConfig, readRecord } from '@emac/runs';

export interface CardFacts {
  /** name of the checkpoint */
  readonly checkpoint: string;
  /** the model that was trained, as it was named */
  readonly baseModel: string;
  /** SHA-256 of its frozen networks */
  readonly identity: string;
  readonly dtype: string;
  /** ids of the games trained on */
  readonly games: readonly string[];
  /** null for a checkpoint that was copied out of its run */
  readonly run: RunFacts | null;
}

export interface RunFacts {
  readonly name: string;
  readonly phase: string;
  readonly seed: number;
  readonly rounds: number | null;
  readonly source: string | null;
  /** null where there was none, or it is of another checkpoint */
  readonly after: EvaluationResult | null;
  readonly before: EvaluationResult | null;
  readonly updates: number;
  /** of the last update; null without any */
  readonly lastLoss: number | null;
}

/** What the files of a run say. Errors: `missing`, `data`, `io`. */
export function runFacts(folder: string, checkpoint: string): RunFacts {
  const { name, phase, seed } = readRecord(folder);
  const { play, dataset } = readConfig(folder) as {
    readonly play?: { readonly rounds?: number; readonly games?: string };
    readonly dataset?: { readonly data?: string } | null;
  };
  const updates = (readJournal(join(folder, layout.metrics)) as { kind?: string; loss?: number }[]).filter(
    ({ kind }) => kind === 'update',
  );
  const after = evaluationIn(join(folder, layout.evaluation));
  return {
    name,
    phase,
    seed,
    rounds: dataset ? null : (play?.rounds ?? null),
    source: dataset?.data ?? play?.games ?? null,
    after: after?.checkpoint === checkpoint ? after : null,
    before: evaluationIn(join(folder, 'eval-before.json')),
    updates: updates.length,
    lastLoss: updates.at(-1)?.loss ?? null,
  };
}

function evaluationIn(path: string): EvaluationResult | null {
  if (!isThere(path)) return null;
  return JSON.parse(whileReading(path, () => readFileSync(path, 'utf8'))) as EvaluationResult;
}

/** Markdown with the front matter that model pages have. */
export function modelCard(facts: CardFacts): string {
  const { baseModel, identity, dtype, checkpoint, games, run } = facts;
  return `${[
    '---',
    'library_name: transformers',
    'pipeline_tag: image-text-to-text',
    'tags: [emac, instructblip, alfworld]',
    '---',
    '',
    '# An InstructBLIP model with a projection trained by EMAC',
    '',
    'Only the linear layer between Q-Former and language model (`language_projection`) was trained, to act in household tasks. All other',
    'weights, and the tokenizers, are those of the base model; its licence and its limits hold here too.',
    '',
    `- base model: ${code(baseModel)}, frozen networks ${code(identity.slice(0, 16))} (SHA-256)`,
    `- checkpoint: ${code(checkpoint)}; the projection is stored as ${dtype}${dtype === 'F32' ? '' : ', rounded from float32'}`,
    `- games trained on: ${games.length}`,
    ...(run ? ofRun(run) : ['- the checkpoint was not in the folder of its run, so nothing more is known']),
    '',
    ...results(run),
    '## What to know',
    '',
    '- Success is counted on text games of ALFWorld’s kind, one attempt each, with drawn pictures; it says nothing of photographs or robots.',
    '- Intervals are Wilson’s for 95 %, over games; another seed of training would give another number.',
    '- With the shipped model `emma-tiny` training mostly selects a policy that the frozen language model already holds.',
    '- The prompt is the text of the game so far, as EMAC writes it; other prompts were not tried.',
  ].join('\n')}\n`;
}

function ofRun({ name, phase, seed, rounds, source, updates, lastLoss }: RunFacts): string[] {
  return [
    `- run: ${code(name)}, phase ${phase}, seed ${seed}${rounds === null ? '' : `, ${rounds} rounds`}${source === null ? '' : `, from ${code(source)}`}`,
    `- updates: ${updates}${lastLoss === null ? '' : `, loss of the last one ${lastLoss.toPrecision(3)}`}`,
  ];
}

function results(run: RunFacts | null): string[] {
  if (!run?.after) return ['This checkpoint was not evaluated in its run.', ''];
  const { before, after } = run;
  const types = Object.entries(after.by_type).map(([type, { success, games }]) =>
    row([type, '', `${percent(success)} of ${games}`]),
  );
  return [
    `## Results on ${after.games.length} held-out games`,
    '',
    row(['', 'before training', 'this model']),
    '| --- | --- | --- |',
    row(['success', summary(before), summary(after)]),
    row(['mean steps', steps(before), steps(after)]),
    ...types,
    '',
  ];
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

function summary(evaluation: EvaluationSummary | null): string {
  if (evaluation === null) return 'not measured';
  const { success, success_ci95: interval } = evaluation;
  const [low, high] = interval ?? [null, null];
  return success === null ? 'no game' : `${percent(success)} (${percent(low)} to ${percent(high)})`;
}

function steps(evaluation: EvaluationSummary | null): string {
  return evaluation?.mean_steps?.toFixed(1) ?? 'not measured';
}

const percent = (share: number | null): string => (share === null ? '–' : `${(100 * share).toFixed(0)} %`);

/** As code, whatever is in it: names of files may hold anything. */
function code(text: string): string {
  return `\`${text.replace(/[`\r\n|]/g, ' ')}\``;
}
