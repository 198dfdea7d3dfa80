/** Attempts of one step: the policy answers G times to each prompt of an update, and every answer has its rewards. */
import { EmacError, type Answer, type ParameterSet, type Policy, type Prompt, type Random } from '@emac/core';
import { askedTogether, groupsOf } from '@emac/rollout';
import { askedAhead, type Asking, type Coming } from '../ahead.ts';
import { temperatureOf } from '../shared-settings.ts';
import { firstDraw, streamOfDraw, withRedraws, type Draw } from './redraws.ts';
import {
  requireLengths,
  requireTasks,
  taskOfGroup,
  type ActingRun,
  type AttemptGroups,
  type AttemptSource,
  type RewardedAttempt,
} from './attempts.ts';

/** A prompt to answer; rewards may read further fields. */
export interface GrpoTask {
  readonly prompt: Prompt;
}

/** Tasks by number, from 0; read at their turn. */
export interface GrpoTasks<T> {
  readonly count: number;
  at(place: number): T | Promise<T>;
}

/** The reward of an answer to a task. All answers of an update are rewarded concurrently; a missing reward throws. */
export type Reward<T> = (task: T, completion: string) => number | Promise<number>;

export interface AnsweredTask<T> extends RewardedAttempt {
  readonly task: T;
  /** number of the task among all */
  readonly place: number;
  readonly answer: Answer;
}

/** The prompts of an update in the form sent to workers. */
export interface AskedAnswers {
  /** from 0 */
  readonly update: number;
  /** 0, or the redraw of groups without spread, at most as many prompts as before */
  readonly draw: number;
  readonly temperature: number;
  /** all trainable parameters of the answering policy */
  readonly parameters: ParameterSet;
  /** groups of prompts that form a batch */
  readonly groups: readonly (readonly AskedPrompt[])[];
}

export interface AskedPrompt {
  readonly prompt: Prompt;
  /** seed and names of each answer's generator */
  readonly randoms: readonly string[];
}

/** Answers to every group, prompt after prompt. Errors end the run there. */
export type AnswersElsewhere = (
  asked: AskedAnswers,
  asking: Asking,
) => Promise<readonly (readonly Answer[])[]>;

export interface Answering<T extends GrpoTask> {
  readonly tasks: GrpoTasks<T>;
  /** summed without weights; named in metrics */
  readonly rewards: Readonly<Record<string, Reward<T>>>;
  /** absent: the policy answers here */
  readonly elsewhere?: AnswersElsewhere | undefined;
}

/** Answers to tasks with rewards. Errors: `usage` without tasks or rewards. */
export function answeredGroups<T extends GrpoTask>(asked: Answering<T>): AttemptSource<AnsweredTask<T>> {
  requireTasks(asked.tasks.count);
  if (Object.keys(asked.rewards).length === 0)
    throw new EmacError('usage', 'training: needs a reward, got none');
  return {
    begin(run) {
      const answering = beginAnswering(asked, run);
      const next = async () => {
        const first = await answering.next();
        return withRedraws(run.settings, async (draw) =>
          rewardedGroups(asked, run, draw.draw === 0 ? first : await first.again(draw)),
        );
      };
      return { next, stop: () => answering.stop() };
    },
  };
}

/** The policy's answers to the prompts of an update. */
interface Answered<T> {
  readonly update: number;
  /** updates that the policy had made that answered */
  readonly version: number;
  readonly asked: readonly T[];
  readonly places: readonly number[];
  /** group after group */
  readonly answers: readonly Answer[];
  /** the same policy's answers to other prompts of the update */
  again(draw: Draw): Promise<Answered<T>>;
}

/**
 * Answers of the next updates, here or from workers. If answers may be stale, workers answer the next K updates while
 * the trainer learns. Errors of `next`: those of policy and tasks.
 */
