export { actionWords, miniGrid } from './minigrid.ts';
export type { MiniGrid, MiniGridObservation, MiniGridOptions } from './minigrid.ts';
export { miniGridIds, publishedId } from './catalogue.ts';
export type { MiniGridState } from './state.ts';
export type { Palette } from './frame/tile.ts';
export { solve } from './solve.ts';
export { miniGridPrompt, offeredActions } from './prompts.ts';
export type { PromptOptions } from './prompts.ts';
