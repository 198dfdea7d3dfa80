/**
 * Compares what methods credit each step with against the truth. The checkpoints of one run of PPO in ALFWorld play groups of
 * attempts at built-in games; on the same attempts each method computes its advantages, PPO by its critic of that moment. The
 * planner knows the true advantages. Prints a table of correlations over all steps.
 * Usage: node tools/dist/experiments/credit.js RUN [--checkpoints 00000000,00002401] [--games 16] [--attempts 8]
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  creditsOf,
  groupMethodOf,
  groupMethods,
  type Advantages,
  type PlayedAttempt,
} from '@emac/algorithms';
import { Random, type Trajectory } from '@emac/core';
import { openAgent } from '@emac/experiment';
import { gamesKind, kindEnvironment, openPpoPolicy, plainHost } from '@emac/opening';
import { generalizedAdvantages, groupAdvantages, rollout } from '@emac/rollout';
import { grpoConfig, ppoSettingsOf, readStoredConfig } from '@emac/settings';
import { builtinGame, parseGame, type Game } from '@emac/world';
import { pearson, spearman } from './correlation.ts';
import { trueAdvantages } from './true-advantages.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    checkpoints: { type: 'string' },
    games: { type: 'string', default: '16' },
    attempts: { type: 'string', default: '8' },
    seed: { type: 'string', default: '0' },
  },
});
const [run] = positionals;
if (!run) throw new Error('usage: credit RUN [--checkpoints A,B] [--games N] [--attempts G] [--seed S]');
const groupSize = Number(values.attempts);
const compared = ['group', 'steps', 'history', 'graph'] as const satisfies readonly Advantages[];
const { config } = readStoredConfig(run, 'ppo', ['phase']);
const { discount, trace } = ppoSettingsOf(config).advantages;
const maxSteps = config.play.maxSteps!;
/** As `emac train` completes them for a method that is named alone. */
const groupLosses = (advantages: Advantages) =>
  grpoConfig({ env: config.env, policy: config.policy, losses: { advantages } }).losses;
const games = Array.from({ length: Number(values.games) }, (_, index) => {
  const { id, file } = builtinGame('train', index);
  return parseGame(file, { id });
});

/** Groups of attempts by the policy of a checkpoint, as it samples in training, with the values of its prompts. */
async function played(checkpoint: string): Promise<{ trajectories: Trajectory[]; values: number[][] }> {
  const agent = await openAgent(checkpoint);
  const kind = gamesKind(games, maxSteps);
  const random = Random.fromSeed(`credit ${values.seed}`);
  const attempts = games.flatMap(({ id, taskType }, group) =>
    Array.from({ length: groupSize }, (_, member) => ({
      task: { id, type: taskType },
      number: group * groupSize + member,
      random: random.stream(group).stream(member),
      seed: random.stream(group).path,
      memories: [],
      expertShare: 0,
      made: [],
    })),
  );
  const setup = {
    environment: kindEnvironment(kind, agent.form.text),
    policy: agent.student,
    texts: kind.speech(agent.student, agent.form.text),
    sampling: { kind: 'sample', temperature: config.play.temperature, topP: 1 } as const,
    expert: null,
    asksPolicy: true,
    maxSteps,
    stopRepeating: false,
    admissibleOnly: agent.form.admissibleOnly,
    policyMemory: false,
    parallel: 16,
  };
  const trajectories = await rollout(setup, attempts);
  await agent.dispose();
  const start = { random: Random.fromSeed(config.seed).stream('start'), from: checkpoint };
  const { actorCritic, dispose } = await openPpoPolicy(config, start, plainHost());
  const critic: number[][] = [];
  for (const { steps } of trajectories)
    critic.push([...(await actorCritic.values(steps.map(({ prompt }) => prompt!)))]);
  await dispose();
  return { trajectories, values: critic };
}

/** As group methods read it; states are named as in training. */
function attemptOf(trajectory: Trajectory): PlayedAttempt {
  const { steps, first } = trajectory;
  const anchor = gamesKind([], maxSteps).anchor!;
  const turns = steps.map(({ action, result }) => ({
    command: action,
    observation: result.observation.text,
  }));
  const anchorAt = (step: number) =>
    anchor({
      history: { initial: first.text, turns: turns.slice(0, step) },
      observation: steps[Math.min(step, steps.length - 1)]!.observation,
    });
  const rewards = steps.map(({ result }) => result.reward);
  const reward = rewards.reduce((sum, each) => sum + each, 0);
  return {
    trajectory,
    return: reward,
    reward,
    rewards: { return: reward },
    ...(trajectory.end === 'truncated' && { cutOffIn: anchorAt(steps.length) }),
    steps: steps.map(({ prompt, answer }, index) => ({
      prompt: prompt!,
      answer: answer!,
      temperature: config.play.temperature,
      reward: rewards[index]!,
      anchor: anchorAt(index),
    })),
  };
}

function byGroups(attempts: readonly PlayedAttempt[], advantages: Advantages): number[] {
  const losses = groupLosses(advantages);
  const rewards = attempts.map(({ reward }) => reward);
  const { scale } = losses;
  const found = groupAdvantages(rewards, { groupSize, scale, advantages: groupMethodOf(losses).attempts });
  const groups = { update: 0, version: 0, attempts, groupSize };
  return creditsOf(groups, { losses, advantages: found.advantages }).flatMap(({ steps }) =>
    steps.map(({ advantage }) => advantage),
  );
}

/** An attempt that was cut off ends without a value, as RL4VLM has it. */
function byCritic({ steps, end }: Trajectory, critic: readonly number[]): number[] {
  const last = steps.map((_, index) => (index === steps.length - 1 ? 1 : 0));
  const none = steps.map(() => 0);
  const numbers = {
    environments: 1,
    rewards: steps.map(({ result }) => result.reward),
    values: critic,
    terminated: end === 'terminated' ? last : none,
    truncated: end === 'terminated' ? none : last,
    finalValues: none,
    nextValues: [0],
  };
  return [...generalizedAdvantages(numbers, { discount, trace, truncation: 'termination' }).advantages];
}

const checkpoints =
  values.checkpoints?.split(',') ??
  readdirSync(join(run, 'checkpoints'))
    .filter((name) => /^\d+$/.test(name))
    .sort();
const byId = new Map<string, Game>(games.map((game) => [game.id, game]));
const two = (value: number | null) => (value === null ? '–' : value.toFixed(2));
const names = [...compared.map((each) => groupMethods[each].name), 'ppo'];
process.stdout.write(`| steps trained | won | steps played | ${names.join(' | ')} |\n`);
process.stdout.write(`|${' --- |'.repeat(names.length + 3)}\n`);
for (const name of checkpoints) {
  const { trajectories, values: critic } = await played(join(run, 'checkpoints', name));
  const attempts = trajectories.map(attemptOf);
  const truth = trajectories.flatMap(({ task, steps }) =>
    trueAdvantages(
      byId.get(task.id)!,
      steps.map(({ action }) => action),
      { discount: groupLosses('steps').credit!.discount, maxSteps },
    ),
  );
  const credits = [
    ...compared.map((each) => byGroups(attempts, each)),
    trajectories.flatMap((trajectory, place) => byCritic(trajectory, critic[place]!)),
  ];
  const cells = credits.map((each) => `${two(pearson(each, truth))}, ${two(spearman(each, truth))}`);
  const won = trajectories.filter((trajectory) => trajectory.won).length;
  const counts = `${Number(name)} | ${won} of ${trajectories.length} | ${truth.length}`;
  process.stdout.write(`| ${counts} | ${cells.join(' | ')} |\n`);
}
