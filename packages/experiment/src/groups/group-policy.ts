/** The policy that learns from groups of attempts, opened: adapter or projection, or both, of a vision-language model. */
import { EmacError, Random, type Scorer } from '@emac/core';
import type { Student } from '@emac/model';
import {
  adapterStart,
  closings,
  openModel,
  openStudent,
  ownProjection,
  projectionForm,
  requireNoOtherModel,
  storedProjection,
  trainedParts,
  type Host,
  type OpenModel,
  type PolicyForm,
  type ProjectionStart,
} from '@emac/opening';
import { adapterOfGrpoPreset, type GrpoConfig } from '@emac/settings';

export interface GroupPolicy {
  readonly student: Student;
  readonly model: OpenModel;
  readonly start: ProjectionStart;
  /** the model's own projection and no adapter */
  readonly reference: Scorer;
  readonly form: PolicyForm;
  /** seed and names of an adapter's dropout generator */
  readonly dropoutSeed: string;
  dispose(): Promise<void>;
}

/** The start of a run's parameters. */
export interface GroupStart {
  readonly random: Random;
  /** a run or checkpoint with the parameters; null for none */
  readonly from: string | null;
}

/** The requested form of a policy: its environment and speech. */
export type AskedForm = Pick<PolicyForm, 'env' | 'generation' | 'text' | 'maxSteps' | 'admissibleOnly'>;

export interface GroupPolicyStart extends GroupStart {
  /** from the start's form; null if it has none */
  readonly formed: (stored: PolicyForm | null, model: OpenModel) => AskedForm;
}

/** Errors: `missing`, `data`, `usage`, `unavailable`. */
export async function openGroupPolicy(
  config: GrpoConfig,
  { random, from, formed }: GroupPolicyStart,
  host: Pick<Host, 'env'>,
): Promise<GroupPolicy> {
  const open = closings();
  try {
    const model = await openModel(config.model, host);
    if (from !== null) requireNoOtherModel(from, model);
    const stored = from === null ? ownProjection(model.files) : storedProjection(from, model);
    const { env, generation, text, maxSteps, admissibleOnly } = formed(stored.form, model);
    const start = {
      ...stored,
      adapter: adapterStart(config, {
        start: stored,
        model,
        random,
        fresh: adapterOfGrpoPreset(config.preset),
      }),
    };
    const dropoutSeed = random.stream('dropout').path;
    const student = await openStudent(model, start, {
      generation,
      text,
      train: trainedParts(config, model),
      dropoutSeed,
    });
    open.add(() => student.dispose());
    const own = ownProjection(model.files).projection?.parameters ?? new Map<string, never>();
    if (own instanceof Random) throw new EmacError('internal', 'the model folder already holds a projection');
    const reference = student.under(own);
    open.add(() => reference.dispose());
    return {
      student,
      model,
      start,
      reference,
      dropoutSeed,
      form: {
        ...(env !== undefined && { env }),
        projection: projectionForm(start),
        generation,
        text,
        maxSteps,
        admissibleOnly,
        visionNorm: start.visionNorm && { epsilon: start.visionNorm.epsilon },
      },
      dispose: () => open.close(),
    };
  } catch (thrown) {
    await open.close();
    throw thrown;
  }
}
