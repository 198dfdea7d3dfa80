/** What every dry run tells: the example, the model, memory, disk, time. */
import { shownPicture } from '@emac/backbone';
import { EmacError, type Sampling } from '@emac/core';
import { float32ToFloat16, freeSpace, requireSpace } from '@emac/files';
import type { Student } from '@emac/model';
import { inUse, policySizes, stopIfAsked, type Host, type OpenModel } from '@emac/opening';
import { noFrame, textOf } from '@emac/rollout';
import { inAll, writableAbove, type ExpectedDisk, type PartOfDisk, type Sizes } from './disk.ts';
import type { Examples, Sample } from './example.ts';
import type { ExpertEstimate } from './expert-estimate.ts';
import type { PartOfWork } from './expected-work.ts';
import { expectedTime, type ExpectedTime } from './hours.ts';
import { measure, type Measured, type Subject } from './measure.ts';

/** The machine as a dry run sees it. */
export interface DryMachine {
  /** bytes in use by this process, at most so far, and free for it */
  readonly memory: () => { readonly resident: number; readonly peak: number; readonly available: number };
  /** bytes for files in a folder that is there */
  readonly freeSpace: (folder: string) => number;
}

export interface DryHost extends Host {
  /** default: this one */
  readonly machine?: DryMachine;
  /** milliseconds after which longer prompts are counted up instead of measured; default 20,000 */
  readonly measureLimit?: number;
}

export interface ShownExample extends Pick<Examples, 'source' | 'saidBy'> {
  /** exactly as the model reads it, after its visual tokens */
  readonly prompt: string;
  /** exactly as it is learned, without the end token */
  readonly target: string;
  readonly tokens: {
    readonly visual: number;
    /** begin token included */
    readonly prompt: number;
    /** end token included */
    readonly target: number;
    /** of the longest prompt that is possible */
    readonly longest: number;
  };
}

export interface ExpectedMemory {
  /** bytes of this process, measured: after opening, after acting, and at most */
  readonly opened: number;
  readonly acting: number;
  readonly peak: number;
  /** what training adds: measured from acting to the largest update, and the optimizer's moments; 0 where nothing is trained */
  readonly training: number;
  /** free for this process now */
  readonly available: number;
}

export interface DryRun {
  /** `bc`, `dpo`, `evaluation`, `collection` */
  readonly name: string;
  /** every setting with the value in use */
  readonly config: object;
  readonly notes: readonly string[];
  /** what may stop the run for lack of disk or memory */
  readonly warnings: readonly string[];
  readonly model: {
    readonly folder: string;
    readonly identity: string;
    readonly layers: string;
    readonly parameters: { readonly trained: number; readonly frozen: number };
  };
  /** what is played or read, in words */
  readonly of: string;
  readonly example: ShownExample;
  readonly memory: ExpectedMemory;
  /** null where nothing is to be kept */
  readonly disk: (ExpectedDisk & { readonly folder: string; readonly free: number }) | null;
  readonly time: ExpectedTime & { readonly how: readonly string[]; readonly measured: Measured };
  /** null where no language model is asked */
  readonly expert: ExpertEstimate | null;
}

/** What was opened, and what is to be done with it. */
export interface Described {
  readonly name: string;
  readonly config: object;
  readonly notes: readonly (string | null)[];
  readonly of: string;
  readonly model: OpenModel;
  readonly student: Student;
  readonly sampling: Sampling;
  readonly parallel: number;
  /** the policy is asked for commands */
  readonly acts: boolean;
  readonly training: Subject['training'];
  /** milliseconds until everything was open */
  readonly opening: number;
  readonly examples: () => Promise<Examples>;
  readonly work: readonly PartOfWork[];
  /** path of what is written, and its parts; null for nothing */
  readonly disk: { readonly out: string; readonly parts: (sizes: Sizes) => readonly PartOfDisk[] } | null;
  /** bytes without which a run does not begin */
  readonly spaceNeeded: number;
  readonly expert: (asked: Examples['asked']) => ExpertEstimate | null;
}

