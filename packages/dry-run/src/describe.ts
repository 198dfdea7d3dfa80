/** Extrapolates trials to the whole work: example, model, memory, disk, time. */
import { EmacError } from '@emac/core';
import { exactly, type Expected, type Range } from '@emac/opening';
import { textOf } from '@emac/rollout';
import type { WorldConfig } from '@emac/settings';
import { checkpointsBytes, filled, type PartOfDisk, type Room } from './disk.ts';
import type { DryMachine, DryRun, ShownExample } from './dry-plan.ts';
import { expectedTime } from './expected-time.ts';
import { expertEstimate } from './expert-estimate.ts';
import { longer, per, type Trials } from './trials.ts';

/** Errors: `usage`. */
export function refuseRemote({ world }: { readonly world?: { readonly kind?: WorldConfig['kind'] } }): void {
  if (world?.kind === 'http')
    throw new EmacError('usage', '--dry-run: reads game files, but --world http has none; leave one out');
}

export interface Described extends Pick<DryRun, 'name' | 'config' | 'notes'> {
  /** of the part that trains or plays */
  readonly part: string;
  /** null if nothing is kept */
  readonly room: Room | null;
  /** checkpoints that stay; null for all */
  readonly keep: number | null;
  /** milliseconds until everything was open, and bytes in use then */
  readonly opening: number;
  readonly opened: number;
  readonly trials: Trials;
  readonly machine: DryMachine;
}

/** Errors: `io` if the disk is too small. */
export function described(
  expected: Expected,
  { name, part, config, notes, room, keep, opening, opened, trials, machine }: Described,
): DryRun {
  const { policy, of } = expected;
  const { recorded, bytes: _bytes, ...rates } = trials;
  const filling = room && filled(room, partsOf(expected, keep, trials));
  const { peak, available } = machine.memory();
  const acting = recorded.acting ?? peak;
  const training = Math.max(0, peak - acting);
  const measured = { opening, ...rates };
  const { name: folder, identity, layers, sizes, frozen } = policy;
  return {
    name,
    config,
    notes,
    of,
    warnings: [filling?.warning ?? null, memoryWarning(training, available)].filter((each) => each !== null),
    model: {
      folder,
      identity,
      layers,
      parameters: {
        trained: sizes.trained / 4,
        frozen: (sizes.parameters - sizes.trained) / 4 + frozen,
      },
    },
    example: shown(expected, trials),
    memory: { opened, acting, peak, run: runMemory(peak, opened, longer(recorded)), training, available },
    disk: filling && filling.disk,
    time: { ...expectedTime(expected, measured, part), how: rates.how, measured },
    expert: expected.expert && expertEstimate(expected.expert, recorded.requests),
  };
}

/** a run takes up to so much more than the same work done briefly: garbage of a longer life; measured, see the log */
const ofLongerLife = 1.5;

/** As in the trial, or with prompts as long as they get. */
function runMemory(peak: number, opened: number, times: number): Range {
  return { least: peak, most: Math.max(ofLongerLife * peak, opened + (peak - opened) * times) };
}

/** Null if the memory added by training fits. */
function memoryWarning(training: number, available: number): string | null {
  return training > available ? 'memory: training may need more than is free' : null;
}

function shown({ policy, labels }: Expected, { recorded }: Trials): ShownExample | null {
  const { example, prompts } = recorded;
  if (policy.layers === null || !example) return null;
  const text = textOf(example.prompt);
  const { countVisualTokens: count } = policy;
  const images = example.prompt.flatMap((part) => (part.kind === 'image' ? [part.features] : []));
  return {
    source: labels ? 'the first update' : 'the first step',
    saidBy: labels?.from ?? 'the policy itself',
    prompt: text,
    target: example.target,
    tokens: {
      visual: count && images.length > 0 ? images.reduce((sum, each) => sum + count(each), 0) : null,
      prompt: policy.countPromptTokens(text),
      target: example.tokens,
      longest: prompts && prompts.last,
    },
  };
}

/** The trial's folder, as much larger as the work is. */
function partsOf(
  { policy: { sizes }, checkpoints, played, learned, noun }: Expected,
  keep: number | null,
  { recorded, bytes }: Trials,
): PartOfDisk[] {
  const isLearned = noun === 'sample' && learned !== null;
  const growth = isLearned ? per(learned.most, recorded.learned) : per(played.most, recorded.played);
  const others: Range = { least: 0, most: bytes.others * Math.max(1, growth) };
  return [
    ...(checkpoints.written.most > 0
      ? [{ name: 'checkpoints', bytes: checkpointsBytes(sizes, { ...checkpoints, keep }) }]
      : []),
    ...(bytes.reference > 0 ? [{ name: 'reference', bytes: exactly(bytes.reference) }] : []),
    { name: 'samples, episodes and logs', bytes: others },
  ];
}
