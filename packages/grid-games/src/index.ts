export { frozenLakeKind } from './frozen-lake/kind.ts';
export { frozenLake } from './frozen-lake/frozen-lake.ts';
export type { FrozenLake, FrozenLakeOptions, FrozenLakeState } from './frozen-lake/frozen-lake.ts';
export type { LakeMap } from './frozen-lake/lake-map.ts';
export { frozenLakeIds } from './frozen-lake/variant.ts';
