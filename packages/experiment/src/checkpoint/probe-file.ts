/** The probe of training on disk: collected once, so that a run that goes on is measured by the very same steps. */
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

export type ProbeFile = Pick<AppendFile, 'length' | 'sha256' | 'sync'>;

/** A prompt with the keys of its pictures in their places. */
type KeyedPrompt = readonly (
  Exclude<Prompt[number], { kind: 'image' }> | { readonly kind: 'image'; readonly key: string }
)[];

interface ProbeRecord {
  readonly features?: string;
  readonly bits?: Uint16Array;
  readonly step?: Omit<ProbeStep, 'prompt'> & { readonly prompt: KeyedPrompt };
}

/** Writes the steps, the features of each picture once; what was in the file is lost. */
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
    log.append(pack({ step: { ...step, prompt } }));
  }
  log.sync();
  const [length, hash] = [log.length, log.sha256()];
  log.close();
  return { length, sha256: () => hash, sync: () => {} };
}

/** The steps in a file, and that file as a checkpoint holds it. Errors: `missing`, `data`. */
export function readProbe(path: string, part: Required<FilePart>): { steps: ProbeStep[]; file: ProbeFile } {
  verifyPart(path, part);
  const known = new Map<string, Features>();
  const steps: ProbeStep[] = [];
  const featuresOf = (key: string): Features => {
    const features = known.get(key);
    if (!features) throw new EmacError('data', `${path}: uses the features ${key}, which it does not hold`);
    return features;
  };
  readRecords(path, part.length, (record) => {
    const { features: key, bits, step } = unpack(record) as ProbeRecord;
    if (key !== undefined && bits) known.set(key, { key, data: float16ToFloat32(bits) });
    if (!step) return;
    const prompt = step.prompt.map((each) =>
      each.kind === 'image' ? { kind: each.kind, features: featuresOf(each.key) } : each,
    );
    steps.push({ ...step, prompt });
  });
  const { length, sha256 } = part;
  return { steps, file: { length, sha256: () => sha256, sync: () => {} } };
}
