/**
 * Values that jobs carry, exact to the last bit: JSON, with bytes in place of arrays of numbers and PNG in place of
 * pictures. Small values lie in the job itself, larger ones in the shared folder, with their hash in the job; so do
 * arrays and pictures, each once if equal. A network folder may show a file later on one machine than on another, so
 * readers retry.
 */
import { EmacError, messageOf, type Features, type Frame } from '@emac/core';
import { errnoOf } from '@emac/files';
import { decodeImage, encodePng } from '@emac/images';
import { pause, type Json, type SharedFolder } from '@emac/queue';

/** largest JSON and largest array inside a job, in bytes */
const largestInside = { text: 8_192, array: 1_024 };
/**
 * largest text, and largest sum of arrays and pictures of one value, in bytes: JavaScript has no text of twice as many, and what
 * another program wrote must not fill the memory
 */
const largestRead = { text: 2 ** 28, arrays: 2 ** 32 };
/** milliseconds between checks for a file that does not exist yet */
const looks = [50, 200, 750, 2_000];

/** The hashes of pictures and features that were stored before: neither may change. */
export type StoredHashes = WeakMap<object, string>;

const arrayTypes = { Float32Array, Float64Array, Int32Array, Uint8Array } as const;

/** What JSON has no word for, or would mistake for such: an object with a `$` of its own is its entries. */
type Sent =
  | { readonly $: 'object'; readonly entries: readonly (readonly [name: string, value: unknown])[] }
  | { readonly $: keyof typeof arrayTypes; readonly base64: string }
  | { readonly $: keyof typeof arrayTypes | 'Frame'; readonly hash: string }
  | { readonly $: 'Features'; readonly key: string; readonly hash: string }
  | { readonly $: 'number'; readonly is: string };

/** A value in the form jobs hold. Errors: those of the folder. */
export async function carry(
  folder: SharedFolder,
  value: unknown,
  hashes: StoredHashes = new WeakMap(),
): Promise<Json> {
  const frames = new Set<Frame>();
  jsonOf(value, (each) => {
    if (isFrame(each)) return void frames.add(each);
    return ArrayBuffer.isView(each) ? undefined : each;
  });
  for (const frame of frames) if (!hashes.has(frame)) hashes.set(frame, folder.put(await encodePng(frame)));
  const text = exactJson(folder, value, hashes);
  if (Buffer.byteLength(text) <= largestInside.text) return { text };
  return { hash: folder.put(Buffer.from(text)) };
}

/** The value passed to `carry`; a picture that occurs several times is one object. Errors: `missing`, `data`. */
export async function carried<T>(folder: SharedFolder, held: Json): Promise<T> {
  const { text, hash } = (held ?? {}) as { readonly text?: unknown; readonly hash?: unknown };
  if (typeof text === 'string') return fromJson<T>(folder, text);
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) return unreadable({ $: hash });
  return fromJson<T>(folder, await storedText(folder, hash));
}

/**
 * The value as JSON, equal for equal values; names keep their order. Pictures that were not stored stay bytes. Errors:
 * those of the folder.
 */
export function exactJson(
  folder: SharedFolder,
  value: unknown,
  hashes: StoredHashes = new WeakMap(),
): string {
  return jsonOf(value, (each) => sent(folder, each, hashes) ?? each);
}

/** JSON with each value as `form` gives it; bytes of Node's come to it as bytes, not as their own JSON. */
function jsonOf(value: unknown, form: (each: unknown) => unknown): string {
  return JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, name, each: unknown) {
    const own = this[name];
    return form(ArrayBuffer.isView(own) ? own : each);
  });
}

function sent(folder: SharedFolder, value: unknown, hashes: StoredHashes): Sent | null {
  if (typeof value === 'number')
    return Number.isFinite(value) && !Object.is(value, -0)
      ? null
      : { $: 'number', is: Object.is(value, -0) ? '-0' : String(value) };
  if (isFrame(value) && hashes.has(value)) return { $: 'Frame', hash: hashes.get(value)! };
  if (isFeatures(value)) {
    const hash = hashes.get(value.data) ?? folder.put(bytesOf(value.data));
    hashes.set(value.data, hash);
    return { $: 'Features', key: value.key, hash };
  }
  if (!ArrayBuffer.isView(value)) return isMarked(value) ? { $: 'object', entries: entriesOf(value) } : null;
  // Node's are a kind of their own
  const $ = value instanceof Uint8Array ? 'Uint8Array' : (value.constructor.name as keyof typeof arrayTypes);
  const bytes = bytesOf(value);
  if (!Object.hasOwn(arrayTypes, $)) throw new EmacError('internal', `between processes: an array is a ${$}`);
  return bytes.byteLength > largestInside.array
    ? { $, hash: folder.put(bytes) }
    : { $, base64: Buffer.from(bytes).toString('base64') };
}

