/** Tasks that are questions: an episode is one answer, and the whole answer is the action. */
import type { Environment, Step, Task } from './environment.ts';
import type { MaybeAsync } from './maybe-async.ts';
import type { Observation } from './observation.ts';
import type { Speech } from './environment-kind.ts';

/** What an answer is worth. */
interface AnswerWorth {
  readonly reward: number;
  readonly won: boolean;
}

/** `worthOf` absent: an answer is worth nothing here, and is rewarded elsewhere. Errors while playing: those of both. */
export function questionEnvironment(
  questionOf: (task: Task) => MaybeAsync<Observation>,
  worthOf: (task: Task, answer: string) => MaybeAsync<AnswerWorth> = () => ({ reward: 0, won: false }),
): Pick<Environment, 'begin'> {
  return {
    async begin(task) {
      const first = await questionOf(task);
      let over: Step | null = null;
      return {
        task,
        first,
        async step(answer) {
          if (over) return over;
          const { reward, won } = await worthOf(task, answer);
          return (over = { observation: first, reward, terminated: true, truncated: false, info: { won } });
        },
        close: async () => {},
      };
    },
  };
}

/** The observation's text as the prompt, and the whole answer as the action. */
export const wholeAnswers: Speech = {
  prompt: ({ observation: { text } }) => text,
  target: (answer) => answer,
  read: ({ text }) => ({ action: text, actionStart: 0 }),
};
