/**
 * Evaluates a speaker and a listener in held-out games, for programs; its controls detect a pair that shares a private
 * code.
 */
import { Random, type Frame } from '@emac/core';
import {
  checkpointForm,
  closingAfter,
  heldOutGames,
  isAddress,
  modelNamed,
  openLewisWorld,
  openListener,
  openSpeaker,
  plainHost,
  requireHeeded,
  serviceNamed,
  timesOf,
  warn,
  type Host,
  type AgentPlace,
  type ListenerReading,
  type Pictures,
} from '@emac/opening';
import { grpoConfig, modelIn, untrained, type GrpoConfig } from '@emac/settings';
import { evaluateUnderstanding, type LewisEvaluation, type Understanding } from './lewis-evaluation.ts';

export interface LewisQuestion {
  /** as `emac train --method grpo` takes them: a model as it is, a run, an address; default SPEAKER_URL and LISTENER_URL of the environment, else the untrained model */
  readonly speaker?: string;
  readonly listener?: string;
  /** of a listener that is not a run of emac train --method grpo; default `first` */
  readonly reading?: ListenerReading;
  readonly model?: Partial<AgentPlace['model']>;
  readonly game?: Partial<GrpoConfig['game']>;
  /** default data */
  readonly send?: GrpoConfig['send'];
  readonly games: number;
  /** the speaker's pictures are blank */
  readonly blankFrames?: boolean;
  readonly describes?: Understanding['describes'];
}

export interface EvaluatedLewis {
  /** the players */
  readonly speaker: string;
  readonly listener: string;
  readonly result: LewisEvaluation;
  readonly spent: ReadonlyMap<string, number>;
}

/** The games are the same for all players. Errors: those of opening models and services. */
export async function evaluateLewis(asked: LewisQuestion, host: Host = plainHost()): Promise<EvaluatedLewis> {
  const times = timesOf(host.now);
  const { reading, describes, games } = asked;
  const speaker = asked.speaker ?? serviceNamed('speaker', host.env);
  const listener = asked.listener ?? serviceNamed('listener', host.env);
  const { path, ...computing } = asked.model ?? {};
  const config = grpoConfig({
    role: 'speaker',
    ...(path !== undefined && { policy: path }),
    model: computing,
    game: { ...storedGame([speaker, listener]), ...asked.game },
    ...(asked.send && { send: asked.send }),
  });
  const { game, send } = config;
  const model = modelIn(config);
  const isSent = game.pictures !== 'drawn' && send === 'data';
  for (const each of requireHeeded(model.maxPixels, { names: [speaker, listener], isSent }))
    warn(host.listener, each);
  const world = await openLewisWorld(game);
  return closingAfter(async (open) => {
    const opened = await times.part('opening', async () => {
      const pictures = asked.blankFrames ? blank(world.pictures) : world.pictures;
      const speaking = await openSpeaker(
        { name: speaker, model: modelNamed(speaker, model), pictures, folder: world.folder, game, send },
        host,
      );
      open.add(() => speaking.dispose());
      const listening = await openListener(
        {
          name: listener,
          model: modelNamed(listener, model),
          pictures: world.pictures,
          folder: world.folder,
          game,
          send,
          ...(reading && { reading }),
        },
        host,
      );
      open.add(() => listening.dispose());
      return { speaker: speaking.agent, listener: listening.agent };
    });
    const random = Random.fromSeed(0).stream('evaluation');
    const drawn = heldOutGames(world, { candidates: game.candidates, games }, random);
    host.listener?.begin?.('evaluation', drawn.length, { noun: 'game' });
    const result = await times.part('evaluation', () =>
      evaluateUnderstanding({
        ...opened,
        games: drawn,
        recognition: { concepts: world.heldOut, random: random.stream('pairs') },
        checkpoint: speaker,
        config: { speaker, listener, model: model.path, pictures: game.pictures, K: game.candidates },
        ...(describes && { describes }),
        host,
      }),
    );
    host.listener?.end?.();
    return { speaker, listener, result, spent: times.spent };
  });
}

/** The training game of the first name that is a run; else the default. */
function storedGame(names: readonly string[]): Partial<GrpoConfig['game']> {
  const runs = names.filter((name) => name !== untrained && name !== 'true' && !isAddress(name));
  return runs.map((run) => checkpointForm(run)?.lewis).find((form) => form != null)?.game ?? {};
}

function blank(pictures: Pictures): Pictures {
  return async (name): Promise<Frame> => {
    const { width, height, data } = await pictures(name);
    return { width, height, data: new Uint8Array(data.length) };
  };
}
