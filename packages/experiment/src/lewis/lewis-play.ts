/** The parts of a Lewis run: pictures, the trained policy, the other role's player, tasks, held-out games. */
import { EmacError, Random } from '@emac/core';
import type { LewisGame, Listener } from '@emac/lewis';
import type { Student } from '@emac/model';
import {
  atOnceOf,
  openedBy,
  heldOutGames,
  isAddress,
  lateJournal,
  listenerTasks,
  modelListener,
  modelSpeaker,
  openLewisWorld,
  openListener,
  openSpeaker,
  policyIdentity,
  speakerTasks,
  trainingGames,
  type AgentPlace,
  type Host,
  type LateJournal,
  type LewisTasks,
  type LewisWorld,
  type ModelAgent,
  type OpenedSpeaker,
  type PolicyStart,
} from '@emac/opening';
import type { GrpoConfig, LewisRole } from '@emac/settings';
import type { GroupPlay } from '../groups/group-play.ts';
import { trainedPolicy } from '../groups/trained-policy.ts';
import { evaluateUnderstanding, type LewisEvaluation } from './lewis-evaluation.ts';
import { openLewisPolicy, withinPromptLength } from './lewis-policy.ts';
import { grpoWorkers } from './grpo-workers.ts';

export type LewisPlay = GroupPlay<LewisEvaluation>;

interface Played {
  readonly config: GrpoConfig & { readonly role: LewisRole };
  readonly world: LewisWorld;
  readonly games: Games;
  readonly learner: Student;
}

/** Errors: those of pictures, models and services. */
export function openLewisPlay(config: Played['config'], start: PolicyStart, host: Host): Promise<LewisPlay> {
  return openedBy(async (open) => {
    const world = await openLewisWorld(config.game);
    const games = gamesOf(world, config);
    const policy = await openLewisPolicy(config, start, host);
    open.add(() => policy.dispose());
    const learner = withinPromptLength(policy.student, config.speech.maxPromptLength);
    const journal = lateJournal();
    const other = await openOther(config, { world, journal }, host);
    open.add(() => other.dispose());
    const played = { config, world, games, learner };
    const tasks = tasksOf(played, other);
    return {
      policy: trainedPolicy(policy, {
        name: config.model.path,
        reference: policy.reference,
        beside: ({ config: { game, speech, model }, replies }) => ({
          lewis: { role: config.role, game, speech, model },
          ...(replies && { replies }),
        }),
      }),
      learner,
      tasks: tasks.count,
      heldOut: config.evaluation.games,
      together: 1,
      journal: isAddress(config[other.role]) ? journal : null,
      name: `${config.role} ${config.model.path}, ${other.role} ${config[other.role]}`,
      versions: {},
      train: ({ answered, recorded: _recorded, ...run }) =>
        tasks.train({
          ...run,
          sample: ({ task, answer, reward, rewards, update }) =>
            answered({ update, reward, rewards, content: answer.text, solution: task.solution }),
        }),
      evaluate: (_when, { checkpoint, most, config: typed }, told) =>
        evaluated(played, other, { checkpoint, most, typed, host: told }),
      workers: (run, trained) => grpoWorkers(run, { config: { ...config, trained }, policy, start, host }),
      dispose: () => open.close(),
    };
  });
}

type Other = { dispose(): Promise<void> } & (
  | { readonly role: 'listener'; readonly agent: Listener }
  | ({ readonly role: 'speaker' } & Pick<OpenedSpeaker, 'agent' | 'drawn'>)
);

async function openOther(
  { role, model, ...config }: Played['config'],
  { world, journal }: { readonly world: LewisWorld; readonly journal: LateJournal },
  host: Host,
): Promise<Other> {
  const place = (name: string): AgentPlace => ({
    name,
    model,
    pictures: world.pictures,
    folder: world.folder,
    journal,
    game: config.game,
    send: config.send,
  });
  if (role === 'speaker') return { role: 'listener', ...(await openListener(place(config.listener), host)) };
  return { role: 'speaker', ...(await openSpeaker(place(config.speaker), host)) };
}

interface Games {
  readonly training: readonly LewisGame[];
  readonly heldOut: readonly LewisGame[];
}

/** Held-out games are the same for every seed, so that runs can be compared. Errors: `data` for pictures of too few things, or too few of each. */
function gamesOf(world: LewisWorld, { game, seed, evaluation }: GrpoConfig): Games {
  const training = trainingGames(world, game, Random.fromSeed(seed).stream('games'));
  const heldOut =
    evaluation.games === 0
      ? []
      : heldOutGames(world, { candidates: game.candidates, games: evaluation.games }, heldOutRandom());
  if (training.length > 0 && (heldOut.length > 0 || evaluation.games === 0)) return { training, heldOut };
  throw new EmacError(
    'data',
    `--pictures ${game.pictures}: has ${training.length} training games and ${heldOut.length} held-out games; a game needs two views of a concept, so give four pictures of each or more, or --eval-games 0`,
  );
}

function heldOutRandom(): Random {
  return Random.fromSeed(0).stream('evaluation');
}

function tasksOf({ config, world, games: { training: games }, learner }: Played, other: Other): LewisTasks {
  const { seed, rewards } = config;
  const random = Random.fromSeed(seed).stream('games');
  const common = { games, policy: learner, pictures: world.pictures, rewards };
  if (other.role === 'listener') return speakerTasks({ ...common, listener: other.agent });
  const { speakerTemperature: temperature } = config.play;
  const speaker =
    temperature === 0 ? other.agent : other.drawn({ temperature, random: random.stream('descriptions') });
  return listenerTasks({ ...common, speaker, random: random.stream('rivals') });
}

function evaluated(
  { config, world, games, learner }: Played,
  other: Other,
  {
    most,
    typed,
    ...asked
  }: {
    /** its paths, for the result */
    readonly typed: GrpoConfig;
    readonly checkpoint: string;
    readonly most: number;
    readonly host: Pick<Host, 'listener' | 'signal'>;
  },
): Promise<LewisEvaluation> {
  const { role, model } = config;
  const own: ModelAgent = {
    policy: learner,
    pictures: world.pictures,
    identity: policyIdentity(learner, model.maxPixels),
    atOnce: atOnceOf(learner),
  };
  return evaluateUnderstanding({
    ...asked,
    speaker: other.role === 'speaker' ? other.agent : modelSpeaker(own),
    listener: other.role === 'listener' ? other.agent : modelListener(own, 'reasons'),
    games: games.heldOut.slice(0, most),
    recognition: { concepts: world.heldOut, random: heldOutRandom().stream('pairs') },
    config: {
      role,
      model: typed.model.path,
      other: typed[other.role],
      pictures: typed.game.pictures,
      K: typed.game.candidates,
    },
  });
}
