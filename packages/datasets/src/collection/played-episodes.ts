/**
 * Steps of a player, episode by episode, in any environment: with numbered actions, of a robot moved by numbers, or with actions in words. The player is
 * the scripted one, or an expert that is asked in words. Some labels are spoilt deliberately, and some actions are random distractions.
 */
import type { Expert, Label, MovedEnvironment, OpenedKind, StepEnvironment, StepOutcome } from '@emac/core';
import { Random } from '@emac/core';
import { encodePng } from '@emac/images';
import { localWorld, scriptedPlayer, type Host, type ScriptedPlayer } from '@emac/opening';
import { trainingSeed } from '@emac/rollout';
import { askedInWords } from './asked-in-words.ts';
import {
  robotTexts,
  type CollectedStep,
  type PlayEpisode,
  type RecordTexts,
  type RobotStep,
} from './collected-steps.ts';
import type { EpisodeSettings } from './collection-settings.ts';
import { requirePlayer, wordedEpisodes } from './worded-episodes.ts';

/** An episode that its player plays, moment by moment. */
interface PlayedEpisode<Action> {
  /** of random distractions and labels */
  readonly chance: Random;
  /** null: nobody has a label, which ends the episode */
  moment(): Promise<Moment<Action> | null>;
}

interface Moment<Action> {
  readonly best: Action;
  /** A wrong label and a distraction. */
  others(chance: Random): { readonly other: Action; readonly drawn: Action };
  readonly picture: CollectedStep['picture'];
  texts(label: Action): RecordTexts;
  /** what a robot's data has of a label besides; absent: no robot */
  robot?(label: Action): Omit<RobotStep, 'outcome'>;
  act(action: Action): StepOutcome;
}

type Begin<Action> = (episode: number) => PlayedEpisode<Action>;

export interface Players extends Pick<Host, 'signal'> {
  /** of an environment with actions in words; absent: it has numbered ones */
  readonly opened?: OpenedKind | null;
  /** labels in place of the scripted player */
  readonly expert?: Expert | null;
  /** Gets labels in words; one that is no command ends its episode. */
  readonly hear?: (label: Label | null) => void;
}

/** Plays the episode of a number to its end. Errors: `usage`; those of the expert; `interrupted` at a step of words after the signal. */
export function playedEpisodes(
  config: EpisodeSettings,
  { opened = null, expert = null, signal, hear }: Players = {},
): PlayEpisode<CollectedStep> {
  const random = Random.fromSeed(config.seed).stream('collect');
  if (opened)
    return wordedEpisodes(
      opened,
      { ...config, expert: expert ?? requirePlayer(opened), signal, hear },
      random,
    );
  if (localWorld(config.env).moved) return playing(robotEpisodes(config, random), config);
  return playing(numberedEpisodes(config, random, { expert, hear }), config);
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
      const reached = await moment();
      if (reached === null) return;
      const { best, picture, robot, ...now } = reached;
      const { other, drawn } = now.others(chance);
      const label = isNoisy ? other : best;
      const outcome = once(async () => now.act(isAstray ? drawn : best));
      const texts = now.texts(label);
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

function numberedEpisodes(
  config: EpisodeSettings,
  random: Random,
  { expert, hear }: { readonly expert: Expert | null; readonly hear: Players['hear'] },
): Begin<number> {
  const { env } = config;
  const player = scriptedPlayer(env, config);
  return (episode) => {
    const { seed, chance } = begun(player.environment, episode, random);
    const game = `${env}/${seed}`;
    const asked = expert && askedInWords(expert, player, { id: game, type: env, hear });
    return {
      chance,
      async moment() {
        const best = asked ? await asked.label() : player.expert();
        if (best === null) return null;
        // it may plan a whole way: asked once a step
        const scripted = asked ? player.expert() : best;
        const moment = numberedMoment(player, config, { best, scripted, game });
        return { ...moment, act: (action) => (asked?.acts(action), moment.act(action)) };
      },
    };
  };
}

function numberedMoment(
  { environment, offered, ...player }: ScriptedPlayer,
  { env, actionOnly }: EpisodeSettings,
  { best, scripted, game }: { readonly best: number; readonly scripted: number; readonly game: string },
): Moment<number> {
  return {
    best,
    others: (chance) => ({
      other: chance.pick(offered.filter((action) => action !== best)),
      drawn: chance.pick(offered),
    }),
    picture: () => encodePng(environment.frame()),
    texts: (label) => ({
      text_input: player.prompt({ actionOnly }),
      // what the scripted player concludes leads to its own action
      text_output: player.answer(label, { concludes: label === scripted, actionOnly }),
      verbatim: true,
      task_type: env,
      game_id: game,
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
    return { chance, moment: async () => robotMoment(environment, actionSteps, place) };
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
