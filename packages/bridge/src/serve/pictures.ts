/** Pictures from data URLs. The server fetches nothing, and allocates no memory for a picture's claimed size alone. */
import { EmacError, type Frame } from '@emac/core';
import { decodeImage } from '@emac/images';
import { gate } from './gate.ts';
import { wrongField } from './refused-request.ts';

/** bytes compressed, and width × height; and pictures per question */
const limits = { bytes: 8 * 1024 * 1024, pixels: 4_000_000 };
export const mostPictures = 4;

/** decoded at the same time: a picture within the limits takes 12 MB */
const decoding = gate(4);

/** The frames in data URLs of PNG or JPEG pictures; `param` names the request field. */
export async function framesOf(urls: readonly string[], param: string): Promise<Frame[]> {
  if (urls.length > mostPictures)
    throw wrongField(param, `${param}: may have ${mostPictures} pictures, got ${urls.length}`);
  return Promise.all(urls.map((url) => decoding(() => frameOf(url, param))));
}

async function frameOf(url: string, param: string): Promise<Frame> {
  const [head] = /^data:image\/(?:png|jpe?g);base64,/i.exec(url.slice(0, 40)) ?? [];
  if (head === undefined)
    throw wrongField(
      param,
      `${param}: pictures must be data URLs of PNG or JPEG (data:image/png;base64,…); nothing is fetched`,
    );
  try {
    return await decodeImage(Buffer.from(url.slice(head.length), 'base64'), limits);
  } catch (thrown) {
    // not the client's fault if the library is missing
    if (thrown instanceof EmacError && thrown.code === 'data')
      throw wrongField(param, `${param}: ${thrown.message}`);
    throw thrown;
  }
}
