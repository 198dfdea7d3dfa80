/** Every kind of environments that a run, an evaluation or a collection can name. A new one is one line here. */
import type { EnvironmentKind } from '@emac/core';
import { frozenLakeKind, sokobanKind } from '@emac/grid-games';
import { gymCardsKind } from '@emac/gym-cards';
import { miniGridKind } from '@emac/minigrid';
import { tabletopKind } from '@emac/tabletop';
import { lewisKind } from '../lewis/lewis-kind.ts';
import { alfworldKind } from './alfworld-kind.ts';
import { liberoKind, remoteEnvironments } from './kinds-elsewhere.ts';
import { openEnvKind } from './openenv-kind.ts';

export const kinds: readonly EnvironmentKind[] = [
  alfworldKind,
  gymCardsKind,
  miniGridKind,
  frozenLakeKind,
  sokobanKind,
  tabletopKind,
  lewisKind,
  liberoKind,
  remoteEnvironments,
  openEnvKind,
];
