/**
 * An agent that echoes its question: it answers with the number of pictures and the prompt's last line before the open
 * `>`, or with the first allowed answer. A word with the blank before it is one token, with log-probabilities −1, −2,
 * …; 0 is the end token.
 */
import { EmacError, promptOf, type Answer, type History, type Question, type Sampling } from '@emac/core';
import { sha256 } from '@emac/files';
import type { EpisodeAgent, Situation } from './served-agent.ts';

export interface Scripted {
  readonly agent: EpisodeAgent;
  /** every batch: its questions and sampling */
  readonly decided: { readonly questions: readonly Question[]; readonly sampling: Sampling }[];
  /** the situations before they became questions */
  readonly situations: Situation[];
  /** holds decisions until called again */
  hold(): () => void;
}

/** A prompt with this text fails as too long. */
export const tooLong = 'much too long';
/** Characters of the longest answer. */
export const longestAnswer = 400;
/** A prompt with this text breaks the policy. */
export const breaking = 'breaks it';

/**
 * Prompts equal to one of these texts cause a fault with this message: in the policy's decision, or in making the
 * question.
 */
export const [broken, spoilt, noPlace] = [
  'no device any more',
  'model.onnx is damaged',
  'token id 7 has no place',
];
const inDecision = new Map([
  [broken, 'unavailable'],
  [noPlace, 'usage'],
] as const);

export function scriptedAgent(): Scripted {
  const words = new Map<number, string>([[0, '']]);
  const idOf = (word: string): number => {
    const known = [...words].find(([, each]) => each === word)?.[0];
    if (known === undefined) words.set(words.size, word);
    return known ?? words.size - 1;
  };
  const decided: Scripted['decided'] = [];
  const situations: Situation[] = [];
  let held: Promise<void> = Promise.resolve();
  const answer = ({ prompt, allowed }: Question): Answer => {
    const text = textOf(prompt);
    if (allowed?.every((each) => each.length > longestAnswer))
      throw new EmacError('usage', 'generation: none of the allowed texts ends');
    if (text.includes(tooLong)) throw new EmacError('data', 'student: the prompt does not fit; shorten it');
    const fault = [...inDecision].find(([message]) => text.startsWith(message));
    if (fault) throw new EmacError(fault[1], fault[0]);
    if (text.includes(breaking)) throw new Error(`cannot read ${import.meta.filename}`);
    const pictures = prompt.filter(({ kind }) => kind === 'image').length;
    const said = allowed?.[0] ?? ` ${pictures} ${text.replace(/\n>$/, '').split('\n').at(-1)}`;
    const tokens = (said.match(/\s*\S+/g) ?? []).map(idOf);
    return {
      text: said,
      tokens: [...tokens, 0],
      logProbabilities: [...tokens, 0].map((_, place) => -(place + 1)),
    };
  };
  const agent: EpisodeAgent = {
    name: 'scripted',
    policy: {
      encode: null,
      decide: async (questions, sampling) => {
        decided.push({ questions, sampling });
        await held;
        return questions.map(answer);
      },
      countPromptTokens: (text) => text.split(/\s+/).length,
    },
    sampling: { kind: 'search', beams: 5 },
    question: async (situation, { admissibleOnly = false, random }) => {
      situations.push(situation);
      const { history, frames, admissible } = situation;
      if (history.initial === spoilt) throw new EmacError('data', spoilt);
      const features = frames.map(({ data }) => ({ data: Float32Array.from(data), key: sha256(data) }));
      return {
        prompt: promptOf(features, textIn(history)),
        allowed: admissibleOnly ? admissible!.map((command) => ` ${command}`) : null,
        random,
      };
    },
    command: ({ text }) => text.trim().toUpperCase(),
    tokenTexts: (tokens) => tokens.map((token) => words.get(token)!),
    readMessages: (messages) => {
      const [first, ...more] = messages.filter(({ role }) => role !== 'system');
      if (first?.role !== 'user') throw new EmacError('data', 'messages: must begin with the user');
      const turns = more.flatMap(({ content }, place) =>
        place % 2 === 0 ? [{ command: content, observation: more[place + 1]?.content ?? '' }] : [],
      );
      const admissible = first.content.endsWith('accepts now:\n') ? [] : null;
      return { history: { initial: first.content, turns }, admissible };
    },
    readText: (text) => ({ initial: text.replace(/\n>$/, ''), turns: [] }),
  };
  return {
    agent,
    decided,
    situations,
    hold: () => {
      let release = (): void => {};
      held = new Promise((resolve) => (release = resolve));
      return release;
    },
  };
}

function textIn({ initial, turns }: History): string {
  const steps = turns.map(({ command, observation }) => `\n> ${command}\n${observation}`);
  return `${initial}${steps.join('')}\n>`;
}

export function textOf(prompt: Question['prompt']): string {
  return prompt.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
}
