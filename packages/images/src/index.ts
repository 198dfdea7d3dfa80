export { decodeImage } from './decode.ts';
export { encodeJpeg, encodePng } from './encode.ts';
export { encodeFilm } from './film.ts';
export type { FilmOptions, Scene } from './film.ts';
