/** The policy answers: G samples of each prompt of an update, and what each of them is worth. */
import { EmacError, type Answer, type Policy, type Prompt, type Random } from '@emac/core';
import { askedTogether, groupsOf } from '@emac/rollout';
import type { GrpoSample, GrpoTask, GrpoTasks, Reward, RunningGrpo } from './grpo-run.ts';

/** Groups one after another, each of answers to one prompt. */
export interface AnsweredGroups<T> {
  /** [P · G] */
  readonly samples: readonly GrpoSample<T>[];
  /** G */
  readonly groupSize: number;
}

/** What each answer is drawn with is named by the update, its group and its place there. Errors: those of policy and rewards. */
export async function answerGroups<T extends GrpoTask>(run: RunningGrpo<T>): Promise<AnsweredGroups<T>> {
  const { policy, tasks, settings, state, random } = run;
  const { promptsPerUpdate, groupSize, temperature, together = null } = settings.play;
  const places = Array.from({ length: promptsPerUpdate }, (_, which) =>
    placeOf(tasks, state.update * promptsPerUpdate + which, random),
  );
  const asked = await Promise.all(places.map((place) => tasks.at(place)));
  const draws = random.stream('answers').stream(state.update);
  const prompts = asked.map(({ prompt }, group) => ({
    prompt,
    randoms: Array.from({ length: groupSize }, (_, member) => draws.stream(group).stream(member)),
  }));
  const answers = run.elsewhere
    ? await run.elsewhere({ update: state.update, temperature, groups: sentGroups(prompts, together) })
    : await askedTogether(prompts, together, (some) => decided(policy, some, temperature));
  return rewardedGroups(run, { asked, places, answers: answers.flat() });
}

interface DrawnPrompt {
  readonly prompt: Prompt;
  readonly randoms: readonly Random[];
}

/** Equal prompts one after another: they are read once. */
function decided(policy: Policy, prompts: readonly DrawnPrompt[], temperature: number) {
  const questions = prompts.flatMap(({ prompt, randoms }) =>
    randoms.map((random) => ({ prompt, allowed: null, random })),
  );
  return policy.decide(questions, { kind: 'sample', temperature, topP: 1 });
}

function sentGroups(prompts: readonly DrawnPrompt[], together: number | null) {
  return groupsOf(prompts.length, together).map(({ first, end }) =>
    prompts.slice(first, end).map(({ prompt, randoms }) => ({
      prompt,
      randoms: randoms.map(({ path }) => path),
    })),
  );
}

interface Told<T> {
  readonly asked: readonly T[];
  readonly places: readonly number[];
  readonly answers: readonly Answer[];
}

async function rewardedGroups<T extends GrpoTask>(
  { settings, rewards }: RunningGrpo<T>,
  { asked, places, answers }: Told<T>,
): Promise<AnsweredGroups<T>> {
  const { groupSize } = settings.play;
  requireLengths(answers, settings.losses.maxLength);
  const said = answers.map((answer, which) => {
    const group = Math.floor(which / groupSize);
    return { task: asked[group]!, place: places[group]!, answer };
  });
  return { samples: await rewarded(said, rewards), groupSize };
}

/** Passes over all tasks, each in an order of its own. */
function placeOf<T>({ count }: GrpoTasks<T>, turn: number, random: Random): number {
  const pass = random.stream('tasks').stream(Math.floor(turn / count));
  return pass.shuffle(Array.from({ length: count }, (_, place) => place))[turn % count]!;
}

function requireLengths(answers: readonly Answer[], maxLength: number): void {
  const longest = Math.max(...answers.map(({ tokens }) => tokens.length));
  if (longest > maxLength)
    throw new EmacError(
      'usage',
      `--max-completion-length: an answer has ${longest} tokens, the limit is ${maxLength}; give the policy the same limit`,
    );
}

type Said<T> = Omit<GrpoSample<T>, 'reward' | 'rewards'>;

/** All are asked for at once and awaited; then the first that failed is thrown. */
async function rewarded<T extends GrpoTask>(
  said: readonly Said<T>[],
  rewards: Readonly<Record<string, Reward<T>>>,
): Promise<GrpoSample<T>[]> {
  const named = Object.entries(rewards);
  const found = await Promise.allSettled(
    said.flatMap((sample) => named.map((reward) => worthOf(sample, reward))),
  );
  const worth = found.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
  return said.map((sample, which) => {
    const own = worth.slice(which * named.length, (which + 1) * named.length);
    return {
      ...sample,
      reward: own.reduce((sum, value) => sum + value, 0),
      rewards: Object.fromEntries(named.map(([name], place) => [name, own[place]!])),
    };
  });
}

async function worthOf<T extends GrpoTask>(
  { task, place, answer }: Said<T>,
  [name, reward]: readonly [string, Reward<T>],
): Promise<number> {
  const value = await reward(task, answer.text);
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new EmacError(
    'data',
    `reward ${name}: must be a finite number, got ${value} for an answer to task ${place}`,
  );
}
