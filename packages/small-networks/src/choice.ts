/** Turns log-probabilities of actions into answers. */
import {
  EmacError,
  isTemperature,
  leastTemperature,
  type Answer,
  type Question,
  type Sampling,
} from '@emac/core';

/** Errors: `usage` for a sampling mode that a categorical policy does not have, or a question without a generator. */
export function answerOf(
  actions: readonly string[],
  logProbabilities: Float32Array,
  { question, sampling }: { readonly question: Question; readonly sampling: Sampling },
): Answer {
  const isOpen = openActions(actions, question.allowed);
  const action =
    sampling.kind === 'search'
      ? likeliest(logProbabilities, isOpen)
      : drawn(logProbabilities, { isOpen, question });
  const said = {
    text: actions[action]!,
    tokens: [action],
    logProbabilities: [logProbabilities[action]!],
  };
  return sampling.kind === 'search' ? said : { ...said, entropies: [entropyOf(logProbabilities)] };
}

/** The factor on the logits. Errors: `usage` for an invalid temperature, and for truncation, which the losses ignore. */
export function coldnessOf(sampling: Sampling): number {
  if (sampling.kind === 'search') return 1;
  const { temperature, topP, topK } = sampling;
  if (topP !== 1 || topK !== undefined)
    throw new EmacError(
      'usage',
      `small network: samples from all actions, topP must be 1 and topK absent, got ${topP} and ${topK}`,
    );
  return coldness(temperature);
}

/** Errors: `usage` for a temperature at which nothing can be sampled. */
export function coldness(temperature: number): number {
  if (isTemperature(temperature)) return 1 / temperature;
  throw new EmacError(
    'usage',
    `small network: the temperature must be at least ${leastTemperature}, got ${temperature}`,
  );
}

/** The actions allowed by a question; null for all. */
function openActions(actions: readonly string[], allowed: Question['allowed']): readonly boolean[] | null {
  if (!allowed) return null;
  const open = actions.map((action) => allowed.includes(action));
  if (open.includes(true)) return open;
  throw new EmacError('usage', `small network: has none of the allowed answers ${allowed.join(', ')}`);
}

function likeliest(logProbabilities: Float32Array, isOpen: readonly boolean[] | null): number {
  let best = -1;
  for (let action = 0; action < logProbabilities.length; action++)
    if ((!isOpen || isOpen[action]) && (best < 0 || logProbabilities[action]! > logProbabilities[best]!))
      best = action;
  return best;
}

interface Draw {
  readonly isOpen: readonly boolean[] | null;
  readonly question: Question;
}

function drawn(logProbabilities: Float32Array, { isOpen, question: { random } }: Draw): number {
  if (!random) throw new EmacError('usage', 'small network: a sampled answer needs a generator, got null');
  const weights = Float64Array.from(logProbabilities, (value, action) =>
    !isOpen || isOpen[action] ? Math.exp(value) : 0,
  );
  if (weights.some(Number.isNaN))
    throw new EmacError(
      'check-failed',
      'small network: its probabilities are no numbers: its parameters or its input are too large, or not finite; lower --lr, or scale the observation',
    );
  return random.weightedIndex(weights);
}

/** Of a distribution, in nats. */
export function entropyOf(logProbabilities: Float32Array): number {
  let sum = 0;
  for (const value of logProbabilities) if (value > -Infinity) sum -= Math.exp(value) * value;
  return sum;
}
