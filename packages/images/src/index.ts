export { decodeImage, imageFormat } from './decode.ts';
export type { ImageLimits } from './decode.ts';
export { encodeJpeg, encodePng } from './encode.ts';
