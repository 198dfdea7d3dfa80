/**
 * Steps of scripted players, episode by episode, in any environment: with numbered actions, of a robot moved by numbers, or with actions in words. Some
 * labels are spoilt deliberately, and some actions are random distractions.
 */
import type { MovedEnvironment, OpenedKind, StepEnvironment, StepOutcome, Task } from '@emac/core';
import { EmacError, LostEpisode, Random } from '@emac/core';
import { encodePng } from '@emac/images';
import { localWorld, scriptedPlayer, silent, type Host, type ScriptedPlayer } from '@emac/opening';
import { labelled, noFrame, rollout, textOf, trainingSeed, type Rollout } from '@emac/rollout';
import { robotTexts, type CollectedStep, type RecordTexts, type RobotStep } from './collected-steps.ts';
import type { EpisodeSettings } from './collection-settings.ts';
import { wholeSpeech, wordedTexts } from './worded-record.ts';

/** An episode that its player plays, moment by moment. */
interface PlayedEpisode<Action> {
  /** of random distractions and labels */
  readonly chance: Random;
  moment(): Moment<Action>;
}

interface Moment<Action> {
  readonly best: Action;
  /** A wrong label and a distraction. */
  others(chance: Random): { readonly other: Action; readonly drawn: Action };
  readonly picture: CollectedStep['picture'];
  /** The texts of a label. */
  texts(label: Action, isNoisy: boolean): RecordTexts;
  /** what a robot's data has of a label besides; absent: no robot */
  robot?(label: Action): Omit<RobotStep, 'outcome'>;
  act(action: Action): StepOutcome;
}

type Begin<Action> = (episode: number) => PlayedEpisode<Action>;

/** Plays the episode of a number to its end; of an environment with actions in words once it is opened. Errors: `usage`; `interrupted` at a step of words after the signal. */
export function scriptedEpisodes(
  config: EpisodeSettings,
  opened: OpenedKind | null = null,
  { signal }: Pick<Host, 'signal'> = {},
): (episode: number) => AsyncIterable<CollectedStep> {
  const random = Random.fromSeed(config.seed).stream('collect');
  if (opened) return wordedEpisodes(opened, { ...config, signal }, random);
  if (localWorld(config.env).moved) return playing(robotEpisodes(config, random), config);
  return playing(numberedEpisodes(config, random), config);
}

/** The environment stays at each step until the consumer continues, or asks for the outcome. */
function playing<Action>(
  begin: Begin<Action>,
  { labelNoise, randomActions }: Pick<EpisodeSettings, 'labelNoise' | 'randomActions'>,
) {
  return async function* (episode: number): AsyncGenerator<CollectedStep> {
    const { chance, moment } = begin(episode);
    for (let isOver = false; !isOver;) {
      const [isNoisy, isAstray] = [chance.uniform() < labelNoise, chance.uniform() < randomActions];
      const { best, picture, robot, ...now } = moment();
      const { other, drawn } = now.others(chance);
      const label = isNoisy ? other : best;
      const outcome = once(async () => now.act(isAstray ? drawn : best));
      const texts = now.texts(label, isNoisy);
      const step = { picture, texts, isNoisy, episode, shared: episode };
      yield { ...step, ...(robot && { robot: { ...robot(label), outcome } }) };
      const { terminated, truncated } = await outcome();
      isOver = terminated || truncated;
    }
  };
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | null = null;
  return () => (done ??= work());
}

/** Begins the training episode of a number in an environment with seeds. */
export function begun(
  environment: Pick<StepEnvironment<unknown, never>, 'reset'>,
  episode: number,
  random: Random,
) {
  const seed = trainingSeed(random, 0, episode);
  environment.reset(seed);
  return { seed, chance: random.stream('play').stream(episode) };
}

function numberedEpisodes(config: EpisodeSettings, random: Random): Begin<number> {
  const player = scriptedPlayer(config.env, config);
  return (episode) => {
    const { seed, chance } = begun(player.environment, episode, random);
    const moment = () => numberedMoment(player, config, `${config.env}/${seed}`);
    return { chance, moment };
  };
}

function numberedMoment(
  { environment, offered, ...player }: ScriptedPlayer,
  { env, actionOnly }: EpisodeSettings,
  game_id: string,
): Moment<number> {
  const best = player.expert();
  return {
    best,
    others: (chance) => ({
      other: chance.pick(offered.filter((action) => action !== best)),
      drawn: chance.pick(offered),
    }),
    picture: () => encodePng(environment.frame()),
    texts: (label, isNoisy) => ({
      text_input: player.prompt({ actionOnly }),
      text_output: player.answer(label, { concludes: !isNoisy, actionOnly }),
      verbatim: true,
      task_type: env,
      game_id,
    }),
    act: (action) => environment.step(action),
  };
}

