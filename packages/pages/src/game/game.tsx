/** The page of a game, from the server that it came from. */
import { render } from 'preact';
import { Frame } from '../components/frame.tsx';
import type { GamePlace } from '../data/played.ts';
import { GamePage } from '../played/game-page.tsx';
import { httpPlace, takenFrom, takenToken } from '../played/http-place.ts';

const from = takenFrom();
const place: GamePlace = httpPlace('/game', takenToken());
render(
  <Frame
    home={null}
    trail="play beside a policy"
    back={from === null ? null : { address: from, name: 'back to the board' }}
  >
    <GamePage place={place} />
  </Frame>,
  document.getElementById('page')!,
);
