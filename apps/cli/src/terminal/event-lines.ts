/** Events of a run as lines for people. */
import type { GrpoLine, MetricsLine, PpoLine, ProgressEvent } from '@emac/algorithms';
import type { ExpertEvent } from '@emac/expert';
import { counted } from './amounts.ts';

type EpisodeEnd = Extract<ProgressEvent, { kind: 'episode-end' }>;
type Place = { readonly round: number; readonly taskId: string };

/** `round 1, GAME`. */
export function placeText({ round, taskId }: Place): string {
  return `round ${round + 1}, ${taskId}`;
}

/** An episode's result and samples. */
export function episodeText(event: EpisodeEnd): string {
  return `${placeText(event)}: ${outcomeText(event)}, ${counted(event.stored, 'sample')}`;
}

function outcomeText({ won, expertWon, repeated, steps, fault }: EpisodeEnd): string {
  if (fault !== undefined) return `lost by its world: ${fault}`;
  const count = counted(steps, 'step');
  if (won) return `won in ${count}`;
  if (expertWon) return `won with the expert's help in ${count}`;
  return repeated ? `in circles after ${count}` : `not won in ${count}`;
}

/** The parts dropped from a long prompt. */
export function shortenedText({ dropped, fits }: Extract<ExpertEvent, { kind: 'prompt-shortened' }>): string {
  if (!fits) return 'the prompt is longer than --expert-context, even with rules and task alone';
  const left = [
    counted(dropped.turns, 'turn'),
    counted(dropped.examples, 'example'),
    counted(dropped.memories, 'lesson'),
  ].filter((each) => !each.startsWith('0 '));
  return `the prompt is longer than --expert-context, so it lacks ${left.join(', ')} or more`;
}

/** Commands of the expert that were not taken as it wrote them. */
export function repairedText(count: number): string {
  return `${counted(count, "expert's command")} repaired (command-repaired in events.jsonl)`;
}

/** A round's result, with the loss of its last update. */
export function roundText(line: MetricsLine, loss: number | null): string {
  const { round, won, played, unusable } = line;
  const helped = Number(line['expert_won'] ?? 0);
  const withExpert = helped > 0 ? `, ${helped} more with the expert` : '';
  const games = played === 0 ? 'all solved before, none played' : `${won} of ${played} won${withExpert}`;
  const lacking = Number(unusable) > 0 ? `, ${counted(Number(unusable), 'step')} without a label` : '';
  const lost =
    line['lost'] === undefined ? '' : `, ${counted(Number(line['lost']), 'game')} lost by the world`;
  const lastLoss = loss === null ? '' : `, loss ${loss.toPrecision(3)}`;
  return `round ${Number(round) + 1}: ${games}, ${learnedText(line)}${lacking}${lost}${lastLoss}`;
}

/** What the policy said at a step, and what the expert would have done. */
export interface Example {
  readonly own: string | null;
  readonly label: string | null;
}

/** The first step with both, or the first where they differ. */
export function moreTelling(example: Example | null, step: Example): Example | null {
  if (step.own === null || step.label === null) return example;
  return example === null || (example.own === example.label && step.own !== step.label) ? step : example;
}

/** Both in one line. */
export function exampleText({ own, label }: Example): string {
  return own === label
    ? `  policy and expert: ${brief(own!)}`
    : `  policy: ${brief(own!)}; expert: ${brief(label!)}`;
}

/** A text in one line of at most 80 characters. */
export function brief(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

/** An update of reinforcement learning: return and success of its finished episodes. */
export function updateText({ update, ...line }: PpoLine | GrpoLine): string {
  const number = (name: string, digits: number) =>
    typeof line[name] === 'number' ? line[name].toFixed(digits) : '–';
  const words =
    line.phase === 'grpo'
      ? [
          `reward ${number('reward', 3)}`,
          ...Object.keys(line)
            .filter((name) => /^reward_(?!std$)/.test(name))
            .map((name) => `${name.slice('reward_'.length)} ${number(name, 2)}`),
          `kl ${number('kl', 3)}`,
          `${number('completion_length', 0)} tokens`,
        ]
      : [
          `${line['environment_steps']} steps`,
          `return ${number('mean_return', 3)}`,
          `success ${number('success', 2)}`,
          `entropy ${number('entropy', 3)}`,
        ];
  return `update ${update + 1}: ${words.join(', ')}`;
}

/** An epoch's result. */
export function epochText(line: MetricsLine): string {
  return `epoch ${Number(line.round) + 1}: ${learnedText(line)}, loss ${Number(line['loss']).toPrecision(3)}`;
}

function learnedText({ samples, updates }: MetricsLine): string {
  return `${counted(Number(samples), 'sample')}, ${counted(Number(updates), 'update')}`;
}
