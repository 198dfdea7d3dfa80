export { NumpyRandom } from './numpy-random.ts';
export type { NumpyRandomState } from './numpy-random.ts';
export { MersenneTwister } from './mersenne-twister.ts';
