/**
 * The seam between the services of the Lewis game and the models that answer them. Nothing is opened yet: what stands here is what `emac lewis listener` and
 * `emac lewis speaker` ask for.
 */
import type { Pictures } from '@emac/bridge';
import { EmacError } from '@emac/core';
import type { Listener, Speaker } from '@emac/lewis';
import type { Host } from '../host.ts';

export interface OpenLewisOptions {
  /** a shipped model, a folder in a layout that is read, or a JSON file that names the parts of a composed model */
  readonly model: string;
  /** a run, checkpoint or PEFT folder whose adapter it has; null for none */
  readonly ckpt: string | null;
  /** reads pictures by the names that it is asked about */
  readonly pictures: Pictures;
}

export interface OpenedLewis<Agent extends Listener | Speaker> {
  readonly agent: Agent;
  /** what it is called in `/health` */
  readonly name: string;
  dispose(): Promise<void>;
}

/** A model as a listener. Errors: `unavailable`. */
export async function openLewisListener(
  { model }: OpenLewisOptions,
  _host: Pick<Host, 'env'>,
): Promise<OpenedLewis<Listener>> {
  throw notYet(model);
}

/** A model as a speaker. Errors: `unavailable`. */
export async function openLewisSpeaker(
  { model }: OpenLewisOptions,
  _host: Pick<Host, 'env'>,
): Promise<OpenedLewis<Speaker>> {
  throw notYet(model);
}

function notYet(model: string): EmacError {
  return new EmacError('unavailable', `--model ${model}: models do not play the Lewis game in this version`);
}
