/** All faults that are seeded. */
import type { Fault } from './fault.ts';
import { learning } from './list/learning.ts';
import { lives } from './list/lives.ts';
import { networks } from './list/networks.ts';
import { storage } from './list/storage.ts';
import { worlds } from './list/worlds.ts';

export const faults: readonly Fault[] = [...learning, ...storage, ...networks, ...worlds, ...lives];
