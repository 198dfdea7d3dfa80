/** The training games of rl-tiny, each with an expert, prompts, and a perfect player's answers. */

import { scriptedPlayer, type ScriptedPlayer } from '@emac/opening';
export type Game = ScriptedPlayer;

export function openGame(id: string): Game {
  return scriptedPlayer(id, { maxSteps: null, palette: 'true' });
}
