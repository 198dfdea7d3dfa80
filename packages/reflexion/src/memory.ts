/**
 * Lessons by game. The published code keys them by slot number, and as the game in a slot changes, lessons end up with
 * other games; here the key is the game id. All lessons are kept, the newest three are shown.
 */
import { EmacError } from '@emac/core';
import { memoryWindow } from '@emac/prompt';

/** What `serialise` gives: JSON data, games sorted by id. */
export interface MemoryState {
  readonly v: 1;
  readonly games: readonly { readonly id: string; readonly lessons: readonly string[] }[];
}

export interface Memory {
  /** adds a lesson for a game; empty lessons are left out */
  add(gameId: string, lesson: string): void;
  /** the last lessons for a game, oldest first; default three */
  last(gameId: string, count?: number): readonly string[];
  serialise(): MemoryState;
}

/** A memory, empty or as serialised before; throws EmacError('data') for anything else. */
export function createMemory(state?: unknown): Memory {
  const games = new Map<string, string[]>(state === undefined ? [] : entriesOf(state));
  return {
    add(gameId, lesson) {
      const line = lesson.trim();
      if (line !== '') games.set(gameId, [...(games.get(gameId) ?? []), line]);
    },
    last(gameId, count = memoryWindow) {
      return count > 0 ? (games.get(gameId) ?? []).slice(-count) : [];
    },
    serialise() {
      const ids = [...games.keys()].sort();
      return { v: 1, games: ids.map((id) => ({ id, lessons: [...games.get(id)!] })) };
    },
  };
}

function entriesOf(state: unknown): [string, string[]][] {
  if (!isRecord(state) || state.v !== 1 || !Array.isArray(state.games))
    throw damaged('needs { v: 1, games: […] }');
  const entries = state.games.map((game: unknown): [string, string[]] => {
    if (!isRecord(game) || typeof game.id !== 'string') throw damaged('a game has no id');
    const { id, lessons } = game;
    if (!Array.isArray(lessons) || !lessons.every((lesson) => typeof lesson === 'string'))
      throw damaged(`the lessons of ${id} are not a list of texts`);
    return [id, [...lessons]];
  });
  if (new Set(entries.map(([id]) => id)).size !== entries.length) throw damaged('a game is there twice');
  return entries;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function damaged(reason: string): EmacError {
  return new EmacError(
    'data',
    `createMemory: the stored memory is damaged: ${reason}; restore it from a checkpoint`,
  );
}
