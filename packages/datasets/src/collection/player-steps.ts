/**
 * Steps of an environment with actions in words, by its own player. If prompts and answers are a game's history and a command, so are the records,
 * and an overlong prompt loses its oldest steps; others are verbatim.
 */
import type { Episode, EpisodeMoment, Label, OpenedKind, Random, Speech, Task } from '@emac/core';
import { EmacError, Random as Randoms } from '@emac/core';
import { encodePng } from '@emac/images';
import { studentTarget } from '@emac/prompt';
import { noFrame } from '@emac/rollout';
import { promptEnd } from '../dataset/offline-text.ts';
import type { EnvironmentCollectionConfig } from './environment-collection-config.ts';
import type { ScriptedStep } from './scripted-steps.ts';

type Played = Pick<EnvironmentCollectionConfig, 'env' | 'seed' | 'samples' | 'randomActions' | 'labelNoise'>;

/**
 * The first steps of episodes of the training tasks, each task once in random order before repeats; truncates the last
 * episode. Errors: `usage` without a player; those of the environment.
 */
export async function* playerSteps(opened: OpenedKind, config: Played): AsyncGenerator<ScriptedStep> {
  const player = requirePlayer(opened);
  const random = Randoms.fromSeed(config.seed).stream('collect');
  const taskOf = tasksOf(opened, random.stream('tasks'));
  const speech = wholeSpeech(opened);
  for (let [left, episode] = [config.samples, 0]; left > 0; episode++) {
    const { task, number } = taskOf(episode);
    const chance = random.stream('play').stream(episode);
    const begun = await opened.environment([task]).begin(task, chance.path);
    try {
      const steps = episodeSteps(begun, { player, speech, config, chance, maxSteps: opened.maxSteps });
      for await (const step of steps) {
        yield { ...step, task_type: task.type ?? opened.id, game_id: task.id, episode, shared: number };
        if (--left === 0) break;
      }
    } finally {
      await begun.close();
    }
  }
}

/** Errors: `usage` without a scripted player. */
export function requirePlayer({ id, player }: OpenedKind): NonNullable<OpenedKind['player']> {
  if (player) return player;
  throw new EmacError(
    'usage',
    `${id}: has no scripted player to collect from; let its file export expert(task, history), or train with --method bc --expert FILE`,
  );
}

/** Prompts are not truncated: later readers have their own limit. */
function wholeSpeech(opened: OpenedKind): Speech {
  const counting = { countPromptTokens: (text: string) => text.length };
  return opened.speech(counting, { maxTokens: Infinity, observe: 'both', thoughts: false });
}

/** The task of each episode: finite tasks in random order, then again; endless ones in sequence. */
function tasksOf({ tasks: { training } }: OpenedKind, random: Random) {
  const { count } = training;
  const order = count === null ? null : random.shuffle([...Array(count).keys()]);
  return (episode: number): { readonly task: Task; readonly number: number } => {
    const number = order === null ? episode : order[episode % order.length]!;
    return { task: training.at(number), number: order === null ? episode : episode % order.length };
  };
}

interface Playing {
  readonly player: NonNullable<OpenedKind['player']>;
  readonly speech: Speech;
  readonly config: Pick<Played, 'randomActions' | 'labelNoise'>;
  readonly chance: Random;
  readonly maxSteps: number;
}

type SaidStep = Pick<ScriptedStep, 'picture' | 'text_input' | 'text_output' | 'verbatim' | 'isNoisy'>;

/** To the end of the episode, or until the player knows no action. */
async function* episodeSteps(
  { task, first, step }: Episode,
  { player, speech, config, chance, maxSteps }: Playing,
): AsyncGenerator<SaidStep> {
  let moment: EpisodeMoment = { history: { initial: first.text, turns: [] }, observation: first };
  for (let steps = 0; steps < maxSteps; steps++) {
    const { history, observation } = moment;
    const label = await player.label({ task, history, memories: [], admissible: observation.admissible });
    if (label.kind !== 'action') return;
    const { said, isNoisy, command } = chosen(label, moment, { config, chance });
    const [frame = noFrame] = observation.frames;
    yield { picture: () => encodePng(frame), ...textsOf(speech, moment, said), isNoisy };
    const result = await step(command);
    if (result.terminated || result.truncated) return;
    const turn = { command, observation: result.observation.text };
    moment = { history: { ...history, turns: [...history.turns, turn] }, observation: result.observation };
  }
}

/** The label and the action of a step: now and then another accepted action, if the environment lists them. */
function chosen(
  { command: best }: Extract<Label, { kind: 'action' }>,
  { observation: { admissible } }: EpisodeMoment,
  { config: { randomActions, labelNoise }, chance }: Pick<Playing, 'config' | 'chance'>,
): { readonly said: string; readonly isNoisy: boolean; readonly command: string } {
  const [noisy, astray] = [chance.uniform() < labelNoise, chance.uniform() < randomActions];
  const others = (admissible ?? []).filter((action) => action !== best);
  if (others.length === 0) return { said: best, isNoisy: false, command: best };
  const [other, drawn] = [chance.pick(others), chance.pick([best, ...others])];
  return { said: noisy ? other : best, isNoisy: noisy, command: astray ? drawn : best };
}

function textsOf(
  speech: Speech,
  moment: EpisodeMoment,
  action: string,
): Pick<SaidStep, 'text_input' | 'text_output' | 'verbatim'> {
  const prompt = speech.prompt({ ...moment, memories: [] });
  const target = speech.target(action, moment.observation);
  if (prompt.endsWith(promptEnd) && target === studentTarget(action))
    return { text_input: prompt, text_output: action };
  return { text_input: prompt, text_output: target, verbatim: true };
}