/** The value of `exactJson`. Errors: `missing`, `data`. */
export async function fromJson<T>(folder: SharedFolder, text: string): Promise<T> {
  const [frames, bytes] = [new Map<string, Frame>(), new Map<string, Uint8Array>()];
  const named = new Map<string, Sent & { readonly hash: string }>();
  parsed(text, (_, each: unknown) => {
    if (isSent(each) && 'hash' in each) named.set(`${each.$ === 'Frame'} ${each.hash}`, each);
    return each;
  });
  let left = largestRead.arrays;
  for (const { $, hash } of named.values()) {
    const found = await patiently(folder, () => folder.get(hash, left));
    const frame = $ === 'Frame' ? await decodeImage(found) : null;
    if (frame) frames.set(hash, frame);
    else bytes.set(hash, found);
    left -= (frame?.data ?? found).length;
    if (left < 0)
      throw new EmacError('data', `between processes: a value has more than ${largestRead.arrays} bytes`);
  }
  const features = new Map<string, Features>();
  return parsed(text, (_, each: unknown) => {
    if (!isSent(each)) return each;
    if (each.$ === 'number') return Number(each.is);
    if (each.$ === 'object')
      return Array.isArray(each.entries) ? Object.fromEntries(each.entries) : unreadable(each);
    if (each.$ === 'Frame') return frames.get(each.hash) ?? unreadable(each);
    const found = 'hash' in each ? bytes.get(each.hash) : Buffer.from(String(each.base64), 'base64');
    // arrays that are equal stay apart: whoever reads one may change it
    if (each.$ !== 'Features') return arrayOf(each, found);
    const { key, hash } = each;
    const known = features.get(`${key} ${hash}`);
    const one = known ?? { key, data: arrayOf({ $: 'Float32Array' }, found) as Float32Array };
    features.set(`${key} ${hash}`, one);
    return one;
  }) as T;
}

function parsed(text: string, revive: (name: string, each: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, revive);
  } catch (thrown) {
    if (thrown instanceof EmacError) throw thrown;
    throw new EmacError('data', `between processes: ${messageOf(thrown)}; another program wrote it`, {
      cause: thrown,
    });
  }
}

function arrayOf({ $ }: { readonly $: string }, bytes: Uint8Array | undefined) {
  const type = Object.hasOwn(arrayTypes, $) ? arrayTypes[$ as keyof typeof arrayTypes] : null;
  if (!type || !bytes || bytes.byteLength % type.BYTES_PER_ELEMENT !== 0) return unreadable({ $ });
  return new type(copied(bytes));
}

function unreadable({ $ }: { readonly $: unknown }): never {
  throw new EmacError('data', `between processes: ${JSON.stringify($)} is no value, or not whole`);
}

function isSent(value: unknown): value is Sent {
  return typeof value === 'object' && value !== null && '$' in value;
}

function isMarked(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, '$');
}

function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, each]) => each !== undefined);
}

/** A picture and nothing else: an object that merely looks like one keeps all it has. */
function isFrame(value: unknown): value is Frame {
  const { width, height, data } = (value ?? {}) as Partial<Frame>;
  return (
    data instanceof Uint8Array &&
    typeof width === 'number' &&
    typeof height === 'number' &&
    data.length === 3 * width * height &&
    data.length > 0 &&
    Object.keys(value as Frame).length === 3
  );
}

function isFeatures(value: unknown): value is Features {
  const { key, data } = (value ?? {}) as Partial<Features>;
  return (
    data instanceof Float32Array && typeof key === 'string' && Object.keys(value as Features).length === 2
  );
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** A copy, aligned for every array type. */
function copied(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

/** A text from the shared folder. Errors: `missing`, `data`. */
export async function storedText(folder: SharedFolder, hash: string): Promise<string> {
  const bytes = await patiently(folder, () => folder.get(hash, largestRead.text));
  return Buffer.from(bytes).toString('utf8');
}

/** A handle of a file that was replaced, and content that has not come yet. */
const passing = new Set(['ESTALE', 'EBADMSG']);

/**
 * Calls `read`, and retries while its file is missing, its handle is stale or its content is another: other machines see a new file
 * late, hold on to one that was replaced, or still see its old size (NFS). Errors: `missing` if the file does not appear; those of `read`.
 */
export async function patiently<T>({ timers }: Pick<SharedFolder, 'timers'>, read: () => T): Promise<T> {
  for (const wait of looks)
    try {
      return read();
    } catch (thrown) {
      if (!(thrown instanceof EmacError)) throw thrown;
      if (thrown.code !== 'missing' && !passing.has(errnoOf(thrown.cause))) throw thrown;
      await pause(timers, wait);
    }
  return read();
}
