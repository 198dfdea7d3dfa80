/**
 * Steps of an environment whose actions are words, as its own player makes them. Where prompts and answers have the form of a game's history and a
 * command, records have it too, so that a prompt that is too long loses its oldest steps; others are read and said as they stand.
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

/** The first steps of episodes of the training tasks, in a drawn order before one comes again; the last one is cut off. Errors: `usage` where nobody plays; those of the environment. */
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

/** Errors: `usage` where nobody plays by a script. */
export function requirePlayer({ id, player }: OpenedKind): NonNullable<OpenedKind['player']> {
  if (player) return player;
  throw new EmacError(
    'usage',
    `${id}: nobody plays it by a script, whose steps would become the dataset; let its file export expert(task, history), or train with --method bc --expert FILE`,
  );
}

/** Prompts are as long as they are: what reads them later has its own limit. */
function wholeSpeech(opened: OpenedKind): Speech {
  const counting = { countPromptTokens: (text: string) => text.length };
  return opened.speech(counting, { maxTokens: Infinity, observe: 'both', thoughts: false });
}

/** Which task an episode is of: of a list every one in a drawn order, then again; without end one after the other. */
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

/** To the end of the episode, or to where the player knows no action. */
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

/** What is written, and what is done: now and then another action of those that are accepted, where the environment lists them. */
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
