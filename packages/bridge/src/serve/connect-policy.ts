/**
 * A served agent as a policy, over `POST /v1/act`. Not supported over this wire:
 *  - features: the server encodes pictures itself. `encode` returns features without data, for this policy only;
 *  - the tokenizer: `countPromptTokens` is 0, and the server shortens a prompt that is too long, oldest steps first;
 *  - search settings: the server searches as its agent was trained to. Temperature and nucleus are sent; `topK`, stop
 *    texts and entropies are not;
 *  - scores and gradients.
 */
import {
  EmacError,
  type Answer,
  type Features,
  type Frame,
  type Policy,
  type Question,
  type Sampling,
} from '@emac/core';
import { sha256 } from '@emac/files';
import { encodePng } from '@emac/images';
import { actClient, type ActClientOptions } from './act-client.ts';
import type { ActRequest } from './act-messages.ts';
import type { Situation } from './served-agent.ts';

export interface ConnectedPolicy extends Policy {
  /** The command at a state, and its log-probability. Errors: as `decide`'s. */
  act(situation: Situation): Promise<{ readonly command: string; readonly logProbability: number }>;
}

/**
 * The policy served at an address, such as `http://127.0.0.1:8700`. Sends nothing before the first call. Its errors:
 * `unavailable` if nobody answers or the reply is invalid; `auth` for a missing or wrong token; `data` for a request
 * the server refuses. Errors here: `usage` for an invalid address.
 */
export function connectPolicy(url: string, options: ActClientOptions = {}): ConnectedPolicy {
  const ask = actClient(url, options);
  const pictures = new WeakMap<Features, string>();
  const shown = (features: Features): string => {
    const picture = pictures.get(features);
    if (picture !== undefined) return picture;
    throw new EmacError('usage', `${url}: features must come from this policy's own encode`);
  };
  return {
    async act({ history, frames, admissible }) {
      const images = await Promise.all(frames.map(dataUrl));
      const { action, log_probability: logProbability } = await ask({ history, images, admissible });
      return { command: action, logProbability };
    },
    async encode(frame) {
      const picture = await dataUrl(frame);
      const features = { data: new Float32Array(0), key: sha256(Buffer.from(picture)) };
      pictures.set(features, picture);
      return features;
    },
    decide: (questions, sampling) =>
      Promise.all(
        questions.map(async (question): Promise<Answer> => {
          const { text, tokens } = await ask({
            ...promptOf(question, shown),
            ...allowedOf(question),
            ...samplingOf(question, sampling),
          });
          return {
            text,
            tokens: tokens.map(({ id }) => id),
            logProbabilities: tokens.map((token) => token.log_probability),
          };
        }),
      ),
    countPromptTokens: () => 0,
  };
}

async function dataUrl(frame: Frame): Promise<string> {
  return `data:image/png;base64,${Buffer.from(await encodePng(frame)).toString('base64')}`;
}

function promptOf({ prompt }: Question, shown: (features: Features) => string) {
  const parts = { prompt: '', images: [] as string[] };
  for (const part of prompt)
    if (part.kind === 'text') parts.prompt += part.text;
    else if (part.kind === 'image') parts.images.push(shown(part.features));
    else
      throw new EmacError(
        'usage',
        `connected policy: prompts are pictures and text, got ${part.kind === 'array' ? `an array (${part.name})` : 'ids'}`,
      );
  return parts;
}

/** Answers are commands after a blank. */
function allowedOf({ allowed }: Question): Pick<ActRequest, 'admissible' | 'admissible_only'> {
  if (allowed === null) return {};
  return { admissible: allowed.map((answer) => answer.replace(/^ /, '')), admissible_only: true };
}

function samplingOf(
  { random, stop = [] }: Question,
  sampling: Sampling,
): Pick<ActRequest, 'temperature' | 'top_p' | 'seed'> {
  if (stop.length > 0)
    throw new EmacError('usage', 'connected policy: stop texts are not supported; ask without them');
  if (sampling.kind === 'search') return {};
  const { temperature, topP, topK } = sampling;
  if (topK !== undefined)
    throw new EmacError('usage', `connected policy: topK is not supported, got ${topK}; ask with topP`);
  return { temperature, top_p: topP, ...(random && { seed: random.uint32() }) };
}
