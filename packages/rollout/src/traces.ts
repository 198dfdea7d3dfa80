/**
 * An episode as one line of `traces.jsonl`: the conversation of a policy with its environment, in the form of datasets of
 * `messages`, beside its reward and the token ids that were chosen. A prompt that goes on from the one before adds what is
 * new in it; any other one stands as a whole. Equal episodes give equal lines.
 */
import {
  isAsked,
  readAsked,
  readTurns,
  type Answer,
  type AskedMessage,
  type AskedTool,
  type Fact,
  type Features,
  type Prompt,
  type PromptPart,
  type Trajectory,
} from '@emac/core';

/** A step of an episode, as plain JSON. */
export interface TraceStep {
  /** of the prompt, without its pictures */
  readonly read: string;
  /** how many pictures the prompt has */
  readonly pictures: number;
  /** their files, beside the traces; absent where there are none or one is not known */
  readonly files?: readonly string[];
  /** the answer; the action where the policy was not asked */
  readonly said: string;
  /** in words; null for an action that has none */
  readonly action: string | null;
  readonly ids: readonly number[];
  /** of the ids; empty where they were not recorded */
  readonly logprobs: readonly number[];
  readonly reward: number;
}

export interface StepToTrace {
  /** null: it was not recorded */
  readonly prompt: Prompt | null;
  /** null: the policy was not asked */
  readonly answer: Answer | null;
  readonly action: unknown;
  readonly reward: number;
}

/** The file of a picture, from the folder of the traces; null where it is not known. */
export type FileOfPicture = (features: Features) => string | null;

const unknownFile: FileOfPicture = () => null;

export function traceStep(
  { prompt, answer, action, reward }: StepToTrace,
  fileOf: FileOfPicture = unknownFile,
): TraceStep {
  const words = typeof action === 'string' ? action : null;
  const seen = (prompt ?? []).flatMap((part) => (part.kind === 'image' ? [part.features] : []));
  const files = seen.flatMap((features) => fileOf(features) ?? []);
  return {
    read: (prompt ?? []).map(wordsOf).join(''),
    pictures: seen.length,
    ...(files.length > 0 && files.length === seen.length && { files }),
    said: answer?.text ?? words ?? '',
    action: words,
    ids: answer?.tokens ?? [],
    logprobs: answer?.logProbabilities ?? [],
    reward,
  };
}

/** values of an array that are written out; of a longer one its shape is */
const mostValues = 64;

function wordsOf(part: PromptPart): string {
  if (part.kind === 'text') return part.text;
  if (part.kind !== 'array') return '';
  const { shape, data } = part.values;
  const values = data.length <= mostValues ? [...data].join(' ') : `of shape ${shape.join(' ')}`;
  return `${part.name}: ${values}\n`;
}

export function traceSteps({ steps }: Pick<Trajectory, 'steps'>, fileOf?: FileOfPicture): TraceStep[] {
  return steps.map(({ result: { reward }, ...step }) => traceStep({ ...step, reward }, fileOf));
}

/** The line of an episode that was played in words. */
export function episodeTrace(
  trajectory: Trajectory,
  of: Partial<Pick<TraceOf, 'success' | 'reward'>> & { readonly [field: string]: Fact },
  fileOf?: FileOfPicture,
): object {
  const { task, end, won } = trajectory;
  const steps = traceSteps(trajectory, fileOf);
  const reward = steps.reduce((sum, step) => sum + step.reward, 0);
  return traceLine(steps, { task: task.id, task_type: task.type, success: won, end, reward, ...of });
}

/** What a trace tells beside the conversation. */
export interface TraceOf {
  readonly task: string;
  readonly task_type: string | null;
  /** of the whole episode */
  readonly reward: number;
  readonly success: boolean;
  /** why it ended */
  readonly end: Trajectory['end'];
  /** its place in the run or the evaluation */
  readonly [field: string]: Fact;
}

/** The line of an episode. */
export function traceLine(steps: readonly TraceStep[], of: TraceOf): object {
  const { messages, tools, rewritten } = conversationOf(steps);
  const images = imagesOf(steps, messages);
  return {
    v: 1,
    ...of,
    messages,
    ...(images.length > 0 && { images }),
    ...(tools && { tools }),
    ...(rewritten > 0 && { rewritten }),
    rewards: steps.map(({ reward }) => reward),
    completion_ids: steps.map(({ ids }) => ids),
    completion_logprobs: steps.map(({ logprobs }) => logprobs),
  };
}

interface Conversation {
  readonly messages: readonly Message[];
  /** that the last request named */
  readonly tools: readonly AskedTool[] | undefined;
  /** prompts that did not go on from the one before */
  readonly rewritten: number;
}

function conversationOf(steps: readonly TraceStep[]): Conversation {
  const messages: Message[] = [];
  let tools: readonly AskedTool[] | undefined;
  let rewritten = 0;
  for (const [index, step] of steps.entries()) {
    const before = steps[index - 1] ?? null;
    if (isAsked(step.read)) {
      const asked = readAsked(step.read);
      ({ tools } = asked);
      const isNext = index === 0 || goesOn(messages, asked.messages);
      if (isNext) messages.splice(0, messages.length, ...asked.messages);
      else messages.push(...newIn(asked.messages, before!));
      if (!isNext) rewritten++;
    } else {
      const { text, isNext } = turnOf(step, before);
      messages.push({ role: 'user', content: withPictures(text, step.pictures) });
      if (!isNext) rewritten++;
    }
    messages.push({ role: 'assistant', content: step.said });
  }
  return { messages, tools, rewritten };
}

interface Message {
  readonly role: string;
  readonly content: Fact;
  readonly [field: string]: Fact;
}

/** Whether a request begins with the conversation so far; what was said may stand there as calls of tools. */
function goesOn(messages: readonly Message[], asked: readonly AskedMessage[]): boolean {
  if (asked.length < messages.length) return false;
  return messages.every(
    (message, place) =>
      message.role === asked[place]!.role &&
      (isEqual(message.content, asked[place]!.content) || 'tool_calls' in asked[place]!),
  );
}

/** The messages of a request after those that the request before began with, too. */
function newIn(asked: readonly AskedMessage[], { read }: TraceStep): readonly AskedMessage[] {
  const earlier = isAsked(read) ? readAsked(read).messages : [];
  const first = asked.findIndex((message, place) => !isEqual(message, earlier[place]));
  return first === -1 ? asked.slice(-1) : asked.slice(first);
}

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** A prompt that ends with the newest action and what followed adds only what followed. */
function turnOf(
  { read }: TraceStep,
  before: TraceStep | null,
): { readonly text: string; readonly isNext: boolean } {
  const turns = readTurns(read);
  if (before === null) return { text: turns.length === 1 ? turns[0]! : read, isNext: true };
  if (turns.length >= 3 && turns.at(-2) === before.action) return { text: turns.at(-1)!, isNext: true };
  return { text: read, isNext: false };
}

/** The pictures of the places in the messages, in their order; none if a file is not known or a place has no picture. */
function imagesOf(steps: readonly TraceStep[], messages: readonly Message[]): readonly string[] {
  const files = steps.flatMap(({ files: own = [] }) => own);
  const places = messages.flatMap(({ content }) =>
    Array.isArray(content) ? content.filter((part) => (part as { type?: Fact }).type === 'image') : [],
  );
  return files.length === places.length ? files : [];
}

function withPictures(text: string, pictures: number): Fact {
  if (pictures === 0) return text;
  return [...Array.from({ length: pictures }, () => ({ type: 'image' })), { type: 'text', text }];
}
