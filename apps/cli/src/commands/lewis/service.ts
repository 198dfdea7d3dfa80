/**
 * `emac serve --role listener|speaker`, like the published services of the Lewis game: flags and variables of the published services, a port that answers 503 until the model is open,
 * and a shutdown that finishes open requests.
 */
import { once } from 'node:events';
import {
  listen,
  listenerService,
  loadingService,
  openPictures,
  serviceSettings,
  speakerService,
  type ListenOptions,
  type ServiceOptions,
  type Who,
} from '@emac/bridge';
import { EmacError, messageOf } from '@emac/core';
import {
  openLewisListener,
  openLewisSpeaker,
  type OpenedLewis,
  type OpenLewisOptions,
} from '@emac/experiment';
import type { Listener, Speaker } from '@emac/lewis';
import { numberIn } from '../../options/form.ts';
import { choice, formed, integer, text, toggle, type Values } from '../../options/option.ts';
import { listeningAs, serverOptions } from '../../options/server-options.ts';
import { say, type Io } from '../../terminal/io.ts';
import { command } from '../../calling/command.ts';

/** first flags of `--help` */
const essentials = ['role', 'model', 'ckpt', 'pictures', 'port', 'host', 'allow'];

/** The service of a listener, which scores how well a description fits a picture, or of a speaker, which describes pictures. */
export function lewisServeCommand(role: 'listener' | 'speaker') {
  if (role === 'listener')
    return served(role, 9000, {
      who: 'Listener',
      open: openLewisListener,
      service: (listener, options) => listenerService({ ...options, listener }),
    });
  return served(role, 9001, {
    who: 'Speaker',
    open: openLewisSpeaker,
    service: (speaker, options) => speakerService({ ...options, speaker }),
  });
}

function served<Agent extends Listener | Speaker>(
  name: 'listener' | 'speaker',
  port: number,
  role: LewisRole<Agent>,
) {
  const player = choice(['listener', 'speaker'] as const, {
    help: 'player of the Lewis game',
    default: name,
  });
  return command({
    options: { role: player, ...lewisOptions({ who: role.who, port }) },
    essentials,
    run: (values, words, io) => serveLewis(values, withoutWords(words, io), role),
  });
}

/** Both commands of the Lewis game take flags alone. Errors: `usage`. */
export function withoutWords(words: readonly string[], io: Io): Io {
  if (words.length > 0)
    throw new EmacError('usage', `${words.join(' ')}: is no flag; the Lewis game here takes flags alone`);
  return io;
}

/** The flags of a service; `port`: its default. */
export function lewisOptions({ who, port }: { readonly who: Who; readonly port: number }) {
  const sameAsModel = 'alias of --model, from the published services';
  return {
    model: text({
      help: 'model: a shipped one, a model folder, or a JSON file naming its parts',
      default: null,
      defaultText: 'lewis-tiny',
    }),
    model_name: text({ help: sameAsModel, default: null }),
    'model-name': text({ help: sameAsModel, default: null }),
    ckpt: text({ help: 'run, checkpoint or PEFT folder with an adapter for the model', default: null }),
    pictures: text({
      help: 'folder of pictures that requests may name by path; default drawn views and data URLs only',
      default: null,
    }),
    'max-pixels': integer([1, 999_999_999], {
      help: 'most pixels of a picture (Qwen2-VL, Qwen2.5-VL, Qwen3-VL)',
      default: null,
      defaultText: "the model's own, or the run's",
    }),
    ...serverOptions(port),
    concurrency: integer([1, 1024], {
      help: 'model calls in parallel',
      default: null,
      defaultText: 'INFERENCE_CONCURRENCY, else 1',
    }),
    'acquire-timeout': formed(numberIn({ from: 0, to: 1_000_000 }), {
      help: 'seconds a request may queue before 503',
      default: null,
      defaultText: 'INFERENCE_ACQUIRE_TIMEOUT, else 300',
    }),
    batch: integer([1, 1024], {
      help: 'most pictures of a request in one model call',
      default: null,
      defaultText: `${who.toUpperCase()}_BATCH_SIZE, else 5`,
    }),
    cache: integer([1, 100_000_000], {
      help: 'size of the answer cache (least recently used)',
      default: 100_000,
    }),
    device: text({ help: 'accepted for the published services; only cpu works', default: 'cpu' }),
    use_8bit: toggle('accepted for the published services; rejected, as weights stay unchanged'),
  };
}

export type LewisValues = Values<ReturnType<typeof lewisOptions>>;

/** One of the two services. */
export interface LewisRole<Agent extends Listener | Speaker> {
  readonly who: Who;
  open(
    options: OpenLewisOptions,
    io: Io,
  ): Promise<Pick<OpenedLewis<never>, 'name' | 'dispose'> & { readonly agent: Agent }>;
  service(agent: Agent, options: ServiceOptions): { readonly fetch: ListenOptions['fetch'] };
}

/** Serves until stopped. Errors: `usage`, `missing`, errors of opening the model and of listening. */
export async function serveLewis<Agent extends Listener | Speaker>(
  values: LewisValues,
  io: Io,
  { who, open, service }: LewisRole<Agent>,
): Promise<number> {
  const model = modelNamed(values);
  refuseMeaningless(values);
  const settings = settingsOf(values, io.env, who);
  const pictures = openPictures({ folder: values.pictures });
  const signal = io.catchInterruption('open requests');
  const onFault = (thrown: unknown) => say(io.stderr, `fault: ${messageOf(thrown)}`);
  let app: { readonly fetch: ListenOptions['fetch'] } = loadingService(who);
  // before the model, because opening one may take minutes and the port may be taken
  const server = await listen({
    ...listeningAs(values, io.env),
    fetch: (request) => app.fetch(request),
    onFault,
  });
  try {
    const { agent, name, dispose } = await open(
      { model, ckpt: values.ckpt, pictures, maxPixels: values['max-pixels'] },
      io,
    );
    try {
      const entries = values.cache;
      app = service(agent, { ...settings, pictures, entries, model: name, now: io.now, onFault });
      say(io.stdout, `${who.toLowerCase()} ${name}: ${server.address}`);
      say(io.stderr, 'Ctrl-C ends it after the open requests');
      if (!signal.aborted) await once(signal, 'abort');
      await server.drain();
    } finally {
      await dispose();
    }
  } finally {
    await server.close();
  }
  return 0;
}

function modelNamed({ model, model_name: published, 'model-name': dashed }: LewisValues): string {
  const given = [model, published, dashed].filter((each) => each !== null);
  if (given.length > 1)
    throw new EmacError(
      'usage',
      `--model: was given ${given.length} times (as --model or --model_name); give it once`,
    );
  return given[0] ?? 'lewis-tiny';
}

function refuseMeaningless({ device, use_8bit: isIn8Bit }: LewisValues): void {
  if (device !== 'cpu')
    throw new EmacError(
      'usage',
      `--device ${device}: only the processor is supported; leave it out, or give cpu`,
    );
  if (isIn8Bit) throw new EmacError('usage', '--use_8bit: weights are used as stored; leave it out');
}

/** Flags win over variables. */
function settingsOf(values: LewisValues, env: Io['env'], who: Who) {
  const named = serviceSettings(env, who === 'Listener' ? 'listener' : 'speaker');
  const { concurrency, batch, 'acquire-timeout': seconds } = values;
  return {
    concurrency: concurrency ?? named.concurrency,
    acquireTimeoutMs: seconds === null ? named.acquireTimeoutMs : 1000 * seconds,
    batchSize: batch ?? named.batchSize,
  };
}
