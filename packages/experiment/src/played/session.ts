/**
 * One game that a person plays, watches, corrects and asks about, in any environment and with any policy. It has no input or output of
 * its own: it answers orders with views (`@emac/pages`), one after another. The person's commands become labels, as an expert's in
 * DAgger, and choices between two commands become pairs, both as records of a dataset.
 */
import {
  EmacError,
  messageOf,
  Random,
  type Episode,
  type EpisodeMoment,
  type Observation,
  type OpenedKind,
  type Step,
  type Task,
} from '@emac/core';
import { kindEnvironment } from '@emac/opening';
import type {
  Actor,
  AskedAgain,
  CoveredParts,
  GameAnswer,
  GameAttempt,
  GameMoment,
  GameOrder,
  GamePlace,
  GameStep,
  GameTaskSet,
  GameView,
} from '@emac/pages/data';
import type { OpenedPlayer, PlayedMoment } from '../player.ts';
import { coveredParts } from './covered.ts';
import { givenRecords, type GivenRecords } from './given-records.ts';
import { shownPictures } from './shown-pictures.ts';
import { shares, type Weighed } from './weighed.ts';

/** A policy in the game, by its name for people. */
export interface SessionPlayer {
  readonly name: string;
  readonly player: Pick<OpenedPlayer, 'act' | 'weighing'>;
}

export interface SessionOptions {
  readonly kind: OpenedKind;
  /** null: the person plays alone */
  readonly policy: SessionPlayer | null;
  /** a second one to compare with, such as the untouched one */
  readonly before?: SessionPlayer | null;
  /** called after every label and pair */
  readonly given?: (records: GivenRecords) => void;
}

/** Opens a session at the first held-out task. The caller disposes of kind and players. Errors: as beginning a task. */
export async function openSession(options: SessionOptions): Promise<GamePlace> {
  const session = sessionOf(options);
  await session.begin('heldOut', 0);
  let last: Promise<unknown> = Promise.resolve();
  const answer = async (order: GameOrder): Promise<GameAnswer> => {
    try {
      return { view: await session.carryOut(order) };
    } catch (thrown) {
      return { fault: messageOf(thrown) };
    }
  };
  return (order) => {
    const answering = last.then(() => answer(order));
    last = answering;
    return answering;
  };
}

/** A state of the episode, with what everybody makes of it. */
interface Place {
  readonly moment: PlayedMoment;
  readonly shown: GameMoment;
  readonly weighed: Weighed | null;
}

interface Made extends Place {
  readonly command: string;
  readonly by: Actor;
  readonly result: Step;
}

interface Under {
  readonly set: GameTaskSet;
  readonly number: number;
  readonly task: Task;
  readonly episode: Episode;
  readonly made: readonly Made[];
  readonly now: Place;
}

