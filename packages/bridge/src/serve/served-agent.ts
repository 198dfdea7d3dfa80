/** What a service needs of an agent: the contract's policy, and the words around it as functions. */
import type { Answer, ChatMessage, Frame, History, Policy, Question, Random, Sampling } from '@emac/core';

/** What an agent knows when it acts. */
export interface Situation {
  /** the first observation, then commands with their observations */
  readonly history: History;
  /** what is seen now; none for an agent that is given none */
  readonly frames: readonly Frame[];
  /** what its environment accepts now; null where that is not known */
  readonly admissible: readonly string[] | null;
}

/** What the chat messages of a language model's client mean to an agent. */
export type ReadMessages = (messages: readonly ChatMessage[]) => Omit<Situation, 'frames'>;

export interface ServedAgent {
  /** as clients name it, in `model` and in the list of models */
  readonly name: string;
  readonly policy: Pick<Policy, 'decide' | 'countPromptTokens'>;
  /** how answers are chosen where nothing else is asked for */
  readonly sampling: Sampling;
  /** whether it chooses among admissible commands where a request does not say so, which must then give some; default false */
  readonly admissibleOnly?: boolean;
  /** What the policy is asked; `admissibleOnly` without it as above. Errors are the server's faults. */
  question(
    situation: Situation,
    options: { readonly admissibleOnly?: boolean; readonly random: Random | null },
  ): Promise<Question>;
  /** the command in an answer */
  command(answer: Answer): string;
  /** what each token adds to an answer's text, nothing for the end token */
  tokenTexts(tokens: readonly number[]): readonly string[];
  /** Errors: `data` for messages that are no episode, in words for the client. */
  readonly readMessages: ReadMessages;
  /** an episode in one text, in the form that the policy reads */
  readonly readText: (text: string) => History;
}
