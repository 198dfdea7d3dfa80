/**
 * Faults that a test has to find: each is one that somebody could make, in one place. The place is the only one in the sources of
 * all packages where the text stands, so that a file may be moved; where the text itself is written anew, its fault is too.
 */

/** One change of the code, and what is wrong after it. */
export interface Fault {
  /** unique among all */
  readonly name: string;
  /** stands once in all sources that are no tests */
  readonly text: string;
  readonly replacement: string;
  /** what does not hold any more */
  readonly breaks: string;
  /** no test found it when the list was made: it shows what is not tested, and its survival is no failure */
  readonly survives?: string;
}

const fault = (name: string, [text, replacement]: readonly [string, string], breaks: string): Fault => ({
  name,
  text,
  replacement,
  breaks,
});

export const faults: readonly Fault[] = [
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
    'streams of other numbers, and two paths may meet',
  ),
  // losses
  fault(
    'clip-high',
    ['high: 1 + clip.high', 'high: 1 + clip.low'],
    'the upper bound of PPO is the lower one',
  ),
  fault(
    'surrogate-clamped',
    ['minimum(arithmetic, bounded, multiply(ratio, advantage))', 'bounded'],
    'PPO keeps the clamped part alone',
  ),
  fault(
    'value-half',
    ['scale(multiply(error, error), 0.5)', 'multiply(error, error)'],
    'the value loss is twice as large',
  ),
  fault(
    'value-moved',
    ['arithmetic.add(sampledValue, moved)', 'arithmetic.add(value, moved)'],
    'the clipped value moves from the new value',
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
    'the divergence from the reference is of the other direction',
  ),
  fault(
    'mix-ratio-sign',
    ['arithmetic.scale(policyChosen, -mixRatio)', 'arithmetic.scale(policyChosen, mixRatio)'],
    'the mix term of DPO pushes the chosen answer away',
  ),
  fault(
    'label-smoothing',
    ['scale(logSigmoid(scale(h, beta)), labelSmoothing - 1)', 'scale(logSigmoid(scale(h, beta)), -1)'],
    'label smoothing leaves the main term whole',
  ),
  fault(
    'ipo-distance',
    ['arithmetic.shift(h, -1 / (2 * beta))', 'arithmetic.shift(h, -1 / beta)'],
    'IPO aims at twice the distance',
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
    'AdamW corrects the first moment as in its first step',
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
    'a run that goes on corrects moments as at its beginning',
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
  // buffers
  fault(
    'ring-place',
    [
      'const number = this.#appended - this.length + index;',
      'const number = this.#appended - this.length + index + 1;',
    ],
    'the buffer is read one place off',
  ),
  fault(
    'buffer-distinct',
    ['if (words !== null) this.#words?.delete(words);', ''],
    'a transition that has left is never taken again',
  ),
  fault(
    'feature-holders',
    ['if (entry) entry.holders++;', 'if (entry) return;'],
    'features go while somebody holds them',
  ),
  fault(
    'shuffle-taken',
    ['moved.set(other, moved.get(place) ?? place);', 'moved.set(other, place);'],
    'a draw without replacement takes one twice',
  ),
  // files
  fault(
    'folder-sync',
    [
      "failpoint('folder-manifest-written');\n      syncFolder(temporary);\n      renameSync(temporary, path);",
      "renameSync(temporary, path);\n      failpoint('folder-manifest-written');\n      syncFolder(path);",
    ],
    'a folder has its name before its files are on disk',
  ),
  fault(
    'manifest-size',
    ['if (data.byteLength !== record.size)', 'if (data.byteLength > record.size)'],
    'a file that was cut is told as changed',
  ),
  fault(
    'append-cut',
    ['if (size > keep.length) ftruncateSync(descriptor, keep.length);', ''],
    'lines after the checkpoint stay',
  ),
  fault(
    'append-hash',
    ['length += bytes.byteLength;\n      hash.update(bytes);', 'length += bytes.byteLength;'],
    'the hash of a journal is that of its beginning',
  ),
  fault(
    'record-prefix',
    ['offset += prefixBytes + size;', 'offset += size;'],
    'records are read from the wrong byte',
  ),
  fault(
    'half-rounding',
    [
      'return rest > half || (rest === half && kept & 1) ? kept + 1 : kept;',
      'return rest >= half ? kept + 1 : kept;',
    ],
    'small halves round ties up',
  ),
  fault(
    'write-all',
    [
      'while (done < bytes.byteLength) done += writeSync(descriptor, bytes, done);',
      'writeSync(descriptor, bytes, done);',
    ],
    'a short write loses the rest',
  ),
  // runs
  fault(
    'best-gone',
    ['isThereStill ? best.step : step', 'best.step'],
    'the best checkpoint is named though it is gone',
  ),
  fault(
    'checkpoint-files-sync',
    ['for (const file of files.values()) file.sync();', ''],
    'a checkpoint stands before the lines it counts on',
  ),
  fault(
    'resume-newest',
    ['checkpointSteps(checkpoints).reverse()', 'checkpointSteps(checkpoints)'],
    'a run goes on from its oldest checkpoint',
  ),
  fault(
    'lock-alive',
    ['isAlive(identity) ?? now - renewed < staleMs', 'isAlive(identity) ?? now - renewed > staleMs'],
    'a claim of another machine holds when it is old',
  ),
  fault(
    'checkpoint-finite',
    ['if (!Number.isFinite(data[index]))', 'if (Number.isNaN(data[index]))'],
    'an infinite weight is stored',
  ),
  fault(
    'done-before-record',
    [
      "end('done');\n      failpoint('run-recorded');\n      writeFileAtomic(at(layout.done), '');",
      "writeFileAtomic(at(layout.done), '');\n      failpoint('run-recorded');\n      end('done');",
    ],
    'a run is done before its record says so',
  ),
  fault(
    'prune-best',
    ['isLatest || isBest || place >= listed.length - keep', 'isLatest || place >= listed.length - keep'],
    'pruning removes the best checkpoint',
  ),
  // graph
  fault(
    'divide-gradient',
    ['negate(divide(multiply(g, x), square(y)))', 'divide(multiply(g, x), square(y))'],
    'the gradient of a quotient by its divisor has the other sign',
  ),
  fault(
    'softmax-gradient',
    ['multiply(p, subtract(g, reduceSum(multiply(g, p), [-1], true)))', 'multiply(p, g)'],
    'the gradient of softmax forgets that it sums to 1',
  ),
  fault(
    'attention-scale',
    [
      'key: matMul(inner, query, { transposeA: true, scale }),',
      'key: matMul(inner, query, { transposeA: true }),',
    ],
    'the gradient of keys is not scaled',
  ),
  fault(
    'rotary-back',
    ['graph.memo(`negated ${sin.name}`, () => negate(sin))', 'sin'],
    'the gradient of a rotation turns onward',
  ),
  fault(
    'gelu-density',
    ['add(cumulative, multiply(x, density))', 'cumulative'],
    'the slope of GELU lacks a term',
  ),
  fault(
    'window-count',
    [
      'place.pads[0] + place.pads[1] - place.dilation * (kernel - 1) - 1',
      'place.pads[0] + place.pads[1] - place.dilation * (kernel - 1)',
    ],
    'a convolution has one window too many',
  ),
  // backbone
  fault(
    'residual',
    [
      'x = op.add(x, feedForward(scope, norm(`layers.${layer}.post_attention_layernorm`, x)));',
      'x = feedForward(scope, norm(`layers.${layer}.post_attention_layernorm`, x));',
    ],
    'the language model has no path around its MLP',
  ),
  fault(
    'grouped-keys',
    ['heads / keyValueHeads, length!, headSize', 'keyValueHeads, length!, headSize'],
    'grouped keys are repeated as often as there are of them',
  ),
  fault(
    'minimum-tokens',
    [
      'generated.length < rules.minNewTokens) for (const token',
      'generated.length <= rules.minNewTokens) for (const token',
    ],
    'an answer may end one token later than it could',
  ),
  fault(
    'sampling-temperature',
    ['tokenDistribution(logits, options.temperature)', 'tokenDistribution(logits, 1)'],
    'log-probabilities of drawn tokens ignore the temperature',
  ),
  fault(
    'sampling-parent',
    ['parent: length === 0 ? 0 : beam', 'parent: 0'],
    'drawn answers go on from the first',
  ),
  // model
  fault(
    'label-position',
    ['place === 0 ? promptEnd : start + cursor - 1', 'place === 0 ? promptEnd : start + cursor'],
    'tokens of an answer are predicted from themselves',
  ),
  fault(
    'segment',
    ['segments[start + cursor] = BigInt(number + 1);', 'segments[start + cursor] = 1n;'],
    'answers after one prompt see each other',
  ),
  fault(
    'pool-mean',
    ["if (pooling === 'sum') return () => 1;", "if (pooling === 'sum') return shares;"],
    'summed log-probabilities are averaged',
  ),
  fault(
    'value-relu',
    ['layer < weights.length - 1 ? op.relu(made) : made', 'op.relu(made)'],
    'values are never below 0',
  ),
  fault(
    'adapter-commit',
    ['if (trains.adapter) adapter!.commit();', ''],
    'a trained adapter acts as it was before',
  ),
  fault(
    'dropout-rate',
    ["train.includes('adapter') ? adapter!.settings.dropout : 0", '0'],
    'an adapter drops nothing in training',
  ),
  // rollout
  fault(
    'gae-terminated',
    ['if (terminated[place]) return error;', ''],
    'what an ended episode is worth counts the next one',
  ),
  fault(
    'gae-trace',
    ['error + discount * (value + trace * advantage)', 'error + discount * value + trace * advantage'],
    'advantages of later steps are not discounted',
  ),
  fault(
    'group-deviation',
    ['(value - mean) ** 2, 0) / (values.length - 1));', '(value - mean) ** 2, 0) / values.length);'],
    'the deviation of a group is that of a whole population',
  ),
  fault(
    'collect-running',
    ['running[environment] = last ? { return: 0, steps: 0 } : now;', 'running[environment] = now;'],
    'returns of episodes add up',
  ),
  fault(
    'penalty',
    ['reward + (readings[place]!.penalty ?? 0)', 'reward'],
    'an answer that cannot be read costs nothing',
  ),
  fault(
    'lost-steps',
    ['steps: won ? steps.length : maxSteps,', 'steps: steps.length,'],
    'a lost game counts the steps it took',
  ),
  fault(
    'seen-games',
    ['...summarize(unseen), seen: summarize(seen)', '...summarize(games), seen: summarize(seen)'],
    'games that were trained on count as held out',
  ),
  // algorithms
  fault(
    'ppo-novel',
    ['bonuses?.map((bonus, place) => bonus + novel[place]!) ?? novel', 'bonuses ?? novel'],
    'novelty is lost where there is another bonus',
  ),
  fault(
    'kept-episodes',
    ['.slice(-keptAtMost)', '.slice(0, keptAtMost)'],
    'the oldest episodes are remembered',
  ),
  fault(
    'grpo-turn',
    ["random.stream('tasks').stream(Math.floor(turn / count))", "random.stream('tasks')"],
    'every pass has the same order of tasks',
  ),
  fault(
    'grpo-group',
    ['const group = Math.floor(which / groupSize);', 'const group = which % asked.length;'],
    'answers are rewarded for another task',
  ),
  fault(
    'dagger-rejected',
    ["streamOf(run, 'rejected', trajectory.task.id)", "streamOf(run, 'rollout', trajectory.task.id)"],
    'rejected answers are drawn with the numbers of the rollout',
  ),
  fault(
    'lesson-order',
    ['[...state.memories[place]![1], lesson]', '[lesson, ...state.memories[place]![1]]'],
    'lessons are read from the newest',
  ),
  fault(
    'offline-epoch',
    [
      'Object.assign(state, { epoch: state.epoch + 1, taken: 0, lossSum: 0 });',
      'Object.assign(state, { epoch: state.epoch + 1, taken: 0 });',
    ],
    'the mean loss of an epoch holds that of those before',
  ),
  // environments
  fault(
    'world-reset',
    ['this.#forget();\n    return this.#state(writer.rule', 'return this.#state(writer.rule'],
    'a world that begins again remembers its commands',
  ),
  fault(
    'memory-put',
    ["case 'put':\n        this.held = null;", "case 'put':"],
    'the player believes that it still holds what it put down',
  ),
  fault(
    'minigrid-reward',
    ['1 - 0.9 * (world.taken / maxSteps)', '1 - 0.9 * ((world.taken - 1) / maxSteps)'],
    'a solved grid is worth a step more',
  ),
  fault(
    'minigrid-left',
    ['world.direction = (direction + 3) & 3;', 'world.direction = (direction + 1) & 3;'],
    'left turns right',
  ),
  fault(
    'blackjack-dealer',
    ['while (totalOf(hand) < 17)', 'while (totalOf(hand) <= 17)'],
    'the dealer draws at 17',
  ),
  fault(
    'number-line-end',
    ['truncated: !won && steps >= 2 * maxPosition', 'truncated: !won && steps > 2 * maxPosition'],
    'an episode has one step more',
  ),
  fault(
    'cards-limit',
    ['const truncated = outcome.truncated || now.steps >= maxSteps;', 'const truncated = outcome.truncated;'],
    'an asked step limit is ignored',
  ),
  fault(
    'tabletop-grip',
    [
      'if (Math.abs(u) > (hand.opening - side.width) / 2 + 1e-9',
      'if (Math.abs(u) > hand.opening - side.width + 1e-9',
    ],
    'a hand grips what is beside it',
  ),
  fault(
    'tabletop-drawer',
    ['const isStraight = Math.abs(hand.turn[2]) <= tolerance.yaw;', 'const isStraight = true;'],
    'a turned hand holds a knob',
  ),
  fault(
    'lewis-target',
    ["return answer.verdict === 'yes' ? -1 : -0.3;", "return answer.verdict === 'yes' ? -0.3 : -1;"],
    'a false alarm costs less than a miss',
  ),
  fault(
    'lewis-rivals',
    ['.sort((a, b) => b.near - a.near)', '.sort((a, b) => a.near - b.near)'],
    'rivals are the unlike ones',
  ),
  fault(
    'numpy-rotation',
    ['const isSwapped = rotation >= 32;', 'const isSwapped = rotation > 32;'],
    'one in 64 numbers is not numpy’s',
  ),
  // robots' data
  fault(
    'vla-bin',
    ['Math.min(Math.max(vocabulary - id - 1, 0), 254)', 'Math.min(Math.max(vocabulary - id, 0), 254)'],
    'an action token is read one bin off',
  ),
  fault(
    'vla-mask',
    [
      'if (mask?.[place] === false) return value;\n    const [low, high] = [q01[place]!, q99[place]!];\n    return 0.5',
      'const [low, high] = [q01[place]!, q99[place]!];\n    return 0.5',
    ],
    'the gripper is scaled like the arm',
  ),
  fault(
    'rlds-checksum',
    ["check(place, { name: 'data', data, stated: uint32(body, length) });", ''],
    'a damaged record is read',
  ),
  fault(
    'mixture-buffer',
    ['held.length < buffer - 1', 'held.length < buffer'],
    'the shuffle buffer holds one step more',
  ),
  // queue and bridge
  fault(
    'gather-conflicts',
    ['await this.#checkConflicts();\n', ''],
    'two workers that disagree are not noticed',
  ),
  fault(
    'queue-losses',
    ['if (entry.losses < this.#limits.losses)', 'if (entry.losses <= this.#limits.losses)'],
    'a job that kills its workers is tried once more',
  ),
  fault(
    'worker-fault',
    [
      'if (!(thrown instanceof EmacError) || thrown instanceof LostEpisode) return false;',
      'if (!(thrown instanceof EmacError)) return false;',
    ],
    'a lost episode ends its worker',
  ),
  fault(
    'token-scheme',
    ["authorization ?? '')?.[1] ?? ''", "authorization ?? '')?.[0] ?? ''"],
    'a right token is refused',
  ),
  fault(
    'admission-foreign',
    ['if (isForeign(headers)) return originRefused;', ''],
    'a page of another site may use the server',
  ),
  fault(
    'desk-step',
    ['report.episode === order.episode && report.step === step', 'report.episode === order.episode'],
    'a report of another step is taken',
  ),
  // language models
  fault(
    'budget-reserved',
    ['reserved = sumOf(reserved, most);', ''],
    'requests under way do not count for the budget',
  ),
  fault(
    'retry-count',
    ['number >= options.maxAttempts', 'number > options.maxAttempts'],
    'one attempt more than was allowed',
  ),
  fault(
    'limits-window',
    ['sent[0].at + windowMs <= clock.now()', 'sent[0].at + windowMs < clock.now()'],
    'a request waits for a moment longer than its minute',
  ),
  fault(
    'journal-replay',
    ['for (let line = from.replies; line < entries.length; line++) unused.add(line);', ''],
    'replies after the checkpoint are paid for again',
  ),
  fault(
    'prompt-dropped',
    [
      'turns: history.turns.slice(dropped.turns)',
      'turns: history.turns.slice(0, history.turns.length - dropped.turns)',
    ],
    'the newest turns are dropped',
  ),
  fault(
    'reply-thought',
    ['if (command !== null) return command;\n  return thoughts[0]', 'return thoughts[0]'],
    'a reply with a command is taken for its thought',
  ),
  fault(
    'trial-status',
    ["status[2] === 'OK' ? 'won' : 'failed'", "status[2] === 'OK' ? 'failed' : 'won'"],
    'won trials are read as failures',
  ),
  fault(
    'curriculum-floor',
    [
      'isBelow.forEach((each, task) => (isRaised[task] ||= each));',
      'isBelow.forEach((each, task) => (isRaised[task] = each));',
    ],
    'a task may fall below its floor',
  ),
  fault(
    'best-interval',
    ['updates - state.bestUpdate >= interval', 'updates - state.bestUpdate > interval'],
    'the best is kept an update later',
  ),
  // small networks, report
  fault(
    'network-coldness',
    ['coldness(rows[row]!.temperature ?? 1)', 'coldness(1)'],
    'a small network learns at another temperature than it acted',
  ),
  fault(
    'network-orthogonal',
    ['vector[place]! -= share * other[place]!;', 'vector[place]! -= share;'],
    'rows of a network do not begin at right angles',
  ),
  fault(
    'band-order',
    ['[...byPlace.keys()].sort((a, b) => a - b)', '[...byPlace.keys()].sort()'],
    'the curve of several runs goes back and forth',
  ),
  // the life of a run
  fault(
    'shard-weight',
    [
      'const [weight, valueWeight] = unpackNumbers(weights);',
      'const [valueWeight, weight] = unpackNumbers(weights);',
    ],
    'workers learn with the weights swapped',
  ),
  fault(
    'shard-constants',
    [
      "'one' in held ? unpackNumbers(held.one)[0]! : [...unpackNumbers(held.each)]",
      "'one' in held ? unpackNumbers(held.one)[0]! : unpackNumbers(held.each)[0]!",
    ],
    'workers learn with the first number of a row',
  ),
  fault(
    'worker-values',
    ['groups: [...answering, ...value]', 'groups: [...answering]'],
    'the values of a worker stay those of the start',
  ),
  fault(
    'worker-first',
    ['trainingSeed(random, first + place, episode)', 'trainingSeed(random, place, episode)'],
    'workers play the episodes of the first places',
  ),
  fault(
    'ppo-resume-best',
    [
      'const best = bestSoFar(config.best, point && storedBestOf(point.checkpoint));',
      'const best = bestSoFar(config.best, null);',
    ],
    'a run that goes on has forgotten its best return',
  ),
  fault(
    'grpo-only-last',
    ['onlyLast: config.onlyLast', 'onlyLast: false'],
    'checkpoints stay that were to go',
  ),
  fault(
    'grpo-replies',
    [
      'const from = (point && repliesOf(point.checkpoint)) ?? { replies, tokens: 0 };',
      'const from = { replies, tokens: 0 };',
    ],
    'a run that goes on pays for replies again',
  ),
  fault(
    'ppo-drift',
    [
      'host.allowDrift ?? false);\n    requireSpace(folder, spaceNeeded(opened, there));',
      'true);\n    requireSpace(folder, spaceNeeded(opened, there));',
    ],
    'a run goes on with other code without a word',
  ),
  fault(
    'extra-checkpoint',
    ['{ loss: best.loss, isExtra: !isDue }', '{ loss: best.loss, isExtra: false }'],
    'a stop leaves a checkpoint that counts',
  ),
  fault(
    'reference-held-out',
    ['trained.dropout ?? settings.dropout', 'settings.dropout'],
    'an asked dropout is ignored where an adapter goes on',
  ),
  fault(
    'solved-before',
    ['...(training.solved ?? []), ...solvedBefore', '...(training.solved ?? [])'],
    'games that an earlier phase won are forgotten',
  ),
  fault(
    'evaluation-agreed',
    [
      "const before = await times.part('evaluation before', () => evaluatedBefore(work));\n    const state",
      'const before = null;\n    const state',
    ],
    'PPO is not evaluated before it trains',
  ),
  fault(
    'data-limit',
    [
      'if (point) elsewhere.gradients.jobs.at(trainingAt<DaggerState | OfflineState>(point).state.updates);',
      '',
    ],
    'gradients of a run that goes on are stored under the names of its beginning',
  ),
  // the command line
  fault(
    'config-order',
    ['const said = merged(standard, settingsOf(below)) as object;', 'const said = standard;'],
    'what a configuration says is unknown to words',
  ),
  fault(
    'layer-flag',
    ['values[name] !== undefined ? option.paths : []', 'values[name] === undefined ? option.paths : []'],
    'flags are taken for what was not said',
  ),
  fault(
    'number-to',
    ['value <= (to ?? Number.MAX_VALUE)', 'value < (to ?? Number.MAX_VALUE)'],
    'the largest value of a flag is refused',
  ),
  fault(
    'whole-least',
    [
      'return value >= least && value <= most ? value : undefined;',
      'return value > least && value <= most ? value : undefined;',
    ],
    'the smallest value of a flag is refused',
  ),
  fault(
    'run-latest',
    ["run === 'latest' ? runs.slice(-1)", "run === 'latest' ? runs.slice(0, 1)"],
    'latest names the first run',
  ),
  fault(
    'resume-flag',
    ["if (!given) refuseOthers(['config', ...Object.keys(ppoSettings)], values, words);", ''],
    'settings beside --resume are passed over',
  ),
  fault(
    'eval-temperature',
    ['[asked.temperature ?? 0, asked.observe', '[0, asked.observe'],
    '--temperature is ignored',
  ),
  fault(
    'go-on-command',
    ['say(io.stderr, `to go on: npx emac ppo --resume ${shellWord(thrown.run.folder)}`);', ''],
    'nobody is told how a stopped run goes on',
  ),
  fault(
    'quiet',
    ['if (!json || !quiet) say(said, ppoReport(run));', 'if (!json && !quiet) say(said, ppoReport(run));'],
    '--quiet without --json leaves the report out',
  ),
];
