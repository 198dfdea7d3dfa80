export { rotate180 } from './images/frames.ts';
export { throughJpeg } from './images/jpeg/through-jpeg.ts';
export { resizeLanczos } from './images/resize.ts';
export type { Size } from './images/resize.ts';
export { cropCentre } from './images/crop.ts';
export {
  imageNetPixels,
  normalizedPixels,
  roundedImageNetPixels,
  siglipPixels,
} from './images/normalize.ts';
export type { PixelNormalization } from './images/normalize.ts';
export { preparedPicture } from './images/prepare.ts';
export type { PreparationOptions } from './images/prepare.ts';
