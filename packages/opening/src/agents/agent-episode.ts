/**
 * An attempt of an agent of one's own as an episode: its requests are the observations, the policy's answers the actions, and what
 * it returns is the reward. An agent that crashes or hangs loses its attempt (a lost episode is no failure).
 */
import type { AttemptRequests, OpenRequest } from '@emac/bridge';
import {
  isReward,
  largestReward,
  askedText,
  EmacError,
  LostEpisode,
  messageOf,
  type Answer,
  type Episode,
  type Observation,
  type Step,
  type Task,
} from '@emac/core';
import { isRecord, ModuleFault } from '../environments/module-faults.ts';
import type { RunningAttempt } from './running-agent.ts';

/** How a policy reads requests. */
export interface RequestReading {
  /** of the prompt of a request's text. Errors: `data` for messages that its chat template refuses */
  countTokens(text: string): number;
  /** the text that each token adds to an answer */
  tokenTexts(tokens: readonly number[]): readonly string[];
  /** longest prompt in tokens */
  readonly maxTokens: number;
  /** whether it has eyes for pictures */
  readonly sees: boolean;
}

export interface AgentAttempt {
  /** for people: `--agent ./mine.mjs` */
  readonly name: string;
  readonly task: Task;
  readonly maxSteps: number;
  /** longest time between an answer and the next request or the end, in seconds */
  readonly seconds: number;
  /** a reward of one's own judges the attempt, so none need be returned */
  readonly isJudged: boolean;
  readonly requests: AttemptRequests;
  readonly running: RunningAttempt;
  /** null: nobody reads, so requests of any length are taken */
  readonly reading: RequestReading | null;
}

/** Waits for the first request. Errors: `LostEpisode`; `data` for what is no reward. */
export async function beginAttempt(attempt: AgentAttempt): Promise<Episode> {
  const { task, requests, running, maxSteps } = attempt;
  const next = eventsOf(attempt);
  const first = await next();
  if ('returned' in first) {
    requests.end();
    throw lost(attempt, 'ended without a request');
  }
  let { open } = first;
  let last: Step | null = null;
  let steps = 0;
  const ended = (value: unknown, isCut: boolean): Step => {
    const { reward, won } = rewardOf(value, attempt);
    const observation = seen(open);
    return { observation, reward, terminated: !isCut, truncated: isCut, info: { won } };
  };
  return {
    task,
    first: seen(open),
    async step(action, answer) {
      if (last && (last.terminated || last.truncated)) return last;
      open.answer(answeredBy(attempt, open, { action, answer: answer ?? null }));
      steps++;
      const event = await next();
      if ('returned' in event) return (last = ended(event.returned, false));
      if (steps < maxSteps) {
        open = event.open;
        return (last = {
          observation: seen(open),
          reward: 0,
          terminated: false,
          truncated: false,
          info: { won: false },
        });
      }
      requests.close(stepLimit(maxSteps));
      return (last = ended(await returnedAfterLimit(attempt), true));
    },
    close: async () => {
      requests.end();
      // whoever still waits for it has gone
      if (!last?.terminated && !last?.truncated) running.stop();
    },
  };
}

type Event = { readonly open: OpenRequest } | { readonly returned: unknown };

/** Requests that the policy cannot read go back to the agent, which may shorten them. */
function eventsOf(attempt: AgentAttempt): () => Promise<Event> {
  const { requests, running } = attempt;
  const returned = running.returned.then(
    (value): Event => ({ returned: value }),
    (thrown: unknown): never => {
      throw thrown instanceof EmacError ? thrown : lost(attempt, `failed: ${messageOf(thrown)}`);
    },
  );
  // it may fail while nobody waits for it
  returned.catch(() => undefined);
  let asked: Promise<Event> | null = null;
  return async () => {
    for (let refusals = 0; refusals < mostRefusals; refusals++) {
      asked ??= requests.next().then((open) => ({ open }));
      const event = await within(attempt, Promise.race([returned, asked]));
      if ('returned' in event) return event;
      asked = null;
      const refusal = unreadable(event.open, attempt.reading);
      if (refusal === null) return event;
      event.open.refuse(refusal);
    }
    running.stop();
    throw lost(attempt, `asked ${mostRefusals} times what the policy cannot read`);
  };
}

