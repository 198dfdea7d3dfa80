/** Opens the Lewis game for a page, by the name of a run that trained one of its roles; the partner has the other one. */
import { EmacError } from '@emac/core';
import {
  checkpointForm,
  openedBy,
  openLewisGames,
  openListener,
  openSpeaker,
  serviceNamed,
  type Host,
} from '@emac/opening';
import type { GamePlace } from '@emac/pages/data';
import { grpoConfig, modelIn } from '@emac/settings';
import { lewisPair, lewisWeighing } from './lewis-pair.ts';
import { openSession } from './session.ts';
import { shownFrames } from './shown-frames.ts';

export interface LewisAsked {
  /** a run or checkpoint of a speaker or listener */
  readonly policy: string;
  /** the other role, as `emac train --method grpo` takes it; null: SPEAKER_URL or LISTENER_URL of the environment, else the untrained model */
  readonly partner: string | null;
  /** of both, for people */
  readonly name: string;
}

export interface OpenedPair {
  readonly place: GamePlace;
  dispose(): Promise<void>;
}

/** Null for a policy that was not trained in the Lewis game. Errors: those of opening pictures, models and services. */
export async function openLewisPair(
  { policy, partner, name }: LewisAsked,
  host: Host,
): Promise<OpenedPair | null> {
  const form = checkpointForm(policy)?.lewis ?? null;
  if (form === null) return null;
  const { role, game } = form;
  const { path, maxPixels = null } = form.model;
  const model = modelIn(grpoConfig({ role, policy: path, model: { maxPixels } }));
  return openedBy(async (open) => {
    const games = await openLewisGames({ game, seed: 0 }, Infinity);
    const shown = shownFrames(games.world.pictures);
    const named = (each: 'speaker' | 'listener') => ({
      name: each === role ? policy : (partner ?? serviceNamed(each, host.env)),
      model,
      game,
      pictures: shown.frame,
      folder: games.world.folder,
    });
    const speaking = await openSpeaker(named('speaker'), host);
    open.add(() => speaking.dispose());
    const listening = await openListener(named('listener'), host);
    open.add(() => listening.dispose());
    const pair = {
      games,
      shown,
      speaker: speaking.agent,
      listener: listening.agent,
      isHeard: role === 'listener',
    };
    const act = () => {
      throw new EmacError('internal', 'lewis: a policy that weighs is asked for nothing else');
    };
    const weighing = { weigh: lewisWeighing(pair), target: (answer: string) => answer };
    const place = await openSession({ kind: lewisPair(pair), policy: { name, player: { act, weighing } } });
    return { place, dispose: () => open.close() };
  });
}
