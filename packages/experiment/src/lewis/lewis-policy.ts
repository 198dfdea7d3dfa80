/** The policy of the role that learns, opened: adapter or projection, or both, of a vision-language model. */
import { EmacError, Random, type Prompt, type Scorer } from '@emac/core';
import type { Student } from '@emac/model';
import { closings } from '../closings.ts';
import { adapterOfGrpoPreset, type GrpoConfig } from '../config/grpo-config.ts';
import type { Host } from '../host.ts';
import { openModel, type OpenModel } from '../opening/model.ts';
import type { PolicyForm } from '../opening/policy-form.ts';
import {
  ownProjection,
  requireNoOtherModel,
  storedProjection,
  type ProjectionStart,
} from '../opening/projection-start.ts';
import { openStudent } from '../opening/student.ts';
import { adapterStart, trainedParts } from '../training/start.ts';
import { lewisFormOf } from './grpo-checkpoint.ts';
import { requireSplit } from './open-agents.ts';

export interface LewisPolicy {
  readonly student: Student;
  readonly model: OpenModel;
  readonly start: ProjectionStart;
  /** the model's own projection and no adapter */
  readonly reference: Scorer;
  readonly form: PolicyForm;
  dispose(): Promise<void>;
}

/** `from` is a run or checkpoint whose parameters it takes. Errors: `missing`, `data`, `usage`, `unavailable`. */
export async function openLewisPolicy(
  config: GrpoConfig,
  { random, from }: { readonly random: Random; readonly from: string | null },
  host: Pick<Host, 'env'>,
): Promise<LewisPolicy> {
  const open = closings();
  try {
    const model = await openModel(config.model, host);
    if (from !== null) requireNoOtherModel(from, model);
    const form = from === null ? null : lewisFormOf(from);
    if (form) requireSplit(`--init ${from}`, form.game, config.game);
    const stored = from === null ? ownProjection(model.files) : storedProjection(from, model);
    const start = {
      ...stored,
      adapter: adapterStart(config, {
        start: stored,
        model,
        random,
        fresh: adapterOfGrpoPreset(config.preset),
      }),
    };
    const speech = speechOf(config);
    const student = await openStudent(model, start, {
      ...speech,
      textTokensFlag: '--max-prompt-length',
      train: trainedParts(config),
      dropoutSeed: random.stream('dropout').path,
    });
    open.add(() => student.dispose());
    const own = ownProjection(model.files).parameters;
    if (own instanceof Random) throw new EmacError('internal', 'a model has a projection of its own');
    const reference = student.under(own);
    open.add(() => reference.dispose());
    return {
      student,
      model,
      start,
      reference,
      form: {
        projection: { kind: start.kind, hidden: start.hidden },
        ...speech,
        maxSteps: 1,
        admissibleOnly: false,
        visionNorm: start.visionNorm && { epsilon: start.visionNorm.epsilon },
      },
      dispose: () => open.close(),
    };
  } catch (thrown) {
    await open.close();
    throw thrown;
  }
}

function speechOf({ speech, losses }: GrpoConfig): Pick<PolicyForm, 'generation' | 'text'> {
  return {
    generation: { beams: 1, minLength: speech.minLength, maxLength: losses.maxLength },
    text: { maxTokens: speech.maxPromptLength, thoughts: false, observe: 'both' },
  };
}

/** The policy with a limit on its prompts, pictures included: a longer one is refused, never cut. Errors: `data`. */
export function withinPromptLength(student: Student, limit: number): Student {
  return {
    ...student,
    decide: (questions, sampling) => {
      for (const { prompt } of questions) requirePromptLength(student, prompt, limit);
      return student.decide(questions, sampling);
    },
  };
}

/** Errors: `data` for a prompt of more tokens than the limit. */
export function requirePromptLength(student: Student, prompt: Prompt, limit: number): void {
  const tokens = prompt.reduce((sum, part) => {
    if (part.kind === 'text') return sum + student.countPromptTokens(part.text);
    return part.kind === 'image' ? sum + student.countVisualTokens(part.features) : sum;
  }, 0);
  if (tokens > limit)
    throw new EmacError(
      'data',
      `--max-prompt-length: a prompt has ${tokens} tokens, at most ${limit} are allowed; raise it, or give smaller pictures`,
    );
}
