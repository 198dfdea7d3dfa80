import type { Session } from '@emac/graph';

/** The part of a session used to read and continue prompts. */
export type ReadingSession = Pick<Session, 'runKeeping' | 'release' | 'dispose'>;
