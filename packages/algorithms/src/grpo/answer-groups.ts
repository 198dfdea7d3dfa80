/** The policy answers: G samples of each prompt of an update, and what each of them is worth. */
import { EmacError, type Answer, type Policy, type Prompt, type Random } from '@emac/core';
import { askedTogether, groupsOf } from '@emac/rollout';
import { askedAhead, type Coming } from '../ahead.ts';
import type { GrpoSample, GrpoTask, GrpoTasks, Reward, RunningGrpo } from './grpo-run.ts';

/** Groups one after another, each of answers to one prompt. */
export interface AnsweredGroups<T> {
  /** [P · G] */
  readonly samples: readonly GrpoSample<T>[];
  /** G */
  readonly groupSize: number;
}

/** What the policy said to the prompts of an update. */
export interface Answered<T> {
  readonly update: number;
  /** updates that the policy had made that answered */
  readonly version: number;
  readonly asked: readonly T[];
  readonly places: readonly number[];
  /** [P · G] */
  readonly answers: readonly Answer[];
}

/** Answers of the updates that come: here, or of others, who where answers may be stale give those of the next K updates while one learns here. Errors of `next`: those of policy and tasks. */
export function beginAnswering<T extends GrpoTask>(run: RunningGrpo<T>): Coming<Answered<T>> {
  const { elsewhere, policy, versions, settings, state } = run;
  const { temperature, together = null } = settings.play;
  if (!elsewhere) {
    const next = async (): Promise<Answered<T>> => {
      const { update } = state;
      const version = versions.playing(update);
      const { prompts, ...drawn } = await drawnPrompts(run, update);
      const answer = () => askedTogether(prompts, together, (some) => decided(policy, some, temperature));
      return { ...drawn, update, version, answers: (await versions.under(version, answer)).flat() };
    };
    return { next, stop: async () => {} };
  }
  const drawnInTurn = inTurn((update: number) => drawnPrompts(run, update));
  return askedAhead({
    versions,
    updates: settings.play.updates,
    made: () => state.update,
    isChain: false,
    ask: async (update, _before, asking) => {
      const version = versions.playing(update);
      const parameters = versions.at(version);
      const { prompts, ...drawn } = await drawnInTurn(update);
      const groups = sentGroups(prompts, together);
      const answers = await elsewhere({ update, temperature, parameters, groups }, asking);
      return { ...drawn, update, version, answers: answers.flat() };
    },
  });
}

/** One after another, as one process does it: who makes prompts is asked for those of one update at a time, and may answer more in other last bits. */
function inTurn<Given, Made>(make: (given: Given) => Promise<Made>): (given: Given) => Promise<Made> {
  let before: Promise<unknown> = Promise.resolve();
  return (given) => {
    const made = before.then(() => make(given));
    before = made.catch(() => {});
    return made;
  };
}

/** What each answer is drawn with is named by the update, its group and its place there. */
async function drawnPrompts<T extends GrpoTask>(
  { tasks, settings, random }: RunningGrpo<T>,
  update: number,
): Promise<Pick<Answered<T>, 'asked' | 'places'> & { readonly prompts: readonly DrawnPrompt[] }> {
  const { promptsPerUpdate, groupSize } = settings.play;
  const places = Array.from({ length: promptsPerUpdate }, (_, which) =>
    placeOf(tasks, update * promptsPerUpdate + which, random),
  );
  const asked = await Promise.all(places.map((place) => tasks.at(place)));
  const draws = random.stream('answers').stream(update);
  const prompts = asked.map(({ prompt }, group) => ({
    prompt,
    randoms: Array.from({ length: groupSize }, (_, member) => draws.stream(group).stream(member)),
  }));
  return { asked, places, prompts };
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

/** What each answer is worth. Errors: those of the rewards; `usage` for an answer that is too long. */
export async function rewardedGroups<T extends GrpoTask>(
  { settings, rewards }: RunningGrpo<T>,
  { asked, places, answers }: Answered<T>,
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
      `--max-new-tokens: an answer has ${longest} tokens, the limit is ${maxLength}; give the policy the same limit`,
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
