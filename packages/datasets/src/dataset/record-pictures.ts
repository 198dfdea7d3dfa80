/**
 * The pictures of a record, as people write them: a file's name, a data URL or the base64 text of a PNG or JPEG file, `{bytes, path}` as datasets and
 * pyarrow store it; one as `image`, several as `images`, or each in its place in the messages (`{"type": "image", "image": …}` or `image_url`).
 */
import type { SpokenMessage, SpokenPart } from '@emac/backbone';
import { EmacError } from '@emac/core';
import type { Said } from './data-forms.ts';

/** A picture of a record: a file's name, or the file's bytes in base64. */
export interface PictureSource {
  /** where it stands in the record, for messages */
  readonly field: string;
  readonly file: string | null;
  readonly base64: string | null;
}

/** Pictures beside the messages or in them. Errors: `data` naming the place and the field. */
export function recordPictures(
  fields: Readonly<Record<string, unknown>>,
  said: readonly Said[],
  place: string,
): readonly PictureSource[] {
  const { image, images } = fields;
  const beside = [
    ...(isGiven(image) ? [source(image, 'image', place)] : []),
    ...listOf(images, place).map((each, number) => source(each, `images[${number}]`, place)),
  ];
  if (isGiven(image) && beside.length > 1)
    throw refusal(place, 'images', 'image stands beside it; name all pictures in one of them');
  const within = said.flatMap(partsOf).flatMap((part, number) => {
    const given = givenIn(part);
    return given === undefined ? [] : [source(given, `picture ${number} of the messages`, place)];
  });
  if (beside.length > 0 && within.length > 0)
    throw refusal(place, 'messages', 'hold pictures, and others stand beside them; name all in one way');
  return [...beside, ...within];
}

/** The parts of messages that stand for pictures. */
export function partsOf(said: Said): readonly SpokenPart[] {
  if (typeof said === 'string') return [];
  return said.flatMap(({ content }) =>
    typeof content === 'string' ? [] : (content ?? []).filter(({ type }) => isPicture(type)),
  );
}

/** Messages in which every picture has its place: where none has, before the first text of the user. */
export function withPlaces(messages: readonly SpokenMessage[], pictures: number): readonly SpokenMessage[] {
  const plain = messages.map(withPlainPlaces);
  if (pictures === 0 || partsOf(plain).length > 0) return plain;
  const first = plain.findIndex(({ role }) => role === 'user');
  return plain.map((message, at) => {
    if (at !== first) return message;
    const { content } = message;
    const texts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
    return {
      ...message,
      content: [...Array.from({ length: pictures }, () => ({ type: 'image' })), ...texts],
    };
  });
}

function isPicture(type: string): boolean {
  return type === 'image' || type === 'image_url';
}

/** Templates look for the type, and some for other fields, which hold a picture here. */
function withPlainPlaces(message: SpokenMessage): SpokenMessage {
  const { content } = message;
  if (typeof content === 'string' || !content?.some(({ type }) => isPicture(type))) return message;
  return { ...message, content: content.map((part) => (isPicture(part.type) ? { type: 'image' } : part)) };
}

/** The picture in a part; undefined for a place alone. */
function givenIn(part: SpokenPart): unknown {
  const { image, url, path, base64, image_url: address } = part;
  const inner = typeof address === 'object' && address !== null && 'url' in address ? address.url : address;
  return [image, path, url, inner, isGiven(base64) ? { bytes: base64 } : undefined].find(isGiven);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function listOf(images: unknown, place: string): readonly unknown[] {
  if (!isGiven(images)) return [];
  if (Array.isArray(images)) return images;
  throw refusal(place, 'images', 'must be a list of pictures');
}

const encoded = /^[A-Za-z0-9+/\s]+={0,2}\s*$/;
/** how the base64 text of a PNG or JPEG file begins */
const fileBeginning = /^(iVBORw0KGgo|\/9j\/)/;

function source(given: unknown, field: string, place: string): PictureSource {
  if (typeof given === 'string') return textSource(given, field, place);
  if (typeof given === 'object' && given !== null) {
    const { bytes, path } = given as { readonly bytes?: unknown; readonly path?: unknown };
    if (typeof bytes === 'string') return inBase64(bytes.replace(/^data:[^,]*,/, ''), field, place);
    if (!isGiven(bytes) && typeof path === 'string') return textSource(path, field, place);
  }
  throw refusal(place, field, "must be a file's name, a data URL, base64 or {bytes, path}");
}

function textSource(text: string, field: string, place: string): PictureSource {
  const [, head] = /^data:([^,]*),/.exec(text) ?? [];
  if (head !== undefined) {
    if (!head.endsWith(';base64'))
      throw refusal(place, field, 'must be in base64, as data:image/png;base64,…');
    return inBase64(text.slice(head.length + 'data:,'.length), field, place);
  }
  if (fileBeginning.test(text) && encoded.test(text)) return inBase64(text, field, place);
  if (/^https?:/.test(text))
    throw refusal(place, field, `is an address (${text}); save the picture and name its file`);
  if (text === '') throw refusal(place, field, 'must name a file');
  return { field, file: text.replace(/^file:\/\//, ''), base64: null };
}

function inBase64(text: string, field: string, place: string): PictureSource {
  if (encoded.test(text)) return { field, file: null, base64: text };
  throw refusal(place, field, 'must be base64');
}

function refusal(place: string, field: string, rule: string): EmacError {
  return new EmacError('data', `${place}: ${field}: ${rule}`);
}