function beginAnswering<T extends GrpoTask>(
  { tasks, elsewhere }: Answering<T>,
  run: ActingRun,
): Coming<Answered<T>> {
  const { policy, versions, settings, state } = run;
  const { together = null, updates } = settings.play;
  const temperatureAt = (update: number) => temperatureOf(settings.play, update, updates);
  if (!elsewhere) {
    const next = async (): Promise<Answered<T>> => {
      const { update } = state;
      const version = versions.playing(update);
      const answered = async (draw: Draw): Promise<Answered<T>> => {
        const { prompts, ...drawn } = await drawnPrompts(tasks, run, { update, ...draw });
        const temperature = temperatureAt(update);
        const answer = () => askedTogether(prompts, together, (some) => decided(policy, some, temperature));
        const answers = (await versions.under(version, answer)).flat();
        return { ...drawn, update, version, answers, again: answered };
      };
      return answered(firstDraw(settings));
    };
    return { next, stop: async () => {} };
  }
  const drawnInTurn = inTurn((asked: AskedDraw) => drawnPrompts(tasks, run, asked));
  return askedAhead({
    versions,
    updates,
    made: () => state.update,
    isChain: false,
    ask: async (update, _before, asking) => {
      const version = versions.playing(update);
      const parameters = versions.at(version);
      const answered = async (draw: Draw): Promise<Answered<T>> => {
        const { prompts, ...drawn } = await drawnInTurn({ update, ...draw });
        const groups = sentGroups(prompts, together);
        const temperature = temperatureAt(update);
        const asked = { update, draw: draw.draw, temperature, parameters, groups };
        const answers = (await elsewhere(asked, asking)).flat();
        return { ...drawn, update, version, answers, again: answered };
      };
      return answered(firstDraw(settings));
    },
  });
}

/**
 * Runs calls one after another, like a single process: a prompt maker gets one update at a time, since larger batches
 * may change last bits.
 */
function inTurn<Given, Made>(make: (given: Given) => Promise<Made>): (given: Given) => Promise<Made> {
  let before: Promise<unknown> = Promise.resolve();
  return (given) => {
    const made = before.then(() => make(given));
    before = made.catch(() => {});
    return made;
  };
}

interface AskedDraw extends Draw {
  readonly update: number;
}

/** An answer's generator is named by the update, its group and its index there, and by the redraw. */
async function drawnPrompts<T extends GrpoTask>(
  tasks: GrpoTasks<T>,
  { settings, random }: ActingRun,
  { update, draw, places: groups }: AskedDraw,
): Promise<Pick<Answered<T>, 'asked' | 'places'> & { readonly prompts: readonly DrawnPrompt[] }> {
  const { promptsPerUpdate, groupSize } = settings.play;
  const places = groups.map((group) =>
    taskOfGroup({ count: tasks.count, turn: update * promptsPerUpdate + group, random }, draw),
  );
  const asked = await Promise.all(places.map((place) => tasks.at(place)));
  const draws = streamOfDraw(random.stream('answers').stream(update), draw);
  const prompts = asked.map(({ prompt }, which) => ({
    prompt,
    randoms: Array.from({ length: groupSize }, (_, member) => draws.stream(groups[which]!).stream(member)),
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

/** The rewards of all answers. Errors: those of the rewards; `usage` for an answer that is too long. */
async function rewardedGroups<T extends GrpoTask>(
  { rewards }: Answering<T>,
  { settings }: ActingRun,
  { update, version, asked, places, answers }: Answered<T>,
): Promise<AttemptGroups<AnsweredTask<T>>> {
  const { groupSize, updates } = settings.play;
  const temperature = temperatureOf(settings.play, update, updates);
  requireLengths(answers, settings.losses.maxLength);
  const said = answers.map((answer, which): Said<T> => {
    const group = Math.floor(which / groupSize);
    const task = asked[group]!;
    return { task, place: places[group]!, answer, temperature };
  });
  return { update, version, attempts: await rewarded(said, rewards), groupSize };
}

type Said<T> = Omit<AnsweredTask<T>, 'reward' | 'rewards' | 'steps'> & { readonly temperature: number };

/** Awaits all rewards, then throws the first failure. */
async function rewarded<T extends GrpoTask>(
  said: readonly Said<T>[],
  rewards: Readonly<Record<string, Reward<T>>>,
): Promise<AnsweredTask<T>[]> {
  const named = Object.entries(rewards);
  const found = await Promise.allSettled(
    said.flatMap((sample) => named.map((reward) => worthOf(sample, reward))),
  );
  const worth = found.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
  return said.map(({ temperature, ...sample }, which) => {
    const { task, answer } = sample;
    const own = worth.slice(which * named.length, (which + 1) * named.length);
    const reward = own.reduce((sum, value) => sum + value, 0);
    return {
      ...sample,
      steps: [{ prompt: task.prompt, answer, temperature, reward }],
      reward,
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
