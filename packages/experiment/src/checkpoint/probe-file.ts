/** The probe of training on disk: collected once, so a resumed run is measured on the same steps. */
import type { ProbeStep } from '@emac/algorithms';
import { EmacError, type Features, type Prompt } from '@emac/core';
import {
  float16ToFloat32,
  float32ToFloat16,
  openRecordLog,
  pack,
  readRecords,
  unpack,
  verifyPart,
  type AppendFile,
  type FilePart,
} from '@emac/files';
import { studentTarget } from '@emac/prompt';

export type ProbeFile = Pick<AppendFile, 'length' | 'sha256' | 'sync'>;

/** A prompt with the keys of its pictures in their places. */
type KeyedPrompt = readonly (
  Exclude<Prompt[number], { kind: 'image' }> | { readonly kind: 'image'; readonly key: string }
)[];

/** The answer for a command is stored unless it is the command after a blank, as in ALFWorld. */
type StoredStep = Omit<ProbeStep, 'prompt' | 'chosen' | 'worse'> &
  Partial<Pick<ProbeStep, 'chosen' | 'worse'>> & { readonly prompt: KeyedPrompt };

interface ProbeRecord {
  readonly features?: string;
  readonly bits?: Uint16Array;
  readonly step?: StoredStep;
}

/** Writes the steps, the features of each picture once; overwrites the file. */
export function writeProbe(path: string, steps: readonly ProbeStep[]): ProbeFile {
  const log = openRecordLog(path);
  const written = new Set<string>();
  for (const step of steps) {
    const prompt = step.prompt.map((part) => {
      if (part.kind !== 'image') return part;
      const { key, data } = part.features;
      if (!written.has(key)) log.append(pack({ features: key, bits: float32ToFloat16(data) }));
      written.add(key);
      return { kind: part.kind, key };
    });
    log.append(pack({ step: { ...stored(step), prompt } }));
  }
  log.sync();
  const [length, hash] = [log.length, log.sha256()];
  log.close();
  return { length, sha256: () => hash, sync: () => {} };
}

function stored({ chosen, worse, ...step }: ProbeStep): Omit<StoredStep, 'prompt'> {
  const plain = plainTargets(step);
  return chosen === plain.chosen && worse === plain.worse ? step : { ...step, chosen, worse };
}

function plainTargets({ label, rejected }: Pick<ProbeStep, 'label' | 'rejected'>) {
  return { chosen: studentTarget(label), worse: rejected === null ? null : studentTarget(rejected) };
}

/** The steps in a file, and that file as a checkpoint holds it. Errors: `missing`, `data`. */
export function readProbe(path: string, part: Required<FilePart>): { steps: ProbeStep[]; file: ProbeFile } {
  verifyPart(path, part);
  const known = new Map<string, Features>();
  const steps: ProbeStep[] = [];
  const featuresOf = (key: string): Features => {
    const features = known.get(key);
    if (!features) throw new EmacError('data', `${path}: uses the features ${key}, but does not hold them`);
    return features;
  };
  readRecords(path, part.length, (record) => {
    const { features: key, bits, step } = unpack(record) as ProbeRecord;
    if (key !== undefined && bits) known.set(key, { key, data: float16ToFloat32(bits) });
    if (!step) return;
    const prompt = step.prompt.map((each) =>
      each.kind === 'image' ? { kind: each.kind, features: featuresOf(each.key) } : each,
    );
    steps.push({ ...plainTargets(step), ...step, prompt });
  });
  const { length, sha256 } = part;
  return { steps, file: { length, sha256: () => sha256, sync: () => {} } };
}
