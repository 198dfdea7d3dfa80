/** A speaker or listener as a service: opened by the name of a model or run, with pictures for untrusted clients. */
import type { ListenOptions, Pictures, ServiceOptions } from '@emac/bridge';
import { EmacError } from '@emac/core';
import { checkpointForm, openListener, openSpeaker, type AgentPlace, type Host } from '@emac/opening';
import { grpoConfig, modelIn, untrained, type LewisRole } from '@emac/settings';

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

export interface OpenedLewis {
  /** its name in `/health` */
  readonly name: string;
  /** The published service. */
  service(options: ServiceOptions): { readonly fetch: ListenOptions['fetch'] };
  dispose(): Promise<void>;
}

/**
 * A model as a greedy speaker, or as a listener; a trained listener is read as in training. Errors: those of opening a
 * policy; `data` for a run that trained the other role.
 */
export async function openLewisService(
  role: LewisRole,
  asked: OpenLewisOptions,
  host: Pick<Host, 'env'>,
): Promise<OpenedLewis> {
  const [place, name] = [placeOf(role, asked), asked.ckpt ?? asked.model];
  const { listenerService, speakerService } = await import('@emac/bridge');
  if (role === 'listener') {
    const { agent: listener, dispose } = await openListener(place, host);
    return { name, service: (options) => listenerService({ ...options, listener }), dispose };
  }
  const { agent: speaker, dispose } = await openSpeaker(place, host);
  return { name, service: (options) => speakerService({ ...options, speaker }), dispose };
}

function placeOf(role: LewisRole, { model, ckpt, pictures, maxPixels = null }: OpenLewisOptions): AgentPlace {
  const form = ckpt === null ? null : checkpointForm(ckpt)?.lewis;
  if (form && maxPixels !== null && maxPixels !== form.model.maxPixels)
    throw new EmacError(
      'usage',
      `--max-pixels ${maxPixels}: ${ckpt} was trained with ${form.model.maxPixels ?? "the model's own limit"} and keeps that limit; leave it out`,
    );
  return {
    name: ckpt ?? untrained,
    model: modelIn(grpoConfig({ role, policy: model, model: { maxPixels } })),
    pictures: (name) => pictures.frame(name),
    folder: null,
  };
}
