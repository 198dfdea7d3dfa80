/** The page of a training or collection that asks a person, from the server that it came from. */
import { render } from 'preact';
import { Frame } from '../components/frame.tsx';
import type { TeachPlace } from '../data/taught.ts';
import { httpPlace, takenToken } from '../played/http-place.ts';
import { TeachPage } from '../played/teach-page.tsx';

const place: TeachPlace = httpPlace('/teach', takenToken());
render(
  <Frame home={null} trail="label states">
    <TeachPage place={place} />
  </Frame>,
  document.getElementById('page')!,
);
