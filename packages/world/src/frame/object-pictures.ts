/** One picture per object class, 32 × 32 units: each its own outline and colours. */
import { readPicture } from './picture.ts';
import type { Picture } from './picture.ts';

const texts = {
  alarmclock:
    'oval 8 8 4 4 gold; oval 24 8 4 4 gold; oval 16 18 12 12 red; oval 16 18 9 9 white; line 16 18 16 11 2 black; line 16 18 21 20 2 black; line 8 28 6 31 3 slate; line 24 28 26 31 3 slate',
  apple:
    'oval 12 19 9 11 red; oval 20 19 9 11 red; oval 10 15 3 4 pink; line 16 10 17 4 2 walnut; oval 22 6 5 2.5 green',
  baseballbat: 'line 5 28 20 12 4 tan; line 16 16 28 4 8 oak; oval 5 28 3 3 walnut',
  basketball:
    'oval 16 16 13 13 orange; line 3 16 29 16 2 walnut; line 16 3 16 29 2 walnut; line 6 7 26 25 1.5 walnut',
  bathtub:
    'poly 1 12 31 12 27 26 5 26 white; box 0 10 32 4 silver; box 6 26 4 3 slate; box 22 26 4 3 slate; line 5 10 5 3 2.5 grey; line 5 4 10 4 2.5 grey',
  book: 'box 5 5 22 23 navy; box 8 5 19 20 blue; box 8 25 19 3 white; box 12 9 11 3 gold; box 12 14 11 2 sky; box 12 18 7 2 sky',
  boots:
    'poly 4 3 13 3 13 20 20 24 20 29 4 29 walnut; poly 17 3 26 3 26 20 31 24 31 29 17 29 brown; box 4 28 27 2 black',
  bowl: 'poly 2 12 30 12 24 26 8 26 teal; oval 16 12 14 4 mint; oval 16 12 11 2.5 forest; box 10 26 12 3 teal',
  box: 'box 3 12 26 17 oak; poly 3 12 16 15 16 29 3 29 tan; poly 3 12 0 5 14 8 16 15 tan; poly 29 12 32 5 18 8 16 15 brown; line 16 15 16 29 1.5 walnut',
  bread:
    'box 4 14 24 14 oak; oval 10 13 7 7 brown; oval 22 13 7 7 brown; oval 16 12 8 7 brown; box 6 15 20 11 tan; line 10 10 13 14 2 cream; line 16 9 19 13 2 cream',
  butterknife:
    'poly 14 2 19 4 19 17 14 17 silver; box 14.5 3 2 14 white; box 13 17 7 13 amber; box 13 17 7 2 slate',
  candle:
    'box 10 13 12 17 cream; box 10 13 4 17 white; oval 16 13 6 2 tan; line 16 13 16 9 1.5 black; oval 16 6 3.5 5 orange; oval 16 7 1.7 3 yellow; box 8 28 16 3 gold',
  cd: 'oval 16 16 14 14 silver; poly 16 16 30 12 29 21 lilac; poly 16 16 2 12 3 21 cyan; poly 16 16 12 2 20 2 mint; oval 16 16 5 5 white; oval 16 16 2.2 2.2 slate',
  cellphone:
    'box 8 2 16 28 black; box 10 5 12 20 cyan; box 12 8 8 3 white; box 12 13 4 4 green; box 17 13 4 4 orange; oval 16 27.5 1.5 1.5 silver',
  cloth:
    'poly 3 7 22 3 29 24 9 29 mint; poly 3 7 22 3 16 14 teal; line 12 26 26 22 2 white; line 11 22 24 18 1.5 white',
  creditcard: 'box 2 7 28 19 violet; box 2 11 28 4 black; box 5 18 6 4 gold; box 14 20 13 2 lilac',
  cup: 'poly 7 5 25 5 22 28 10 28 rose; oval 16 5 9 3 pink; oval 16 5 6.5 1.8 crimson; box 9 14 14 4 white',
  curtains:
    'box 1 2 30 3 walnut; poly 3 5 14 5 10 29 3 29 crimson; poly 18 5 29 5 29 29 22 29 crimson; line 7 5 6 29 1.5 rose; line 25 5 26 29 1.5 rose',
  desklamp:
    'poly 8 14 24 14 20 4 12 4 green; box 8 14 16 2 forest; line 16 16 16 27 2.5 slate; oval 16 28 9 3 ink',
  dishsponge:
    'box 3 10 26 8 lime; box 3 18 26 7 yellow; oval 9 21 1.5 1.5 gold; oval 17 22 2 1.5 gold; oval 24 20 1.5 1.5 gold',
  egg: 'oval 16 18 10 12 tan; oval 16 18 9 11 cream; oval 12 14 3 4 white',
  floorlamp:
    'poly 9 11 23 11 20 2 12 2 amber; line 16 11 16 28 2 walnut; oval 16 29 7 2.5 walnut; line 20 11 20 15 1 gold',
  footstool:
    'box 3 10 26 8 magenta; box 3 16 26 3 violet; line 7 19 5 29 3 walnut; line 25 19 27 29 3 walnut',
  fork: 'box 14 13 4 17 grey; box 9 2 2.5 10 grey; box 14.8 2 2.5 10 grey; box 20.5 2 2.5 10 grey; poly 9 10 23 10 18 16 14 16 grey; box 14 22 4 8 blue',
  glassbottle:
    'box 13 2 6 8 cyan; poly 13 10 19 10 23 15 23 30 9 30 9 15 cyan; box 11 16 3 12 white; box 12 1 8 3 blue',
  handtowel:
    'box 5 4 22 24 orange; box 5 8 22 3 white; box 5 21 22 3 white; box 5 26 22 4 amber; line 16 4 16 28 1.2 brick',
  houseplant:
    'poly 9 20 23 20 21 30 11 30 brick; oval 9 12 6 4 green; oval 23 12 6 4 green; oval 16 7 4 7 forest; oval 12 16 5 3 lime; oval 20 16 5 3 lime; box 8 19 16 3 brown',
  kettle:
    'oval 15 20 11 10 slate; oval 15 20 8 7 grey; poly 24 17 31 10 29 20 24 24 slate; line 7 13 13 5 2.5 black; line 13 5 20 6 2.5 black; line 20 6 22 13 2.5 black; oval 15 11 3 2 red',
  keychain:
    'oval 10 10 7 7 gold; oval 10 10 4 4 white; line 14 14 27 27 3.5 gold; line 22 22 26 18 3 gold; line 25 26 29 22 3 gold; oval 20 6 4 4 red',
  knife:
    'poly 13 1 20 8 20 19 13 19 silver; poly 18 3 20 8 20 19 18 19 white; box 13 19 7 12 black; oval 16.5 23 1.2 1.2 silver; oval 16.5 27 1.2 1.2 silver',
  ladle: 'line 22 3 14 20 3 olive; oval 11 23 9 7 olive; oval 11 21 7 3.5 yellow; oval 22 4 2.5 2.5 olive',
  laptop:
    'box 5 4 22 16 slate; box 7 6 18 12 blue; box 9 8 9 2 white; box 9 12 13 2 sky; poly 5 20 27 20 31 28 1 28 silver; poly 7 22 25 22 27 25 5 25 grey',
  laundryhamperlid: 'oval 16 16 14 6 tan; oval 16 14 11 4 oak; box 13 8 6 4 walnut',
  lettuce:
    'oval 16 17 13 12 lime; oval 9 13 6 6 green; oval 23 14 6 7 green; oval 16 9 7 5 green; oval 16 20 6 6 mint; line 16 12 16 28 1.5 white',
  mirror: 'oval 16 16 11 14 gold; oval 16 16 9 12 glass; line 11 18 18 8 2 white; line 14 22 22 11 1.5 white',
  mug: 'oval 24 17 6 7 navy; oval 24 17 3 4 white; box 5 8 18 21 blue; oval 14 8 9 3 sky; oval 14 8 7 2 walnut; box 8 15 12 8 white; oval 14 19 3 3 red',
  newspaper:
    'box 3 5 26 23 silver; box 4 6 24 21 white; box 6 8 20 4 black; box 6 14 9 8 grey; box 17 14 9 1.5 slate; box 17 17 9 1.5 slate; box 17 20 9 1.5 slate; box 6 24 20 1.5 slate',
  painting:
    'box 2 4 28 24 gold; box 5 7 22 18 sky; poly 5 25 13 13 19 20 22 16 27 25 forest; oval 22 11 3 3 yellow',
  pan: 'oval 12 17 11 10 black; oval 12 17 8.5 7.5 slate; line 22 14 31 8 4 brick; oval 9 14 2 2 silver',
  papertowel: 'box 6 4 20 25 white; box 6 20 20 2 sky; box 6 12 20 2 sky; line 26 6 30 29 2 silver',
  papertowelroll:
    'box 8 4 16 26 cream; box 8 4 5 26 white; oval 16 4 8 3 silver; oval 16 4 3 1.3 brown; box 8 12 16 1.5 lilac; box 8 20 16 1.5 lilac',
  pen: 'line 6 26 24 8 4.5 blue; line 22 10 28 4 4.5 navy; poly 3 29 5 24 8 27 black; line 20 8 25 13 1.5 silver',
  pencil:
    'line 7 25 24 8 5 yellow; line 23 9 26 6 5 silver; line 25 7 29 3 5 pink; poly 2 30 4.5 22.5 9.5 27.5 tan; poly 2 30 3 27 5 29 black',
  peppershaker:
    'poly 11 11 21 11 24 29 8 29 ink; oval 16 10 6 5 silver; oval 14 8 0.9 0.9 black; oval 18 8 0.9 0.9 black; oval 16 10 0.9 0.9 black; box 11 17 10 7 grey',
  pillow:
    'poly 3 8 29 8 27 16 29 25 3 25 5 16 lilac; poly 6 10 26 10 24 16 26 22 6 22 8 16 white; oval 16 16 4 3 violet',
  plate: 'oval 16 17 15 12 silver; oval 16 17 14 11 white; oval 16 17 9.5 7 sky; oval 16 17 8 5.7 white',
  plunger: 'box 14.5 2 3 18 tan; poly 8 29 24 29 21 19 11 19 red; box 7 28 18 3 crimson',
  poster: 'box 5 2 22 28 rose; box 7 5 18 10 yellow; oval 16 20 6 6 white; box 9 27 14 1.5 white',
  pot: 'box 5 12 22 16 grey; box 5 12 6 16 silver; box 1 15 30 4 slate; oval 16 12 11 3 ink; box 4 9 24 3 silver; oval 16 7 3 2.5 black',
  potato:
    'oval 16 18 13 9 brown; oval 14 16 9 6 oak; oval 9 16 1.2 1.2 walnut; oval 17 20 1.4 1.4 walnut; oval 22 15 1.2 1.2 walnut; oval 14 13 1.2 1.2 walnut',
  remotecontrol:
    'box 10 1 12 30 slate; oval 16 6 2.5 2.5 red; box 12.5 11 3 3 white; box 17 11 3 3 white; box 12.5 16 3 3 white; box 17 16 3 3 white; box 12.5 22 7.5 5 grey',
  saltshaker:
    'poly 11 11 21 11 24 29 8 29 white; poly 11 11 14 11 12 29 8 29 silver; oval 16 10 6 5 red; oval 14 8 0.9 0.9 white; oval 18 8 0.9 0.9 white; oval 16 10 0.9 0.9 white; box 13 18 7 6 sky',
  scrubbrush:
    'box 14 1 4 16 cyan; box 7 17 18 5 blue; line 9 22 8 30 2 white; line 13 22 12.5 30 2 white; line 19 22 19.5 30 2 white; line 23 22 24 30 2 white',
  showerglass:
    'box 6 2 20 28 glass; line 9 24 22 6 2 white; box 6 2 20 2 grey; box 6 28 20 2 grey; box 22 14 2 5 slate',
  sink: 'poly 2 13 30 13 26 26 6 26 silver; oval 16 14 12 4 grey; oval 16 14 9 2.5 cyan; line 16 12 16 3 3 slate; line 16 4 22 4 3 slate; oval 24 8 1.5 2 cyan',
  soapbar:
    'oval 9 18 6 8 pink; oval 23 18 6 8 pink; box 9 10 14 16 pink; box 10 15 12 6 rose; oval 9 8 3 3 white; oval 14 5 2 2 white; oval 20 7 2.5 2.5 white',
  soapbottle:
    'box 8 12 16 18 magenta; box 11 17 10 8 white; box 14 7 4 6 silver; box 9 4 11 3 silver; line 9 5 9 9 2 silver',
  spatula:
    'line 16 16 16 30 4 red; box 15 12 2.5 6 silver; box 9 1 14 12 ink; box 12 3 1.6 8 silver; box 15.5 3 1.6 8 silver; box 19 3 1.6 8 silver',
  spoon:
    'oval 16 8 6.5 7.5 silver; oval 15 7 3.5 4.5 white; box 14.5 14 3.5 16 silver; box 14.5 23 3.5 7 green',
  spraybottle:
    'poly 12 12 20 12 24 18 24 30 8 30 8 18 sky; box 10 20 12 7 blue; box 13 7 6 6 white; poly 6 3 22 3 22 8 10 8 orange; line 9 8 7 13 2 orange',
  statue:
    'oval 16 6 4 4.5 olive; poly 11 11 21 11 23 23 9 23 olive; poly 9 12 5 20 8 21 12 14 olive; box 8 23 16 4 grey; box 5 27 22 4 slate',
  teddybear:
    'oval 8 6 4 4 brown; oval 24 6 4 4 brown; oval 16 11 9 8 oak; oval 16 24 9 7 brown; oval 16 24 5 4.5 tan; oval 13 9 1.4 1.4 black; oval 19 9 1.4 1.4 black; oval 16 14 3.5 2.5 cream',
  television:
    'box 1 4 30 19 black; box 3 6 26 15 navy; poly 3 21 12 6 18 6 9 21 blue; box 13 23 6 4 slate; box 8 27 16 2.5 slate',
  tennisracket:
    'oval 18 11 11 10 crimson; oval 18 11 8.5 7.5 lime; line 12 11 25 11 1 white; line 18 4 18 18 1 white; line 11 18 4 29 4 black',
  tissuebox:
    'box 3 14 26 15 violet; box 3 14 26 4 lilac; poly 10 15 13 3 17 8 21 2 23 15 white; oval 9 23 2 2 pink; oval 16 24 2 2 pink; oval 23 23 2 2 pink',
  toiletpaper:
    'box 4 9 17 17 white; oval 21 17.5 7 8.5 cream; oval 21 17.5 3 3.5 tan; oval 21 17.5 1.5 2 walnut; box 4 9 6 21 white; box 4 20 6 0.8 silver',
  toiletpaperroll: 'oval 16 16 9 11 tan; oval 16 16 5 6 walnut; box 7 16 2 10 oak',
  tomato:
    'oval 16 19 13 11 brick; oval 16 19 12 10 red; oval 11 15 3.5 2.5 orange; poly 16 5 18 10 25 9 19 13 16 16 13 13 7 9 14 10 forest',
  towel:
    'box 3 3 26 26 cyan; box 3 7 26 2 white; box 3 11 26 2 white; box 3 22 26 2 white; line 12 3 12 29 1 blue; line 21 3 21 29 1 blue; box 3 27 26 3 blue',
  vase: 'poly 12 8 20 8 25 19 20 30 12 30 7 19 violet; box 11 6 10 3 lilac; box 9 17 14 3 gold; line 16 6 12 1 1.5 green; line 16 6 20 1 1.5 green; oval 12 2 2 2 pink; oval 20 2 2 2 yellow',
  watch:
    'box 12 1 8 30 brown; oval 16 16 9 9 gold; oval 16 16 7 7 white; line 16 16 16 11 1.5 black; line 16 16 20 17 1.5 black; box 24.5 14.5 3 3 gold',
  wateringcan:
    'box 8 12 14 16 green; line 21 22 30 9 3.5 green; box 27 6 5 3 forest; oval 6 18 5 7 forest; oval 6 18 2.8 4.5 white; oval 15 12 7 2.5 forest',
  window:
    'box 3 2 26 28 white; box 5 4 10 11 sky; box 17 4 10 11 sky; box 5 17 10 11 cyan; box 17 17 10 11 cyan; box 2 28 28 3 tan',
  winebottle:
    'box 13.5 1 5 11 forest; poly 13.5 11 18.5 11 22 16 22 31 10 31 10 16 forest; box 10 19 12 8 cream; box 12 22 8 2 crimson; box 13 1 6 4 crimson',
} as const;

/** Pictures by class in lower case. */
export const objectPictures: ReadonlyMap<string, Picture> = new Map(
  Object.entries(texts).map(([name, text]) => [name, readPicture(text)]),
);

/** The picture of a class without its own, on the class's tint. */
export const unknownObject: Picture = readPicture(
  'box 6 6 20 20 slate; box 9 9 14 14 silver; oval 16 16 4 4 slate',
);
