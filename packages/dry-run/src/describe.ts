/** The report of a dry run of training, evaluation or collection: example, model, memory, disk, time. */
import type { ModelFiles } from '@emac/backbone';
import type { Sampling } from '@emac/core';
import { float32ToFloat16 } from '@emac/files';
import type { Student } from '@emac/model';
import { inUse, policySizes, stopIfAsked, type OpenModel, type PolicySizes } from '@emac/opening';
import { noFrame, textOf } from '@emac/rollout';
import { filled, roomFor, type PartOfDisk, type Sizes } from './disk.ts';
import {
  memoryWarning,
  runMemory,
  thisMachine,
  type DryHost,
  type DryMachine,
  type DryRun,
} from './dry-run.ts';
import type { ShownExample } from './dry-run.ts';
import type { Examples, Sample } from './example.ts';
import type { ExpertEstimate } from './expert-estimate.ts';
import type { PartOfWork } from './expected-work.ts';
import { expectedTime } from './hours.ts';
import { measure, type Measured, type Subject } from './measure.ts';

/** What the policy is made of. */
export interface DescribedPolicy extends Omit<DryRun['model'], 'parameters'> {
  /** what computes it, in words */
  readonly notes: readonly (string | null)[];
  /** numbers that never learn */
  readonly frozen: number;
  /** bytes of a checkpoint */
  readonly sizes: PolicySizes;
  /** null for a small network, which reads no text */
  readonly countVisualTokens: Student['countVisualTokens'] | null;
}

/** A language model. */
export function describedModel(model: OpenModel, student: Student): DescribedPolicy {
  const sizes = policySizes(student);
  return {
    folder: model.folder,
    identity: model.identity,
    layers: student.layers,
    notes: [inUse(model), model.note],
    frozen: parametersIn(model.files, sizes).frozen,
    sizes,
    countVisualTokens: (features) => student.countVisualTokens(features),
  };
}

/** The opened parts, and the planned work. */
export interface Described {
  readonly name: string;
  readonly config: object;
  readonly notes: readonly (string | null)[];
  readonly of: string;
  readonly policy: DescribedPolicy;
  readonly student: Subject['student'];
  readonly sampling: Sampling;
  readonly parallel: number;
  /** whether the policy is asked for commands */
  readonly acts: boolean;
  readonly training: Subject['training'];
  /** milliseconds until everything was open */
  readonly opening: number;
  readonly examples: () => Promise<Examples>;
  readonly work: readonly PartOfWork[];
  /** output path and its parts; null for none */
  readonly disk: { readonly out: string; readonly parts: (sizes: Sizes) => readonly PartOfDisk[] } | null;
  /** free bytes required to start a run */
  readonly spaceNeeded: number;
  readonly expert: (asked: Examples['asked']) => ExpertEstimate | null;
}

/**
 * Measures and reports. Errors: `io` if the disk is too small, `cannot-create`, `auth`; those of the policy;
 * `interrupted`.
 */
export async function describe(described: Described, host: DryHost): Promise<DryRun<Measured>> {
  const { student, policy, disk } = described;
  const machine = host.machine ?? thisMachine;
  // before anything is measured
  const room = disk && roomFor(disk.out, { needed: described.spaceNeeded, machine });
  const { resident: opened } = machine.memory();
  // sessions open with the first picture
  if (student.encode) await student.encode(noFrame);
  const since = host.now();
  const examples = await described.examples();
  stopIfAsked(host.signal);
  const encode = (host.now() - since) / examples.pictures;
  const { decide, update, score, how, memory } = await measured(described, examples, { ...host, machine });
  const all: Measured = {
    opening: described.opening,
    encode,
    decide,
    update,
    score,
    how,
    memory: { ...memory, opened },
  };
  const expected = room && filled(room, disk.parts(sizesOf(described, examples)));
  const available = machine.memory().available;
  const training = described.training === null ? 0 : added(described, all);
  return {
    name: described.name,
    config: described.config,
    notes: [...policy.notes, ...described.notes].filter((each) => each !== null),
    warnings: [expected?.warning ?? null, memoryWarning(training, available)].filter((each) => each !== null),
    of: described.of,
    model: {
      folder: policy.folder,
      identity: policy.identity,
      layers: policy.layers,
      parameters: { trained: policy.sizes.trained / 4, frozen: policy.frozen },
    },
    example: shown(described, examples),
    memory: { ...memory, opened, run: runMemory(memory, momentsOf(described)), training, available },
    disk: expected && expected.disk,
    time: { ...expectedTime(described.work, all), how, measured: all },
    expert: described.expert(examples.asked),
  };
}

function measured(
  { student, sampling, parallel, acts, training }: Described,
  { samples, last }: Examples,
  { now, measureLimit = 20_000, machine }: DryHost & { readonly machine: DryMachine },
) {
  const subject = { student, sampling, samples, last, parallel, acts, training };
  return measure(subject, { now, limit: measureLimit, memory: machine.memory });
}

/** Measured growth, and two moments for each parameter. */
function added(described: Described, { memory: { acting, peak } }: Measured): number {
  return Math.max(0, peak - acting) + momentsOf(described);
}

/** Bytes of the optimizer, which is not made here. */
function momentsOf({ policy, training }: Described): number {
  return training === null ? 0 : 2 * policy.sizes.trained;
}

/** The untrained parts of the policy count as frozen, like the networks. */
export function parametersIn(
  { tensors }: Pick<ModelFiles, 'tensors'>,
  { parameters, trained }: PolicySizes,
): DryRun['model']['parameters'] {
  const networks = [...tensors.values()]
    .filter(({ name }) => !name.startsWith('language_projection.'))
    .reduce((sum, { shape }) => sum + shape.reduce((count, size) => count * size, 1), 0);
  return { trained: trained / 4, frozen: networks + (parameters - trained) / 4 };
}

function shown(
  { student, policy: { countVisualTokens } }: Described,
  { source, saidBy, samples, last }: Examples,
): ShownExample | null {
  if (!countVisualTokens) return null;
  const { prompt, target } = samples[0]!;
  const visual = prompt.flatMap((part) => (part.kind === 'image' ? [countVisualTokens(part.features)] : []));
  const tokensOf = (sample: Sample) => student.countPromptTokens(textOf(sample.prompt));
  return {
    source,
    saidBy,
    prompt: textOf(prompt),
    target,
    tokens: {
      visual: visual.reduce((sum, each) => sum + each, 0),
      prompt: tokensOf(samples[0]!),
      target: student.countAnswerTokens(target),
      longest: tokensOf(last),
    },
  };
}

function sizesOf({ policy }: Described, { samples, last, pictureBytes }: Examples): Sizes {
  const [first] = samples[0]!.prompt;
  const bytesOf = (sample: Sample) => Buffer.byteLength(textOf(sample.prompt));
  return {
    ...policy.sizes,
    features: first?.kind === 'image' ? float32ToFloat16(first.features.data).byteLength : 0,
    picture: pictureBytes,
    prompt: { least: bytesOf(samples[0]!), most: bytesOf(last) },
    turn: Math.max(200, (bytesOf(samples.at(-1)!) - bytesOf(samples[0]!)) / samples.length),
  };
}
