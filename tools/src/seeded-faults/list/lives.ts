/** Faults: a run from its settings to its end. */
import { fault, type Fault } from '../fault.ts';

export const lives: readonly Fault[] = [
  // the life of a run
  fault(
    'shard-weight',
    [
      "...('valueWeight' in row && { valueWeight: row.valueWeight }),",
      "...('valueWeight' in row && { valueWeight: row.weight }),",
    ],
    'workers weigh the value loss as the loss of the policy',
  ),
  fault(
    'shard-constants',
    ["is: Object.is(value, -0) ? '-0' : String(value)", 'is: String(value)'],
    'a −0 becomes 0 between processes',
  ),
  fault(
    'worker-values',
    ['groups: [...answering, ...value]', 'groups: [...answering]'],
    "a worker's value head stays at its start",
  ),
  fault(
    'worker-first',
    ['trainingSeed(random, first + place, episode)', 'trainingSeed(random, place, episode)'],
    "every group of a worker plays the first group's episodes",
  ),
  fault(
    'ppo-resume-best',
    [
      'const best = bestSoFar(config.best, cohorts, point && storedBestOf(point.checkpoint));',
      'const best = bestSoFar(config.best, cohorts, null);',
    ],
    'a resumed run forgets its best return',
  ),
  fault(
    'grpo-only-last',
    ['...(config.onlyLast && { onlyLast: true }),', ''],
    'superfluous checkpoints stay',
  ),
  fault(
    'grpo-replies',
    [
      'const from = (point && repliesOf(point.checkpoint)) ?? { replies, tokens: 0 };',
      'const from = { replies, tokens: 0 };',
    ],
    'a resumed run pays for replies again',
  ),
  fault(
    'ppo-drift',
    ['now: versions }, allowDrift);', 'now: versions }, true);'],
    'a run resumes with other code without an error',
  ),
  fault(
    'extra-checkpoint',
    ['{ loss: best.loss, isExtra: !isDue }', '{ loss: best.loss, isExtra: false }'],
    'the checkpoint of a stop counts for --keep',
  ),
  fault(
    'reference-held-out',
    ['trained.dropout ?? settings.dropout', 'settings.dropout'],
    '--lora-dropout is ignored for a continued adapter',
  ),
  fault(
    'solved-before',
    ['...(training.solved ?? []), ...solvedBefore', '...(training.solved ?? [])'],
    'games won in an earlier phase are forgotten',
  ),
  fault(
    'evaluation-agreed',
    [
      "const before = await times.part('evaluation before', () => evaluateBefore(training, work, config));",
      'const before = null;',
    ],
    'no run has an evaluation before training',
  ),
  fault(
    'data-limit',
    ['work.elsewhere?.gradients.at(updates);', ''],
    'a resumed run stores gradients under its first names',
  ),
  // the command line
  fault(
    'config-order',
    ['(below, { settings }) => merged(below, settings)', '(below, { settings }) => merged(settings, below)'],
    'the configuration file wins over flags',
  ),
  fault(
    'layer-flag',
    ['(flag) => values[flag] !== undefined', '(flag) => values[flag] === undefined'],
    'a default counts as a given flag',
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
    ['env == null ? all[0] :', 'env == null ? all.at(-1) :'],
    'latest names the oldest run',
  ),
  fault('resume-flag', ["if (method !== 'train') refuse();", ''], 'settings beside --resume are passed over'),
  fault(
    'eval-temperature',
    ["return temperature === 0 ? { kind: 'search'", "return temperature >= 0 ? { kind: 'search'"],
    '--temperature is ignored',
  ),
  fault(
    'go-on-command',
    ['else if (run.canGoOn) say(stderr, `to resume: ${command}`);', ''],
    'a stopped run prints no command to resume',
  ),
  fault(
    'quiet',
    [
      'if (!json || !quiet) say(said, reportText(run, next));',
      'if (!json && !quiet) say(said, reportText(run, next));',
    ],
    '--quiet without --json leaves the report out',
  ),
];
