export { board } from './board.ts';
export type { BoardOptions } from './board.ts';
export { serveBoard } from './serve.ts';
export type { ServedBoard } from './serve.ts';
