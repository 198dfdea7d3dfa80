/** A run and its results, in sentences. */
import { certaintyWords, percent, ratesOf, type RunView } from '@emac/pages/data';
import type { EvaluationResult, EvaluationSummary } from '@emac/rollout';
import { underNamesToday } from '@emac/runs';
import { parsedConfig } from './parsed-config.ts';

type Told = Pick<RunView, 'config' | 'method' | 'evaluations' | 'answers' | 'episodes' | 'state'>;

/** Sentences on a run or an evaluation, from its settings and results; missing settings are not mentioned. */
export function wordsOf({ config, method, evaluations, answers, episodes, state }: Told): string[] {
  const settings = config === null ? {} : underNamesToday(parsedConfig(config) as Settings);
  const [before, after] = ['before', 'after'].map(
    (name) => evaluations.find((each) => each.name === name)?.result,
  );
  const result = evaluations.find(({ name }) => name === 'result')?.result;
  return [
    ...(method === null ? [] : methodWords({ ...settings, method })),
    ...(state === null || state === 'done' ? [] : [`The run is not finished: it is ${state}.`]),
    ...(episodes.length > 0 && state !== null ? [playedWords(episodes, nounIn(settings))] : []),
    ...(before && after ? improvementWords(before, after) : []),
    ...(result ? resultWords(result) : []),
    ...(answers ? [`Answers to ${answers.samples} prompts of the dataset ${answers.data}.`] : []),
  ];
}

/** Compares held-out games unless there are none, and games trained on if there are some. */
function improvementWords(before: EvaluationResult, after: EvaluationResult): string[] {
  const went = (on: string, from: EvaluationSummary, to: EvaluationSummary) =>
    `Success on ${on} went from ${share(from)} to ${share(to)}.`;
  const seen = after.seen.success === null ? [] : [went('games seen in training', before.seen, after.seen)];
  return after.success === null && seen.length > 0 ? seen : [went('held-out games', before, after), ...seen];
}

function resultWords(result: EvaluationResult): string[] {
  const { seen } = result;
  const unseen = `Success: ${share(result)}, ${attemptsAt(result)} at each game.`;
  if (seen.success === null) return [unseen];
  const trained = `Success on games seen in training: ${share(seen)}, ${attemptsAt(seen)} at each game.`;
  return result.success === null ? [trained] : [unseen, trained];
}

function attemptsAt({ pass_at: passes }: EvaluationSummary): string {
  return passes ? `${passes.at(-1)!.k} attempts` : 'one attempt';
}

type Settings = Readonly<Record<string, unknown>>;

const methods: Readonly<Record<string, string>> = {
  bc: 'Imitation (behaviour cloning)',
  dpo: 'Preference learning (DPO)',
};

const group = (settings: Settings, name: string): Settings => {
  const value = settings[name];
  return typeof value === 'object' && value !== null ? (value as Settings) : {};
};

function methodWords(settings: Settings): string[] {
  const { phase, seed, env } = settings;
  const [play, expert] = [group(settings, 'play'), group(settings, 'expert')];
  if (phase === 'ppo') return reinforcementWords(settings);
  if (phase === 'grpo') return settings['env'] === 'lewis' ? lewisWords(settings) : attemptWords(settings);
  const data = group(settings, 'dataset')['data'];
  if (typeof phase !== 'string' || (data === undefined && settings['games'] === undefined)) return [];
  const games = isElsewhere(settings) ? `in ${String(env)}` : `on games of ${String(settings['games'])}`;
  const on = data === undefined ? games : `on the dataset ${String(data)}`;
  const rounds =
    data === undefined
      ? `, ${String(play['rounds'])} ${play['rounds'] === 1 ? 'round' : 'rounds'} over ${String(play['gamesPerRound'])} ${nounIn(settings)}`
      : '';
  const labels = data === undefined ? ` ${expertWords(settings, expert)}` : '';
  const method = methods[String(phase)] ?? String(phase);
  return [`${method} with ${String(settings['policy'])} ${on}${rounds}, seed ${String(seed)}.${labels}`];
}

/** True for an environment other than ALFWorld, whose tasks are no games with files. */
function isElsewhere({ env }: Settings): boolean {
  return typeof env === 'string' && env !== 'alfworld';
}

function nounIn(settings: Settings): string {
  return isElsewhere(settings) ? 'tasks' : 'games';
}

function expertWords(settings: Settings, { kind, module }: Settings): string {
  if (typeof module === 'string') return `The expert is that of ${module}.`;
  return kind === 'handcoded' && isElsewhere(settings)
    ? `The expert is that of ${String(settings['env'])}.`
    : `The expert is ${String(kind)}.`;
}

function reinforcementWords(settings: Settings): string[] {
  const { environmentSteps, environments } = group(settings, 'play');
  const { env, policy, seed } = settings;
  return [
    `Reinforcement learning (PPO) of the policy ${String(policy)} in ${String(env)}: ${String(environmentSteps)} steps in ${String(environments)} environments side by side, seed ${String(seed)}.`,
  ];
}

function attemptWords(settings: Settings): string[] {
  const { env, seed } = settings;
  const { promptsPerUpdate, groupSize } = group(settings, 'play');
  const { attempt } = group(settings, 'rewards');
  return [
    `Group relative policy optimization (${String(settings['method']).toUpperCase()}) of ${String(settings['policy'])} in ${String(env)}: ${String(groupSize)} attempts at each of ${String(promptsPerUpdate)} tasks an update, rewarded by their ${String(attempt)}, seed ${String(seed)}.`,
  ];
}

function lewisWords(settings: Settings): string[] {
  const { role, seed } = settings;
  const other = role === 'speaker' ? 'listener' : 'speaker';
  const { promptsPerUpdate, groupSize } = group(settings, 'play');
  const { pictures, candidates } = group(settings, 'game');
  return [
    `Group relative policy optimization (GRPO) of a ${String(role)} of the Lewis game, ${String(settings['policy'])}, with the ${other} ${String(settings[other])}: ${String(groupSize)} answers to each of ${String(promptsPerUpdate)} prompts an update, pictures ${String(pictures)}, ${String(candidates)} candidates, seed ${String(seed)}.`,
  ];
}

function playedWords(episodes: RunView['episodes'], noun: string): string {
  const tasks = new Set(episodes.map(({ taskId }) => taskId));
  const won = new Set(episodes.filter((each) => each.won).map(({ taskId }) => taskId));
  if (tasks.size === episodes.length)
    return `In training it played ${tasks.size} ${noun} once each and won ${won.size}.`;
  return `In training it played ${episodes.length} episodes of ${tasks.size} ${noun} and won ${won.size} of these at least once.`;
}

/** `75 % (15 of 20, 95 % interval 53 % to 89 %), 19.3 steps on average` */
export function share(summary: EvaluationSummary): string {
  const { heldOut: rate } = ratesOf(summary);
  if (rate === null) return 'not measured';
  return `${percent(rate.share)} (${certaintyWords(rate)}), ${summary.mean_steps!.toFixed(1)} steps on average`;
}
