/** Faults: a run from its settings to its end. */
import { fault, type Fault } from '../fault.ts';

export const lives: readonly Fault[] = [
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
      'const best = bestSoFar(config.best, cohorts, point && storedBestOf(point.checkpoint));',
      'const best = bestSoFar(config.best, cohorts, null);',
    ],
    'a run that goes on has forgotten its best return',
  ),
  fault(
    'grpo-only-last',
    ['...(config.onlyLast && { onlyLast: true }),', ''],
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
    ['now: versions }, allowDrift);', 'now: versions }, true);'],
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
      "const before = await times.part('evaluation before', () => evaluateBefore(training, work));",
      'const before = null;',
    ],
    'no run is evaluated before it trains',
  ),
  fault(
    'data-limit',
    ['if (point) elsewhere.gradients.jobs.at(updatesAt(point));', ''],
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
  fault('resume-flag', ["if (method !== 'train') refuse();", ''], 'settings beside --resume are passed over'),
  fault('eval-temperature', ['[asked.temperature ?? 0, asked[', '[0, asked['], '--temperature is ignored'),
  fault(
    'go-on-command',
    ['else if (run.canGoOn) say(stderr, `to resume: ${command}`);', ''],
    'nobody is told how a stopped run goes on',
  ),
  fault(
    'quiet',
    [
      'if (!json || !quiet) say(said, reportOf(run, next));',
      'if (!json && !quiet) say(said, reportOf(run, next));',
    ],
    '--quiet without --json leaves the report out',
  ),
];
