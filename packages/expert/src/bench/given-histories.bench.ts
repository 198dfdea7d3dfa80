/** Histories to label, as in a data set: games with a number of steps, and a request per step. */
import type { LabelRequest, Turn } from '@emac/core';

/** `games` × `steps` requests, all different; the request at step s has s earlier turns. */
export function givenHistories({ games, steps }: { games: number; steps: number }): LabelRequest[] {
  return Array.from({ length: games * steps }, (_, index) =>
    request(Math.floor(index / steps), index % steps),
  );
}

function request(game: number, steps: number): LabelRequest {
  const places = Array.from({ length: 12 }, (_, index) => `a drawer ${index + 1 + (game % 7)}`);
  return {
    task: { id: `pick_and_place_simple-Pen-None-Desk-${game}/trial_${game}`, type: 'pick_and_place_simple' },
    admissible: null,
    memories: [],
    history: {
      initial: `-= Welcome =-\n\nYou are in the middle of a room ${game}. Looking quickly around you, you see ${places.join(', ')}.\n\nYour task is to: put some pen in desk.`,
      turns: Array.from({ length: steps }, (_, step) => turn(game, step)),
    },
  };
}

function turn(game: number, step: number): Turn {
  const place = `drawer ${1 + ((game + step) % 12)}`;
  return { command: `go to ${place}`, observation: `You arrive at ${place}. The ${place} is closed.` };
}
