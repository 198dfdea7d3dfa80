export { decodeImage } from './decode.ts';
export { encodeJpeg, encodePng } from './encode.ts';
