/** The page of a training that asks a person, from the server that it came from. */
import { render } from 'preact';
import type { TeachPlace } from '../data/taught.ts';
import { httpPlace, takenToken } from '../played/http-place.ts';
import { TeachPage } from '../played/teach-page.tsx';

const place: TeachPlace = httpPlace('/teach', takenToken());
render(
  <main class="bare">
    <TeachPage place={place} />
  </main>,
  document.getElementById('page')!,
);
