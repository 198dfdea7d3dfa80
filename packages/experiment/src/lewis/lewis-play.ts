/** A run of the Lewis game: a role learns from the kind's questions, with the other role's player as its partner. */
import { EmacError, Random, type OpenedKind } from '@emac/core';
import type { Listener, Speaker } from '@emac/lewis';
import type { Student } from '@emac/model';
import {
  checkpointForm,
  atOnceOf,
  heldOutRandom,
  isAddress,
  lateJournal,
  lewisWorld,
  listenerRounds,
  modelListener,
  modelSpeaker,
  openedBy,
  openLewisGames,
  openListener,
  openSpeaker,
  policyIdentity,
  requireSplit,
  speakerRounds,
  type AgentPlace,
  type Host,
  type LateJournal,
  type LewisGames,
  type ModelAgent,
  type PolicyStart,
} from '@emac/opening';
import { sightOf } from '@emac/rollout';
import { modelIn, type GrpoConfig, type LewisRole } from '@emac/settings';
import { openKindPlay } from '../groups/environment-play.ts';
import type { GroupPlay, KeptEvaluation } from '../groups/group-play.ts';
import { evaluateUnderstanding, type LewisEvaluation } from './lewis-evaluation.ts';

type RoleConfig = GrpoConfig & { readonly role: LewisRole };

/** Errors: those of pictures, models and services; `data` for a start that was trained on held-out concepts. */
export function openLewisPlay(
  config: RoleConfig,
  start: PolicyStart,
  host: Host,
): Promise<GroupPlay<LewisEvaluation>> {
  return openedBy(async (open) => {
    const { role, policy: name, speech } = config;
    const form = start.from === null ? null : checkpointForm(start.from)?.lewis;
    if (form) requireSplit(`--init ${start.from}`, form.game, config.game);
    const games = await gamesOf(config);
    const journal = lateJournal();
    // opened after the policy, whose errors come first
    let other: Other | null = null;
    const rounds =
      role === 'speaker'
        ? speakerRounds(games, config, { ask: (all) => other!.listener!.ask(all) })
        : listenerRounds(games, config, { ask: (all) => other!.training!.ask(all) });
    const { worth, solutionOf, ...opened } = lewisWorld(`lewis/${role}`, rounds, false);
    const play: GroupPlay = await openKindPlay(
      config,
      {
        opened: withinPromptLength(opened, speech.maxPromptTokens, () => play.policy.language!.student),
        reward: { of: ({ task, steps: [step] }) => worth(task, step!.answer) },
        isAskedHere: true,
        solutionOf,
      },
      { start, host },
    );
    open.add(play.dispose);
    other = await openOther(config, { games, journal }, host);
    open.add(other.dispose);
    const players = { ...other, student: play.policy.language!.student };
    const partner = role === 'speaker' ? 'listener' : 'speaker';
    return {
      ...play,
      beside: ({ config: typed, replies }) => {
        const { maxPromptTokens: maxPromptLength, ...spoken } = typed.speech;
        // under the names that checkpoints have always had
        const names = { speech: { ...spoken, maxPromptLength }, model: modelIn(typed) };
        return { lewis: { role, game: typed.game, ...names }, ...(replies && { replies }) };
      },
      heldOut: games.heldOut.length,
      journal: isAddress(config[partner]) ? journal : null,
      name: `${role} ${name}, ${partner} ${config[partner]}`,
      evaluate: (_when, kept, told) => evaluated({ config, games }, players, { ...kept, host: told }),
      dispose: () => open.close(),
    };
  });
}

/** The partner; null in the role that learns. */
interface Other {
  readonly listener: Listener | null;
  readonly speaker: Speaker | null;
  /** the speaker as it describes in training, where its words may be sampled */
  readonly training: Speaker | null;
  readonly dispose: () => Promise<void>;
}

async function openOther(
  { role, game, send, seed, play, ...config }: RoleConfig,
  { games: { world }, journal }: { readonly games: LewisGames; readonly journal: LateJournal },
  host: Host,
): Promise<Other> {
  const { pictures, folder } = world;
  const model = modelIn(config);
  const place = (name: string): AgentPlace => ({ name, model, pictures, folder, journal, game, send });
  if (role === 'speaker') {
    const { agent: listener, dispose } = await openListener(place(config.listener), host);
    return { listener, speaker: null, training: null, dispose };
  }
  const { agent: speaker, drawn, dispose } = await openSpeaker(place(config.speaker), host);
  const { speakerTemperature: temperature } = play;
  const random = Random.fromSeed(seed).stream('games').stream('descriptions');
  const training = temperature === 0 ? speaker : drawn({ temperature, random });
  return { listener: null, speaker, training, dispose };
}

/** Errors: `data` for pictures of too few things, or too few of each. */
async function gamesOf(config: RoleConfig): Promise<LewisGames> {
  const { episodes: most } = config.evaluation;
  const games = await openLewisGames(config, most);
  const { training, heldOut } = games;
  if (training.length > 0 && (heldOut.length > 0 || most === 0)) return games;
  throw new EmacError(
    'data',
    `--pictures ${config.game.pictures}: has ${training.length} training games and ${heldOut.length} held-out games; a game needs two views of a concept, so give four pictures of each or more, or --eval-episodes 0`,
  );
}

/**
 * The game with a limit on its prompts, pictures included: a longer one is refused as its episode begins, never cut.
 * Errors of `begin`: also `data`.
 */
function withinPromptLength(opened: OpenedKind, limit: number, student: () => Student): OpenedKind {
  return {
    ...opened,
    begin: async (task, seed) => {
      const episode = await opened.begin(task, seed);
      const { text, frames } = episode.first;
      const policy = student();
      const tokens =
        policy.countPromptTokens(text) + policy.countVisualTokens(await sightOf(policy, frames[0]!));
      if (tokens <= limit) return episode;
      throw new EmacError(
        'data',
        `--max-prompt-tokens: a prompt has ${tokens} tokens, at most ${limit} are allowed; raise it, or give smaller pictures`,
      );
    },
  };
}

/** `config` of what is kept has paths as typed, for the result. */
function evaluated(
  {
    config: { role, model },
    games: { world, heldOut },
  }: { readonly config: RoleConfig; readonly games: LewisGames },
  { student, speaker, listener }: Other & { readonly student: Student },
  {
    most,
    config: typed,
    checkpoint,
    host,
  }: KeptEvaluation & { readonly host: Pick<Host, 'listener' | 'signal'> },
): Promise<LewisEvaluation> {
  const own: ModelAgent = {
    policy: student,
    pictures: world.pictures,
    identity: policyIdentity(student, model.maxPixels),
    atOnce: atOnceOf(student),
  };
  return evaluateUnderstanding({
    speaker: speaker ?? modelSpeaker(own),
    listener: listener ?? modelListener(own, 'reasons'),
    games: heldOut.slice(0, most),
    recognition: { concepts: world.heldOut, random: heldOutRandom().stream('pairs') },
    checkpoint,
    config: {
      role,
      model: typed.policy,
      other: typed[role === 'speaker' ? 'listener' : 'speaker'],
      pictures: typed.game.pictures,
      K: typed.game.candidates,
    },
    host,
  });
}
