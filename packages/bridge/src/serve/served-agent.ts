/** An agent for a service: a policy, and functions for the texts around it. */
import type {
  Answer,
  AskedMessages,
  ChatMessage,
  Frame,
  History,
  Policy,
  Question,
  Random,
  Sampling,
} from '@emac/core';

/** The inputs of an agent's decision. */
export interface Situation {
  /** the first observation, then commands with their observations */
  readonly history: History;
  /** the current view; empty for an agent without pictures */
  readonly frames: readonly Frame[];
  /** the commands the environment accepts now; null if unknown */
  readonly admissible: readonly string[] | null;
}

/** Reads an agent's situation from chat messages. */
export type ReadMessages = (messages: readonly ChatMessage[]) => Omit<Situation, 'frames'>;

export interface Chatting {
  /** in the last message */
  readonly frames: readonly Frame[];
  readonly random: Random | null;
}

interface Served {
  /** its name for clients, in `model` and in the list of models */
  readonly name: string;
  readonly policy: Pick<Policy, 'decide' | 'countPromptTokens' | 'encode'>;
  /** default sampling */
  readonly sampling: Sampling;
  /** the text of each token of an answer, empty for the end token */
  tokenTexts(tokens: readonly number[]): readonly string[];
}

/** A chat model, which reads messages as they are. */
export interface ChatAgent extends Served {
  /** The policy's question about messages, with what they may call. Errors are the server's faults. */
  chat(asked: AskedMessages, how: Chatting): Promise<Question>;
}

/** An agent of episodes, which reads messages as observations and commands. */
export interface EpisodeAgent extends Served {
  /** whether it chooses among admissible commands by default; requests must then list some; default false */
  readonly admissibleOnly?: boolean;
  /** The policy's question; `admissibleOnly` defaults as above. Errors are the server's faults. */
  question(
    situation: Situation,
    options: { readonly admissibleOnly?: boolean; readonly random: Random | null },
  ): Promise<Question>;
  /** the command in an answer */
  command(answer: Answer): string;
  /** Errors: `data` for messages that form no episode, worded for the client. */
  readonly readMessages: ReadMessages;
  /** an episode in one text, in the policy's prompt form */
  readonly readText: (text: string) => History;
}

export type ServedAgent = ChatAgent | EpisodeAgent;
