/** The games that rl-tiny is shown, each with an expert, prompts, and answers of a player who sees right. */

import { scriptedPlayer, type ScriptedPlayer } from '@emac/opening';
export type Game = ScriptedPlayer;

export function openGame(id: string): Game {
  return scriptedPlayer(id, { maxSteps: null, palette: 'true' });
}
