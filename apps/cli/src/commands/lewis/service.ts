/**
 * `emac serve --role listener|speaker`, like the published services of the Lewis game: flags and variables of the published services, a port that answers 503 until the model is open,
 * and a shutdown that finishes open requests.
 */
import { loadingService, openPictures, serviceSettings, type Who } from '@emac/bridge';
import { EmacError } from '@emac/core';
import { openLewisService, type OpenedLewis, type OpenLewisOptions } from '@emac/experiment';
import type { LewisRole } from '@emac/settings';
import { numberIn } from '../../options/form.ts';
import { choice, formed, integer, text, toggle, type Values } from '../../options/option.ts';
import { listeningAs, serverOptions } from '../../options/server-options.ts';
import type { Io } from '../../terminal/io.ts';
import { command } from '../../calling/command.ts';
import { serveUntilStopped } from '../serving.ts';

/** first flags of `--help` */
const essentials = ['role', 'model', 'ckpt', 'pictures', 'port', 'host', 'allow'];

/** The service of a listener, which scores how well a description fits a picture, or of a speaker, which describes pictures. */
export function lewisServeCommand(name: LewisRole) {
  const player = choice(['listener', 'speaker'] as const, {
    help: 'player of the Lewis game',
    default: name,
  });
  const who = name === 'listener' ? 'Listener' : 'Speaker';
  return command({
    options: { role: player, ...lewisOptions({ who, port: name === 'listener' ? 9000 : 9001 }) },
    essentials,
    run: (values, words, io) =>
      serveLewis(values, withoutWords(words, io), {
        who,
        open: (options) => openLewisService(name, options, io),
      }),
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
export interface LewisService {
  readonly who: Who;
  open(options: OpenLewisOptions): Promise<OpenedLewis>;
}

/** Serves until stopped. Errors: `usage`, `missing`, errors of opening the model and of listening. */
export async function serveLewis(values: LewisValues, io: Io, { who, open }: LewisService): Promise<number> {
  const model = modelNamed(values);
  refuseMeaningless(values);
  const settings = settingsOf(values, io.env, who);
  const pictures = openPictures({ folder: values.pictures });
  return serveUntilStopped(
    {
      limit: values,
      where: listeningAs(values, io.env),
      opening: (request) => loadingService(who).fetch(request),
      open: async (onFault) => {
        const asked = { model, ckpt: values.ckpt, pictures, maxPixels: values['max-pixels'] };
        const { name, service, dispose } = await open(asked);
        const more = { pictures, entries: values.cache, model: name, now: io.now, onFault };
        const { fetch } = service({ ...settings, ...more });
        return { fetch, line: (address) => `${who.toLowerCase()} ${name}: ${address}`, dispose };
      },
    },
    io,
  );
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
