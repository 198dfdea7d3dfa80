/** A speaker or listener for a service: opened by the name of a model or run, with pictures for untrusted clients. */
import type { Pictures } from '@emac/bridge';
import { EmacError } from '@emac/core';
import type { Listener, Speaker } from '@emac/lewis';
import { lewisFormOf, openListener, openSpeaker, type AgentPlace, type Host } from '@emac/opening';
import { grpoConfig, untrained, type LewisRole } from '@emac/settings';

export interface OpenLewisOptions {
  /** a shipped model, a folder in a layout that is read, or a JSON file that names the parts of a composed model */
  readonly model: string;
  /** a run, checkpoint or PEFT folder with its adapter; null for none */
  readonly ckpt: string | null;
  /** the model's pixel limit per picture; default its own, or the run's */
  readonly maxPixels?: number | null;
  /** reads pictures by requested names */
  readonly pictures: Pictures;
}

export interface OpenedLewis<Agent extends Listener | Speaker> {
  readonly agent: Agent;
  /** its name in `/health` */
  readonly name: string;
  dispose(): Promise<void>;
}

/**
 * A model as a listener; a trained listener is read as in training. Errors: those of opening a policy; `data` for a run
 * that trained a speaker.
 */
export async function openLewisListener(
  asked: OpenLewisOptions,
  host: Pick<Host, 'env'>,
): Promise<OpenedLewis<Listener>> {
  return { ...(await openListener(placeOf('listener', asked), host)), name: nameOf(asked) };
}

/** A model as a greedy speaker. Errors: as `openLewisListener`. */
export async function openLewisSpeaker(
  asked: OpenLewisOptions,
  host: Pick<Host, 'env'>,
): Promise<OpenedLewis<Speaker>> {
  return { ...(await openSpeaker(placeOf('speaker', asked), host)), name: nameOf(asked) };
}

function placeOf(role: LewisRole, { model, ckpt, pictures, maxPixels = null }: OpenLewisOptions): AgentPlace {
  const form = ckpt === null ? null : lewisFormOf(ckpt);
  if (form && maxPixels !== null && maxPixels !== form.model.maxPixels)
    throw new EmacError(
      'usage',
      `--max-pixels ${maxPixels}: ${ckpt} was trained with ${form.model.maxPixels ?? "the model's own limit"} and keeps that limit; leave it out`,
    );
  return {
    name: ckpt ?? untrained,
    model: grpoConfig({ role, model: { path: model, maxPixels } }).model,
    pictures: (name) => pictures.frame(name),
    folder: null,
  };
}

function nameOf({ model, ckpt }: OpenLewisOptions): string {
  return ckpt ?? model;
}