function robotEpisodes({ env, maxSteps, actionSteps }: EpisodeSettings, random: Random) {
  const starts = { set: 'training', isCounted: false } as const;
  const environment = localWorld(env).moved!.make({ maxSteps, palette: null, starts });
  return (episode: number): PlayedEpisode<readonly number[]> => {
    const { chance } = begun(environment, episode, random);
    const { task, state } = environment.start;
    const place = { source: env, episode: `${env}/${task}/${state}` };
    return { chance, moment: () => robotMoment(environment, actionSteps, place) };
  };
}

function robotMoment(
  environment: MovedEnvironment,
  actionSteps: number | null,
  place: { readonly source: string; readonly episode: string },
): Moment<readonly number[]> {
  const best = environment.expert({ steps: actionSteps });
  const instruction = environment.text();
  return {
    best,
    others(chance) {
      const other = rounded(drawnMotion(best, chance), actionSteps);
      return { other, drawn: other };
    },
    picture: () => encodePng(environment.frame()),
    texts: (action) => robotTexts({ ...place, instruction, action }),
    robot: (action) => ({
      instruction,
      action,
      state: () => Float32Array.from(environment.observe().state.data),
    }),
    act: (action) => environment.step(action),
  };
}

/** A random motion of the hand, with this action's rotation and gripper. */
function drawnMotion(action: readonly number[], random: Random): readonly number[] {
  return action.map((value, place) => (place < 3 ? 2 * random.uniform() - 1 : value));
}

/** Rounds to this many steps per unit; null does not round. */
function rounded(action: readonly number[], steps: number | null): readonly number[] {
  // avoids −0
  return steps === null ? action : action.map((value) => Math.round(value * steps) / steps + 0);
}

/**
 * Episodes of the training tasks, each task once in random order before repeats: the player acts in a rollout, but for the random
 * actions. An episode ends where the player knows no action.
 */
function wordedEpisodes(
  opened: OpenedKind,
  { labelNoise, randomActions, signal }: EpisodeSettings & { readonly signal: Host['signal'] },
  random: Random,
): (episode: number) => AsyncIterable<CollectedStep> {
  const setup: Rollout = {
    environment: opened,
    policy: silent,
    texts: wholeSpeech(opened),
    sampling: { kind: 'search', beams: 1 },
    expert: requirePlayer(opened),
    asksPolicy: false,
    maxSteps: opened.maxSteps,
    stopRepeating: false,
    admissibleOnly: false,
    policyMemory: false,
    randomActions,
    parallel: 1,
    ...(signal && { signal }),
  };
  const taskOf = tasksOf(opened, random.stream('tasks'));
  return async function* (episode) {
    const { task, number } = taskOf(episode);
    const chance = random.stream('play').stream(episode);
    const attempt = { task, number: episode, random: chance, memories: [], expertShare: 1, made: [] };
    const [played] = await rollout(setup, [attempt]);
    const { steps, fault } = played!;
    if (fault !== undefined) throw new LostEpisode(fault);
    for (const { observation, prompt, label } of steps) {
      const best = labelled(label);
      if (best === null) return;
      const others = (observation.admissible ?? []).filter((action) => action !== best);
      const isNoisy = chance.uniform() < labelNoise && others.length > 0;
      const said = isNoisy ? chance.pick(others) : best;
      const source = { task_type: task.type ?? opened.id, game_id: task.id };
      yield {
        picture: () => encodePng(observation.frames[0] ?? noFrame),
        texts: { ...wordedTexts(textOf(prompt!), setup.texts.target(said, observation), said), ...source },
        isNoisy,
        episode,
        shared: number,
      };
    }
  };
}

/** Errors: `usage` without a scripted player. */
export function requirePlayer({ id, player }: OpenedKind): NonNullable<OpenedKind['player']> {
  if (player) return player;
  throw new EmacError(
    'usage',
    `${id}: has no scripted player to collect from; give one with --expert FILE, or let its own file export expert(task, history)`,
  );
}

/** The task of each episode: finite tasks in random order, then again; endless ones in sequence. */
function tasksOf({ tasks: { training } }: OpenedKind, random: Random) {
  const { count } = training;
  const order = count === null ? null : random.shuffle([...Array(count).keys()]);
  return (episode: number): { readonly task: Task; readonly number: number } => {
    if (order === null) return { task: training.at(episode), number: episode };
    const number = episode % order.length;
    return { task: training.at(order[number]!), number };
  };
}
