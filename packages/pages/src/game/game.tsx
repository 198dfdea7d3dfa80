/** The page of a game, from the server that it came from. */
import { render } from 'preact';
import type { GamePlace } from '../data/played.ts';
import { GamePage } from '../played/game-page.tsx';
import { httpPlace, takenToken } from '../played/http-place.ts';

const place: GamePlace = httpPlace('/game', takenToken());
render(
  <main class="bare">
    <GamePage place={place} />
  </main>,
  document.getElementById('page')!,
);