/** Measures and tells. Errors: `io` where the disk is too small, `cannot-create`, `auth`; those of the policy; `interrupted`. */
export async function describe(described: Described, host: DryHost): Promise<DryRun> {
  const { student, model, disk } = described;
  const machine = host.machine ?? thisMachine;
  // before anything is measured
  const folder = disk && writableAbove(disk.out);
  const free = folder === null ? 0 : machine.freeSpace(folder);
  if (folder !== null) requireSpace(folder, described.spaceNeeded, free);
  const { resident: opened } = machine.memory();
  // sessions open with the first picture
  await student.encode(noFrame);
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
  const expected = disk && inAll(disk.parts(sizesOf(described, examples)));
  if (expected && folder !== null) requireSpace(folder, expected.total.least, free);
  const available = machine.memory().available;
  const training = described.training === null ? 0 : added(described, all);
  return {
    name: described.name,
    config: described.config,
    notes: [inUse(model), model.note, ...described.notes].filter((each) => each !== null),
    warnings: [
      expected && folder !== null && expected.total.most > free ? tooSmallPerhaps(folder) : null,
      training > available ? 'memory: training may need more than is free' : null,
    ].filter((each) => each !== null),
    of: described.of,
    model: {
      folder: model.folder,
      identity: model.identity,
      layers: student.layers,
      parameters: parametersOfPolicy(described),
    },
    example: shown(described, examples),
    memory: { ...all.memory, training, available },
    disk: expected && { ...expected, folder: folder!, free },
    time: { ...expectedTime(described.work, all), how, measured: all },
    expert: described.expert(examples.asked),
  };
}

const tooSmallPerhaps = (folder: string) =>
  `disk: ${folder} may be too small if games last as long as they may`;

function measured(
  { student, sampling, parallel, acts, training }: Described,
  { samples, last }: Examples,
  { now, measureLimit = 20_000, machine }: DryHost & { readonly machine: DryMachine },
) {
  const subject = { student, sampling, samples, last, parallel, acts, training };
  return measure(subject, { now, limit: measureLimit, memory: machine.memory });
}

/** Measured growth, and two moments for each parameter. */
function added({ student }: Described, { memory: { acting, peak } }: Measured): number {
  return Math.max(0, peak - acting) + 2 * policySizes(student).trained;
}

/** What of the policy does not learn is frozen, like the networks. */
function parametersOfPolicy({ student, model }: Described): DryRun['model']['parameters'] {
  const { parameters, trained } = policySizes(student);
  const networks = [...model.files.tensors.values()]
    .filter(({ name }) => !name.startsWith('language_projection.'))
    .reduce((sum, { shape }) => sum + shape.reduce((count, size) => count * size, 1), 0);
  return { trained: trained / 4, frozen: networks + (parameters - trained) / 4 };
}

function shown({ student, model }: Described, { source, saidBy, samples, last }: Examples): ShownExample {
  const { prompt, target } = samples[0]!;
  const { family, config } = model.files;
  const connector = family.connector(config);
  const visual = prompt.flatMap((part) =>
    part.kind === 'image' ? [shownPicture(connector.sight(part.features.data), connector).tokens] : [],
  );
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

function sizesOf({ student }: Described, { samples, last, pictureBytes }: Examples): Sizes {
  const [first] = samples[0]!.prompt;
  if (first?.kind !== 'image') throw new EmacError('internal', 'dry run: the prompt has no picture');
  const bytesOf = (sample: Sample) => Buffer.byteLength(textOf(sample.prompt));
  return {
    ...policySizes(student),
    features: float32ToFloat16(first.features.data).byteLength,
    picture: pictureBytes,
    prompt: { least: bytesOf(samples[0]!), most: bytesOf(last) },
    turn: Math.max(200, (bytesOf(samples.at(-1)!) - bytesOf(samples[0]!)) / samples.length),
  };
}

const thisMachine: DryMachine = {
  memory: () => ({
    resident: process.memoryUsage.rss(),
    peak: process.resourceUsage().maxRSS * 1024,
    available: process.availableMemory(),
  }),
  freeSpace,
};
