/**
 * The model card of an exported model. Every number in it belongs to the exported checkpoint, from its own state and the files of its
 * run; unknown facts are omitted.
 */
import type { Family } from '@emac/backbone';
import { evaluatedGamesText } from '@emac/experiment';
import type { PolicyForm } from '@emac/opening';
import type { EvaluationSummary } from '@emac/rollout';
import type { RunFacts, Standing } from './run-facts.ts';

export interface CardFacts {
  /** name of the checkpoint */
  readonly checkpoint: string;
  /** the trained model, as it was named */
  readonly baseModel: string;
  /** SHA-256 of its frozen networks */
  readonly identity: string;
  readonly family: Pick<Family, 'name' | 'title'>;
  readonly dtype: string;
  /** ids of the training games */
  readonly games: readonly string[];
  readonly standing: Standing;
  readonly form: Pick<PolicyForm, 'projection' | 'generation' | 'text' | 'maxSteps' | 'admissibleOnly'>;
  /** null for a checkpoint copied out of its run */
  readonly run: RunFacts | null;
}

const layersOf = {
  linear: ['linear layer', 'was'],
  mlp: ['two layers', 'were'],
  mlp3: ['three layers', 'were'],
} as const;

/** Markdown with a model card's front matter. */
export function modelCard(facts: CardFacts): string {
  const { baseModel, identity, family, dtype, checkpoint, games, form, run } = facts;
  const [layers, were] = layersOf[form.projection!.kind];
  return `${[
    '---',
    'library_name: transformers',
    'pipeline_tag: image-text-to-text',
    `tags: [emac, ${family.name}, alfworld]`,
    '---',
    '',
    `# ${family.title.replace(/^a/, 'A')} model with a projection trained by EMAC`,
    '',
    `Only the ${layers} between vision encoder and language model (the projection) ${were} trained, to act in household tasks. All other`,
    'weights and the tokenizers come from the base model; its licence and its limits apply.',
    '',
    `- base model: ${code(baseModel)}, frozen networks ${code(identity.slice(0, 16))} (SHA-256)`,
    `- checkpoint: ${code(checkpoint)}; the projection is stored as ${dtype}${dtype === 'F32' ? '' : ', rounded from float32'}`,
    `- games trained on: ${games.length}`,
    ...(run
      ? ofRun(run)
      : ['- losses and results are unknown: the checkpoint was not in the folder of its run']),
    progress(facts),
    acting(form),
    '',
    ...results(run),
    '## What to know',
    '',
    '- Success is measured on text games like ALFWorld’s, one attempt each, with drawn pictures; it says nothing about photographs or robots.',
    '- Intervals are Wilson’s for 95 %, over games; another training seed gives another number.',
    '- The frozen language model of the shipped `emma-tiny` plays from texts already; training teaches the projection to tell it what a frame shows.',
    '- The prompt is the text of the game so far, as EMAC writes it; other prompts were not tested.',
  ].join('\n')}\n`;
}

function ofRun({ name, phase, seed, source, sampleTemperature }: RunFacts): string[] {
  const from = source === null ? '' : `, from ${code(source)}`;
  const drawn = sampleTemperature === null ? '' : `, answers sampled at temperature ${sampleTemperature}`;
  return [`- run: ${code(name)}, phase ${phase}, seed ${seed}${from}${drawn}`];
}

function progress({ standing: { updates, rounds, isOfDataset }, run }: CardFacts): string {
  const of = run?.rounds == null ? '' : ` of ${run.rounds}`;
  const loss = run?.lastLoss == null ? '' : `; loss of the last update ${run.lastLoss.toPrecision(3)}`;
  return `- at this checkpoint: ${updates} updates, ${isOfDataset ? 'epochs' : 'rounds'} finished: ${rounds}${of}${loss}`;
}

const given = { text: 'texts alone', image: 'frames, and texts without contents', both: 'texts and frames' };

function acting({ generation, text, maxSteps, admissibleOnly }: CardFacts['form']): string {
  const { beams, minLength, maxLength } = generation;
  return [
    `- acting: given ${given[text.observe]} (\`--observe ${text.observe}\`), at most ${text.maxTokens} tokens of text${text.dialogue === 'turns' ? ', in turns (\`--dialogue turns\`)' : ''}`,
    `${beams === 1 ? 'greedy search' : `beam search with ${beams} beams`} for ${minLength} to ${maxLength} new tokens, nothing sampled`,
    `at most ${maxSteps} steps a game`,
    admissibleOnly ? 'admissible commands only' : 'any command is allowed',
  ].join('; ');
}

function results(run: RunFacts | null): string[] {
  if (!run?.after) return ['This checkpoint was not evaluated in its run.', ''];
  const { before, after, evaluatedOn } = run;
  const source = evaluatedOn === null ? 'a source that its settings do not name' : code(evaluatedOn);
  return [
    `## Results on ${evaluatedGamesText(after, source)}`,
    '',
    row(['', 'before training', 'this model']),
    '| --- | --- | --- |',
    ...rowsOf('held-out', before, after),
    ...(after.games.some((game) => game.seen_in_training)
      ? rowsOf('seen in training', before?.seen ?? null, after.seen)
      : []),
    '',
  ];
}

/** Empty without such games. */
function rowsOf(
  which: 'held-out' | 'seen in training',
  before: EvaluationSummary | null,
  after: EvaluationSummary,
): string[] {
  if (after.success === null) return [];
  const types = Object.entries(after.by_type).map(([type, { success, games }]) =>
    row([`${type}, ${which}`, '', `${percent(success)} of ${games}`]),
  );
  return [
    row([`success, ${which}`, summary(before), summary(after)]),
    row([`mean steps, ${which}`, steps(before), steps(after)]),
    ...types,
  ];
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

function summary(evaluation: EvaluationSummary | null): string {
  if (evaluation?.success == null) return 'not measured';
  const { success, success_ci95: interval } = evaluation;
  const [low, high] = interval ?? [null, null];
  return `${percent(success)} (${percent(low)} to ${percent(high)})`;
}

function steps(evaluation: EvaluationSummary | null): string {
  return evaluation?.mean_steps?.toFixed(1) ?? 'not measured';
}

const percent = (share: number | null): string => (share === null ? '–' : `${(100 * share).toFixed(0)} %`);

/** As inline code, whatever the text holds: file names may hold anything. */
function code(text: string): string {
  return `\`${text.replace(/[`\r\n|]/g, ' ')}\``;
}
