/** A trial: a run, evaluation or collection, made smaller, that a dry run measures. Its policy's prompts, answers and gradients are heard. */
import type { Answer, GradientRow, LabelRequest, Prompt } from '@emac/core';
import type { Expected } from './expected.ts';

export interface Trial {
  /** steps of environments, attempts or samples of one update at most; each method has its smallest */
  readonly size: number;
  /** held-out episodes at most, before training and after it */
  readonly episodes: number;
  /** everything is open: the work without the trial's bounds */
  opened(expected: Expected): void;
  /** an update begins that has so many attempts */
  attempting(attempts: number): void;
  /** the policy is about to answer */
  acting(): void;
  answered(prompt: Prompt, answer: Answer): void;
  /** a gradient of these rows begins */
  learning(rows: readonly Pick<GradientRow, 'prompt' | 'answers'>[]): void;
  /** a label of a paid expert would be requested */
  requested(request: LabelRequest): void;
}

type Asked = readonly { readonly prompt: Prompt }[];
type Acting<Said> = (questions: Asked, ...rest: readonly unknown[]) => Promise<Said>;

/** The parts of a policy that are heard, as far as it has them. */
interface Parts {
  readonly decide?: Acting<readonly Answer[]>;
  readonly act?: Acting<{ readonly answers: readonly Answer[] }>;
  readonly gradient?: (rows: readonly GradientRow[], ...rest: readonly unknown[]) => Promise<unknown>;
}

/** The same policy, heard by a trial; without a trial the policy itself. */
export function heard<P extends object>(policy: P, trial: Trial | undefined): P {
  if (!trial) return policy;
  const { decide, act, gradient } = policy as Parts;
  const hearing =
    <Said>(answer: Acting<Said>, answersOf: (said: Said) => readonly Answer[]): Acting<Said> =>
    async (questions, ...rest) => {
      trial.acting();
      const said = await answer(questions, ...rest);
      answersOf(said).forEach((each, place) => trial.answered(questions[place]!.prompt, each));
      return said;
    };
  const parts: Parts = {
    ...(decide && { decide: hearing(decide, (answers) => answers) }),
    ...(act && { act: hearing(act, ({ answers }) => answers) }),
    ...(gradient && {
      gradient(rows, ...rest) {
        trial.learning(rows);
        return gradient(rows, ...rest);
      },
    }),
  };
  return { ...policy, ...parts };
}