function sessionOf({ kind, policy, before = null, given = () => {} }: SessionOptions) {
  const environment = kindEnvironment(kind, { maxTokens: 0, thoughts: false, observe: 'both' });
  const pictures = shownPictures();
  const records = givenRecords({ kind, target: policy?.player.weighing?.target ?? null, pictures });
  const random = Random.fromSeed('page');
  let under: Under;
  let asked: AskedAgain | null = null;
  let covered: CoveredParts | null = null;
  let attempts: GameAttempt[] = [];

  const momentOf = (episode: Episode, made: readonly Made[], result: Step | null): PlayedMoment => ({
    task: episode.task,
    history: {
      initial: episode.first.text,
      turns: made.map(({ command, result }) => ({ command, observation: result.observation.text })),
    },
    observation: result?.observation ?? episode.first,
  });
  const weighedBy = async (by: SessionPlayer | null, moment: PlayedMoment) => {
    if (!by) return null;
    const { weighing } = by.player;
    if (weighing) return weighing.weigh(moment);
    const { action } = await by.player.act({ ...moment, random });
    return { action, logProbabilities: null, prompt: null, answer: null };
  };
  const labelled = async (task: Task, { history, observation: { admissible } }: EpisodeMoment) => {
    const label = await kind.player?.label({ task, history, memories: [], admissible });
    return label?.kind === 'action' ? label.command : null;
  };

  /** The state after `made`. */
  async function placeAt(task: Task, episode: Episode, made: readonly Made[]): Promise<Place> {
    const result = made.at(-1)?.result ?? null;
    const moment = momentOf(episode, made, result);
    const { observation } = moment;
    const isOver = endOf(kind, made) !== null;
    const weighed = isOver ? null : await weighedBy(policy, moment);
    const weighedBefore = isOver ? null : await weighedBy(before, moment);
    const shown: GameMoment = {
      text: observation.text,
      picture: await pictures.named(observation),
      commands: isOver ? [] : commandsOf(observation, weighed, weighedBefore),
      choice: weighed?.action ?? null,
      choiceBefore: weighedBefore?.action ?? null,
      expert: isOver ? null : await labelled(task, moment),
      prompt: weighed?.prompt ?? null,
      answer: weighed?.answer ?? null,
    };
    return { moment, shown, weighed };
  }

  async function begin(set: GameTaskSet, number: number): Promise<void> {
    const { count } = kind.tasks[set];
    if (!Number.isInteger(number) || number < 0 || (count !== null && number >= count))
      throw new EmacError(
        'usage',
        `task: must be a whole number from 0${count === null ? '' : ` to ${count - 1}`}, got ${number}`,
      );
    const task = kind.tasks[set].at(number);
    const episode = await environment.begin(task, seed);
    attempts = [];
    await moveTo({ set, number, task, episode, made: [], now: await placeAt(task, episode, []) });
  }

  async function moveTo(next: Under): Promise<void> {
    if (under !== undefined && under.episode !== next.episode) await under.episode.close();
    [under, asked, covered] = [next, null, null];
  }

  async function act(command: string, by: Actor): Promise<void> {
    const { task, episode, made, now } = under;
    requireUnderWay(kind, made);
    if (by === 'person') {
      records.label({ task, place: now.moment, shown: now.shown, command });
      given(records.all());
    }
    const result = await episode.step(command);
    const after = [...made, { ...now, command, by, result }];
    await moveTo({ ...under, made: after, now: await placeAt(task, episode, after) });
    if (endOf(kind, after) !== null) attempts.push(attemptOf(kind, after));
  }

  /** Whole attempts beside the game under way, which stays where it is. */
  async function draw(count: number): Promise<void> {
    const { task } = under;
    if (!policy?.player.weighing)
      throw new EmacError('usage', 'draw: needs a policy with probabilities and listed commands');
    for (let attempt = 0; attempt < count; attempt++) {
      const episode = await environment.begin(task, seed);
      let made: readonly Made[] = [];
      let now = await placeAt(task, episode, made);
      while (endOf(kind, made) === null) {
        const { weighed, moment } = now;
        const command = drawnCommand(weighed!, moment.observation, random);
        made = [...made, { ...now, command, by: 'policy', result: await episode.step(command) }];
        now = await placeAt(task, episode, made);
      }
      attempts.push(attemptOf(kind, made));
      await episode.close();
    }
  }

  /** Plays the first steps again in a new episode: an environment cannot go back. */
  async function back(step: number): Promise<void> {
    const { task, made } = under;
    if (!Number.isInteger(step) || step < 0 || step > made.length)
      throw new EmacError('usage', `back: must be a step from 0 to ${made.length}, got ${step}`);
    const kept = made.slice(0, step);
    const episode = await environment.begin(task, seed);
    const again: Made[] = [];
    for (const each of kept) again.push({ ...each, result: await episode.step(each.command) });
    await moveTo({ ...under, episode, made: again, now: made[step] ?? under.now });
  }

  function prefer(chosen: string, rejected: string): void {
    const { task, now } = under;
    requireUnderWay(kind, under.made);
    if (chosen === rejected || chosen === '' || rejected === '')
      throw new EmacError('usage', `prefer: needs two different commands, got ${chosen} and ${rejected}`);
    records.pair({ task, place: now.moment, shown: now.shown, chosen, rejected });
    given(records.all());
  }

  async function ask(prompt: string): Promise<void> {
    const { moment } = under.now;
    const weighing = policy?.player.weighing;
    if (!weighing?.target)
      throw new EmacError('usage', 'ask: the policy of this game reads no text; give a language model');
    const weighed = await weighing.weigh(moment, prompt);
    const commands = commandsOf(moment.observation, weighed, null);
    asked = { prompt, choice: weighed.action, answer: weighed.answer, commands };
  }

  async function carryOut(order: GameOrder): Promise<GameView> {
    if (order.kind === 'begin') await begin(order.set, order.number);
    else if (order.kind === 'act') await act(requiredCommand(order.command), 'person');
    else if (order.kind === 'let') await act(chosenBy(order.by, under.now.shown), order.by);
    else if (order.kind === 'back') await back(order.step);
    else if (order.kind === 'prefer') prefer(order.chosen, order.rejected);
    else if (order.kind === 'ask') await ask(order.prompt);
    else if (order.kind === 'draw') await draw(order.attempts);
    else if (order.kind === 'cover')
      covered = await coveredParts(policy?.player.weighing ?? null, under.now.moment);
    return view(order.kind === 'show');
  }

  function view(isWhole: boolean): GameView {
    const { set, number, task, made, now } = under;
    const { labels, pairs } = records.all();
    return {
      environment: kind.id,
      set,
      number,
      task: task.id,
      count: kind.tasks[set].count,
      maxSteps: kind.maxSteps,
      policy: policy?.name ?? null,
      before: before?.name ?? null,
      hasExpert: kind.player !== undefined,
      steps: made.map(({ shown, command, by, result }): GameStep => ({
        ...shown,
        command,
        by,
        reward: result.reward,
      })),
      now: now.shown,
      score: made.reduce((sum, { result }) => sum + result.reward, 0),
      end: endOf(kind, made),
      labels: labels.length,
      pairs: pairs.length,
      preferred: records.preferredAt(task, now.moment),
      attempts,
      asked,
      covered,
      pictures: pictures.unsent(isWhole),
    };
  }

  return { begin, carryOut };
}

