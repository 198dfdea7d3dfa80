/** Faults in learning. */
import { fault, type Fault } from '../fault.ts';

export const learning: readonly Fault[] = [
  // core
  fault(
    'integer-bound',
    ['Math.floor(this.uniform() * count)', 'Math.round(this.uniform() * count)'],
    'a drawn number may be one too large',
  ),
  fault(
    'shuffle-range',
    ['this.integer(last + 1)', 'this.integer(last)'],
    'no item of a shuffled list stays in its place',
  ),
  fault(
    'stream-path',
    ['Random.fromSeed(`${this.#path}/${name}`)', 'Random.fromSeed(`${this.#path}${name}`)'],
    'streams have other numbers, and two paths may collide',
  ),
  // losses
  fault('clip-high', ['high: 1 + clip.high', 'high: 1 + clip.low'], 'PPO clips above by the lower bound'),
  fault(
    'surrogate-clamped',
    ['minimum(arithmetic, bounded, multiply(ratio, advantage))', 'bounded'],
    "PPO's loss has the clamped part alone",
  ),
  fault(
    'value-half',
    ['scale(multiply(error, error), 0.5)', 'multiply(error, error)'],
    'the value loss is twice as large',
  ),
  fault(
    'value-moved',
    ['arithmetic.add(sampledValue, moved)', 'arithmetic.add(value, moved)'],
    'value clipping starts at the new value',
  ),
  fault(
    'entropy-sign',
    [
      'arithmetic.subtract(loss, arithmetic.scale(entropy(), entropyCoefficient))',
      'arithmetic.add(loss, arithmetic.scale(entropy(), entropyCoefficient))',
    ],
    'entropy is punished',
  ),
  fault(
    'grpo-divergence',
    [
      'subtract(terms.referenceLogProbability(), logProbability)',
      'subtract(logProbability, terms.referenceLogProbability())',
    ],
    'the divergence from the reference has the wrong direction',
  ),
  fault(
    'mix-ratio-sign',
    ['arithmetic.scale(policyChosen, -mixRatio)', 'arithmetic.scale(policyChosen, mixRatio)'],
    'the mix term of DPO pushes the chosen answer away',
  ),
  fault(
    'label-smoothing',
    ['scale(logSigmoid(scale(h, beta)), labelSmoothing - 1)', 'scale(logSigmoid(scale(h, beta)), -1)'],
    'label smoothing does not shrink the main term',
  ),
  fault(
    'ipo-distance',
    ['arithmetic.shift(h, -1 / (2 * beta))', 'arithmetic.shift(h, -1 / beta)'],
    "IPO's target distance is doubled",
  ),
  fault(
    'bnpo-batches',
    [
      'return microBatches * total(lengths.slice(micro, micro + microBatchSize));',
      'return total(lengths.slice(micro, micro + microBatchSize));',
    ],
    'micro-batches of GRPO are summed and not averaged',
  ),
  // optim
  fault(
    'adamw-bias',
    ['learningRate / (1 - beta1 ** step)', 'learningRate / (1 - beta1)'],
    'AdamW always corrects the first moment as in step one',
  ),
  fault(
    'adamw-decay',
    [
      'parameter.shape.length > 1 ? 1 - learningRate * options.weightDecay : 1',
      '1 - learningRate * options.weightDecay',
    ],
    'biases decay too',
  ),
  fault(
    'adamw-stored',
    ['let step = stored?.step ?? 0;', 'let step = 0;'],
    'a resumed run corrects moments as in step one',
  ),
  fault(
    'warmup-end',
    ['if (microStep >= warmup) return learningRate;', 'if (microStep > warmup) return learningRate;'],
    'one more step of warm-up',
  ),
  fault(
    'cosine-minimum',
    ['minimum + 0.5 * (learningRate - minimum)', '0.5 * (learningRate - minimum)'],
    'the schedule ends at 0',
  ),
  fault(
    'clip-norm',
    ['const factor = limit / norm;', 'const factor = limit / squares;'],
    'clipped gradients are too short',
  ),
  fault('loss-scale-backoff', ['Math.max(1, scale * backoff)', 'scale'], 'the loss scale never falls'),
  // rollout
  fault(
    'gae-terminated',
    ['if (terminated[place]) return error;', ''],
    'the value of an ended episode includes the next one',
  ),
  fault(
    'gae-trace',
    ['error + discount * (value + trace * advantage)', 'error + discount * value + trace * advantage'],
    'advantages of later steps are not discounted',
  ),
  fault(
    'group-deviation',
    ['(value - mean) ** 2, 0) / (values.length - 1));', '(value - mean) ** 2, 0) / values.length);'],
    'the deviation of a group divides by n, not n − 1',
  ),
  fault(
    'collect-running',
    ['running[environment] = last ? { return: 0, steps: 0 } : now;', 'running[environment] = now;'],
    'the return of an episode includes earlier episodes',
  ),
  fault(
    'penalty',
    ['reward + (readings[place]!.penalty ?? 0)', 'reward'],
    'an unreadable answer costs nothing',
  ),
  fault(
    'lost-steps',
    ['steps: steps.length,\n    seen_in', 'steps: won ? steps.length : 0,\n    seen_in'],
    'a lost game counts no steps',
  ),
  fault(
    'seen-games',
    [
      'games.filter((game) => game.seen_in_training === isSeen)',
      'games.filter((game) => game.seen_in_training || !isSeen)',
    ],
    'training games count as held out',
  ),
  // algorithms
  fault(
    'ppo-novel',
    ['bonuses?.map((bonus, place) => bonus + novel[place]!) ?? novel', 'bonuses ?? novel'],
    'another bonus replaces the novelty bonus',
  ),
  fault(
    'kept-episodes',
    ['.slice(-keptAtMost)', '.slice(0, keptAtMost)'],
    'the predictor keeps the oldest episodes',
  ),
  fault(
    'grpo-turn',
    ['tasks.stream(Math.floor(turn / count))', 'tasks'],
    'every pass has the same order of tasks',
  ),
  fault(
    'grpo-group',
    [
      'attempts.slice(group * groupSize, (group + 1) * groupSize),',
      'attempts.filter((_, place) => place % (attempts.length / groupSize) === group),',
    ],
    'an attempt is compared with attempts at other tasks',
  ),
  fault(
    'dagger-rejected',
    ["streamOf(run, 'rejected', trajectory.task.id)", "streamOf(run, 'rollout', trajectory.task.id)"],
    "rejected answers share the rollout's random stream",
  ),
  fault(
    'lesson-order',
    ['[...state.memories[place]![1], lesson]', '[lesson, ...state.memories[place]![1]]'],
    'lessons are in reverse order',
  ),
  fault(
    'offline-epoch',
    [
      'Object.assign(state, { epoch: state.epoch + 1, taken: 0, lossSum: 0 });',
      'Object.assign(state, { epoch: state.epoch + 1, taken: 0 });',
    ],
    'the mean loss of an epoch includes earlier epochs',
  ),
];