const mostRefusals = 100;

/** Errors: `LostEpisode` after the time limit, which ends the agent. */
async function within<T>(attempt: AgentAttempt, event: Promise<T>): Promise<T> {
  const { seconds, running, requests } = attempt;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      requests.end();
      running.stop();
      reject(
        lost(attempt, `neither asked nor returned for ${seconds} s; mend it, or raise EMAC_ENV_SECONDS`),
      );
    }, 1000 * seconds);
  });
  try {
    return await Promise.race([event, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** An agent that stops at the refusal has no reward, but it has not failed. */
async function returnedAfterLimit(attempt: AgentAttempt): Promise<unknown> {
  const ended = attempt.running.returned.catch(() => ({ reward: 0 }));
  return within(attempt, ended);
}

function unreadable(
  { asked, frames }: OpenRequest,
  reading: RequestReading | null,
): Parameters<OpenRequest['refuse']>[0] | null {
  if (!reading) return null;
  if (frames.length > 0 && !reading.sees) return noPictures;
  try {
    const tokens = reading.countTokens(askedText(asked));
    if (tokens <= reading.maxTokens) return null;
    return {
      status: 400,
      code: 'context_length_exceeded',
      message: `The messages have ${tokens} tokens, more than the policy reads (--max-prompt-tokens ${reading.maxTokens}); shorten them.`,
      param: 'messages',
    };
  } catch (thrown) {
    if (!(thrown instanceof EmacError) || thrown.code !== 'data') throw thrown;
    return { status: 400, code: 'invalid_value', message: thrown.message, param: 'messages' };
  }
}

const noPictures: Parameters<OpenRequest['refuse']>[0] = {
  status: 400,
  code: 'invalid_value',
  message: 'messages: the policy reads text alone; leave pictures out, or train a model that sees.',
  param: 'messages',
};

function answeredBy(
  { reading }: AgentAttempt,
  { asked }: OpenRequest,
  { action, answer }: { readonly action: string; readonly answer: Answer | null },
): Parameters<OpenRequest['answer']>[0] {
  const promptTokens = reading?.countTokens(askedText(asked)) ?? 0;
  if (answer && reading) return { promptTokens, answer, texts: reading.tokenTexts(answer.tokens) };
  // somebody else than the policy acted
  const named = { text: action, tokens: [], logProbabilities: [0, 0] };
  return { promptTokens, answer: named, texts: [action, ''] };
}

function seen({ asked, frames }: OpenRequest): Observation {
  return { text: askedText(asked), frames, admissible: null };
}

/** Errors: `data` for what is no reward. */
function rewardOf(value: unknown, { name, task, isJudged }: AgentAttempt): { reward: number; won: boolean } {
  const given = isRecord(value) ? value : { reward: value };
  const { reward = isJudged ? 0 : undefined, won } = given as { reward?: unknown; won?: unknown };
  if (!isReward(reward))
    throw new ModuleFault(
      `${name}: must return a finite reward, at most ${largestReward}, for ${task.id}, or { reward, won }, got ${shown(value)}`,
    );
  return { reward, won: typeof won === 'boolean' ? won : reward > 0 };
}

function shown(value: unknown): string {
  return String(JSON.stringify(value)).slice(0, 80);
}

function lost({ name, task }: AgentAttempt, what: string): LostEpisode {
  return new LostEpisode(`${name}: the attempt at ${task.id} ${what}`);
}

function stepLimit(maxSteps: number): Parameters<OpenRequest['refuse']>[0] {
  return {
    status: 400,
    code: 'step_limit',
    message: `An attempt has at most ${maxSteps} requests (--max-steps); return the reward.`,
  };
}