/** All attempts at a task begin alike, so that going back is possible. */
const seed = '0';

function endOf({ maxSteps }: Pick<OpenedKind, 'maxSteps'>, made: readonly Made[]): GameView['end'] {
  const last = made.at(-1)?.result;
  if (!last) return null;
  if (last.info.won) return 'won';
  if (last.terminated) return 'lost';
  return last.truncated || made.length >= maxSteps ? 'limit' : null;
}

function attemptOf(kind: Pick<OpenedKind, 'anchor' | 'maxSteps'>, made: readonly Made[]): GameAttempt {
  const actors = new Set(made.map(({ by }) => by));
  return {
    by: actors.size === 1 ? made[0]!.by : 'several',
    won: endOf(kind, made) === 'won',
    steps: made.map(({ command, result, moment, shown }) => ({
      command,
      reward: result.reward,
      anchor: kind.anchor?.(moment) ?? `${shown.picture} ${shown.text}`,
    })),
  };
}

/** By the policy's probabilities among the listed ones; its choice where they are not known. */
function drawnCommand(weighed: Weighed, { admissible }: Observation, random: Random): string {
  const { logProbabilities, action } = weighed;
  if (!logProbabilities || !admissible) return action;
  return admissible[random.weightedIndex(Float64Array.from(shares(logProbabilities)))]!;
}

function requireUnderWay(kind: OpenedKind, made: readonly Made[]): void {
  if (endOf(kind, made) === null) return;
  throw new EmacError('usage', 'act: the game has ended; go back, or begin another');
}

function requiredCommand(command: string): string {
  const said = command.trim();
  if (said === '') throw new EmacError('usage', 'act: needs a command, got nothing');
  return said;
}

function chosenBy(by: 'policy' | 'expert', { choice, expert }: GameMoment): string {
  const command = by === 'policy' ? choice : expert;
  if (command !== null) return command;
  throw new EmacError('usage', `let ${by}: there is none here that knows a command; choose one yourself`);
}

function commandsOf(
  { admissible }: Observation,
  now: Weighed | null,
  before: Weighed | null,
): GameMoment['commands'] {
  const [own, other] = [now, before].map((each) => each?.logProbabilities && shares(each.logProbabilities));
  return (admissible ?? []).map((command, place) => {
    return { command, now: own?.[place] ?? null, before: other?.[place] ?? null };
  });
}
