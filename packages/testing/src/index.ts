export { bagOfWords, blank, numbersOf } from './bag-of-words.ts';
export type { BagOfWords } from './bag-of-words.ts';
export { commands, fetching, fetchExpert, fetchTexts, taskIds } from './fetching.ts';
export type { Fetching } from './fetching.ts';
export { corridor } from './corridor.ts';
export type { CorridorOptions } from './corridor.ts';
export { numberedPrompt, tokenTable } from './token-table.ts';
export type { TokenTable, TokenTableOptions } from './token-table.ts';
export { alsoLong, isLong } from './long.ts';
