/**
 * One picture per receptacle class, 64 × 56 units. Classes that open have an open variant, and a fixed one for
 * those instances that cannot be opened and whose contents can always be seen.
 */
import { readPicture } from './picture.ts';
import type { Picture } from './picture.ts';

const cabinetBody = 'box 8 3 48 50 walnut; box 11 6 42 44 ';
const drawerBody = 'box 6 12 52 34 walnut; ';

const texts = {
  armchair:
    'box 14 8 36 28 forest; box 18 12 28 18 green; box 6 22 12 26 forest; box 46 22 12 26 forest; box 16 32 32 10 lime; box 8 48 6 6 walnut; box 50 48 6 6 walnut',
  bathtubbasin:
    'poly 3 20 61 20 53 48 11 48 white; box 1 16 62 7 silver; oval 32 21 24 3 cyan; box 12 48 7 5 slate; box 45 48 7 5 slate; line 10 16 10 5 4 grey; line 9 6 20 6 4 grey',
  bed: 'box 2 8 6 44 walnut; box 4 26 58 14 blue; box 8 18 18 12 white; box 26 22 36 12 sky; box 56 36 6 16 walnut; box 4 38 58 6 brown',
  cabinet: `${cabinetBody}oak; box 14 9 17 38 brown; box 33 9 17 38 brown; box 27 24 2.5 8 gold; box 35 24 2.5 8 gold`,
  'cabinet open': `${cabinetBody}black; box 11 26 42 3 oak; poly 8 3 0 7 0 56 8 53 oak; poly 56 3 64 7 64 56 56 53 oak; box 13 9 38 15 ink; box 13 31 38 16 ink`,
  'cabinet fixed': `${cabinetBody}tan; box 14 9 36 17 cream; box 14 29 36 18 cream; box 11 26 42 3 oak`,
  cart: 'box 8 12 48 5 cyan; box 8 28 48 5 cyan; box 8 42 48 5 cyan; box 8 8 4 40 slate; box 52 8 4 40 slate; oval 12 51 4 4 black; oval 52 51 4 4 black',
  coffeemachine:
    'box 14 4 36 48 black; box 18 8 28 10 slate; oval 40 13 3 3 red; box 20 22 24 22 silver; poly 26 30 38 30 36 42 28 42 walnut; box 29 20 6 6 ink; box 12 46 40 7 ink',
  coffeetable:
    'oval 32 24 30 9 oak; oval 32 22 30 9 tan; line 12 28 8 50 5 walnut; line 52 28 56 50 5 walnut; box 22 30 20 4 brown',
  countertop:
    'box 0 16 64 8 silver; box 0 24 64 4 grey; box 2 28 60 26 teal; box 6 32 24 18 mint; box 34 32 24 18 mint; line 26 40 26 44 2 slate; line 38 40 38 44 2 slate',
  desk: 'box 2 16 60 7 brown; box 4 23 18 30 oak; box 6 26 14 8 tan; box 6 37 14 8 tan; box 54 23 6 30 oak; box 30 6 14 10 slate; box 32 8 10 6 cyan',
  diningtable:
    'box 0 18 64 8 brick; box 0 24 64 4 walnut; line 8 28 6 54 5 brick; line 56 28 58 54 5 brick; oval 32 15 12 4 white; oval 32 14.5 7 2 sky',
  drawer: `${drawerBody}box 9 15 46 28 tan; box 12 18 40 22 oak; box 24 27 16 4 gold`,
  'drawer open': `${drawerBody}box 9 15 46 12 black; poly 9 26 55 26 60 52 4 52 tan; poly 12 28 52 28 55 38 9 38 ink; box 24 44 16 4 gold`,
  'drawer fixed': `${drawerBody}box 9 15 46 28 cream; poly 12 18 52 18 48 40 16 40 tan; box 12 18 40 4 oak`,
  dresser:
    'box 6 6 52 46 magenta; box 10 10 21 11 pink; box 33 10 21 11 pink; box 10 24 44 11 pink; box 10 38 44 11 pink; oval 20 15 2 2 crimson; oval 44 15 2 2 crimson; oval 32 29 2 2 crimson; oval 32 43 2 2 crimson',
  fridge:
    'box 14 0 36 56 silver; box 16 2 32 18 white; box 16 22 32 32 white; box 42 8 3 8 slate; box 42 26 3 14 slate',
  'fridge open':
    'box 14 0 36 56 silver; box 17 3 30 50 sky; box 17 18 30 2.5 white; box 17 34 30 2.5 white; poly 50 0 63 5 63 56 50 56 white; box 54 24 3 14 slate; oval 32 8 6 3 yellow',
  'fridge fixed':
    'box 14 0 36 56 silver; box 17 3 30 50 glass; box 17 18 30 2.5 white; box 17 34 30 2.5 white',
  garbagecan:
    'poly 14 14 50 14 45 54 19 54 slate; box 11 9 42 6 ink; box 26 5 12 4 ink; line 25 19 27 49 2.5 grey; line 32 19 32 49 2.5 grey; line 39 19 37 49 2.5 grey',
  handtowelholder:
    'box 12 14 40 5 grey; oval 12 16 4 4 slate; oval 52 16 4 4 slate; box 20 17 24 30 cream; box 20 38 24 3 orange; box 20 43 24 4 amber',
  laundryhamper:
    'poly 12 12 52 12 48 54 16 54 tan; box 10 8 44 6 oak; line 16 24 48 24 2 brown; line 17 34 47 34 2 brown; line 18 44 46 44 2 brown; line 26 12 28 54 2 brown; line 38 12 36 54 2 brown',
  microwave:
    'box 4 12 56 34 ink; box 8 16 36 26 slate; box 11 19 30 20 black; box 47 16 10 26 grey; box 48.5 18 7 5 lime; oval 52 29 2 2 white; oval 52 36 2 2 white',
  'microwave open':
    'box 4 12 56 34 ink; box 8 16 36 26 amber; oval 26 38 15 3 white; box 47 16 10 26 grey; box 48.5 18 7 5 red; poly 8 12 0 6 0 54 8 46 slate',
  'microwave fixed': 'box 4 12 56 34 ink; box 8 16 36 26 cream; oval 26 38 15 3 white; box 47 16 10 26 grey',
  ottoman:
    'oval 32 22 26 8 rose; box 6 22 52 20 rose; oval 32 20 24 6 pink; box 6 38 52 5 crimson; box 10 43 6 9 walnut; box 48 43 6 9 walnut',
  paintinghanger:
    'line 32 6 14 24 2 slate; line 32 6 50 24 2 slate; oval 32 6 3 3 gold; box 10 24 44 26 gold; box 14 28 36 18 sky',
  safe: 'box 8 6 48 44 slate; box 12 10 40 36 grey; oval 32 28 10 10 ink; oval 32 28 7 7 silver; line 32 28 32 21 2 red; box 46 22 3 12 black; box 12 50 8 5 ink; box 44 50 8 5 ink',
  'safe open':
    'box 8 6 48 44 slate; box 12 10 40 36 black; box 12 28 40 2 grey; poly 8 6 0 2 0 56 8 50 grey; oval 4 29 3 6 silver; box 12 50 8 5 ink; box 44 50 8 5 ink',
  'safe fixed':
    'box 8 6 48 44 slate; box 12 10 40 36 lilac; box 12 28 40 2 grey; box 12 50 8 5 ink; box 44 50 8 5 ink',
  shelf:
    'box 2 12 60 5 oak; box 2 40 60 5 oak; line 8 17 14 26 3 walnut; line 56 17 50 26 3 walnut; line 8 45 14 54 3 walnut; line 56 45 50 54 3 walnut',
  sidetable:
    'box 14 10 36 6 amber; box 18 16 28 14 gold; oval 32 23 2 2 walnut; line 20 30 17 54 4 gold; line 44 30 47 54 4 gold',
  sinkbasin:
    'box 0 24 64 6 grey; poly 8 26 56 26 50 46 14 46 silver; oval 32 28 22 3 blue; line 32 24 32 8 5 slate; line 31 9 44 9 5 slate; oval 44 16 2 4 cyan; oval 22 18 3 2.5 red; oval 50 20 3 2.5 blue',
  sofa: 'box 6 10 52 24 brick; box 2 20 10 26 crimson; box 52 20 10 26 crimson; box 12 28 19 12 orange; box 33 28 19 12 orange; box 6 40 52 8 brick; box 6 48 6 6 walnut; box 52 48 6 6 walnut',
  stoveburner:
    'box 4 6 56 44 ink; oval 32 28 21 18 grey; oval 32 28 17 14.5 black; oval 32 28 13 11 red; oval 32 28 9 7.5 black; oval 32 28 5 4 orange',
  tvstand:
    'box 2 34 60 16 walnut; box 6 38 24 8 black; box 34 38 24 8 black; box 12 6 40 24 slate; box 15 9 34 18 navy; box 28 30 8 4 slate; box 6 50 5 5 black; box 53 50 5 5 black',
  toaster:
    'box 8 18 48 30 red; oval 12 20 5 5 red; oval 52 20 5 5 red; box 16 12 12 10 oak; box 36 12 12 10 oak; box 14 18 16 3 black; box 34 18 16 3 black; box 56 28 6 4 black; box 8 46 48 4 crimson',
  toilet:
    'box 18 2 28 18 silver; box 20 4 24 14 white; oval 32 30 19 9 silver; oval 32 29 15 6.5 white; oval 32 29 11 4 cyan; poly 20 36 44 36 40 54 24 54 white; box 39 7 4 3 gold',
  toiletpaperhanger:
    'line 10 14 10 28 4 slate; line 10 28 40 28 4 slate; oval 10 12 6 5 grey; box 18 16 26 24 white; oval 44 28 7 12 cream; oval 44 28 3 5 tan; box 18 28 9 24 white; box 18 44 9 1 silver',
  towelholder:
    'box 2 10 60 4 gold; oval 4 12 4 4 oak; oval 60 12 4 4 oak; box 10 12 44 38 sky; box 10 18 44 4 white; box 10 40 44 4 white; box 10 47 44 5 blue',
} as const;

const pictures: ReadonlyMap<string, Picture> = new Map(
  Object.entries(texts).map(([name, text]) => [name, readPicture(text)]),
);

const unknown: Picture = readPicture('box 6 14 52 38 slate; box 10 18 44 30 silver; box 10 32 44 3 slate');

/** The picture of a receptacle class in one of its three states; classes that never open have only one. */
export function receptaclePicture(name: string, state: 'closed' | 'open' | 'fixed'): Picture {
  return (state === 'closed' ? undefined : pictures.get(`${name} ${state}`)) ?? pictures.get(name) ?? unknown;
}

/** The classes with their own picture. */
export const drawnReceptacles: readonly string[] = Object.keys(texts).filter((name) => !name.includes(' '));
