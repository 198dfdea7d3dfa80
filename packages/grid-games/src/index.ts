export { frozenLakeKind } from './frozen-lake/kind.ts';
export { frozenLake } from './frozen-lake/frozen-lake.ts';
export type { FrozenLake, FrozenLakeOptions, FrozenLakeState } from './frozen-lake/frozen-lake.ts';
export type { LakeMap } from './frozen-lake/lake-map.ts';
export { frozenLakeIds } from './frozen-lake/variant.ts';
export { sokobanKind } from './sokoban/kind.ts';
export { sokoban } from './sokoban/sokoban.ts';
export type { Sokoban, SokobanOptions, SokobanState } from './sokoban/sokoban.ts';
export { sokobanIds } from './sokoban/variant.ts';
