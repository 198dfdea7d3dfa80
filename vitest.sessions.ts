import { keepSessions } from '@emac/graph';

// tests of a file open the same few networks again and again
keepSessions(64);
