/**
 * One solved episode per task type, in ReAct's format (Yao et al. 2023: thoughts between actions, answered by `OK.`).
 * Played in generated games of @emac/world (a test in tools/ replays them); the thoughts are ours.
 */

export interface ExampleEpisode {
  /** in the `move` dialect: room, task, then `> command` and observation alternately; ends with `\n` */
  readonly text: string;
  /** location names on arrival in the `put` dialect: `loc` and this number */
  readonly locations: Readonly<Record<string, number>>;
}

/** ALFWorld's task types, by its own names. */
export type ExampleType =
  | 'pick_and_place_simple'
  | 'look_at_obj_in_light'
  | 'pick_clean_then_place_in_recep'
  | 'pick_heat_then_place_in_recep'
  | 'pick_cool_then_place_in_recep'
  | 'pick_two_obj_and_place';

export const exampleEpisodes: Readonly<Record<ExampleType, ExampleEpisode>> = {
  pick_and_place_simple: {
    text: `You are in the middle of a room. Looking quickly around you, you see a bathtubbasin 1, a drawer 1, a garbagecan 1, a handtowelholder 1, a sidetable 1, a sinkbasin 2, a sinkbasin 1, a toilet 1, a toiletpaperhanger 1, and a towelholder 1.
Your task is to: put some candle on drawer.
> think: I have to find a candle and bring it to the drawer. In a bathroom candles stand in the open, so I look at the sidetable first.
OK.
> go to sidetable 1
You arrive at sidetable 1. On the sidetable 1, you see nothing.
> think: Nothing here. The toilet is the other place where things stand.
OK.
> go to toilet 1
You arrive at toilet 1. On the toilet 1, you see a candle 1, a soapbottle 1, and a spraybottle 2.
> take candle 1 from toilet 1
You pick up the candle 1 from the toilet 1.
> think: I hold the candle. Now the drawer.
OK.
> go to drawer 1
You arrive at drawer 1. The drawer 1 is closed.
> open drawer 1
You open the drawer 1. The drawer 1 is open. In it, you see a soapbar 1, and a soapbottle 2.
> move candle 1 to drawer 1
You move the candle 1 to the drawer 1.
`,
    locations: { 'sidetable 1': 16, 'toilet 1': 8, 'drawer 1': 15 },
  },
  look_at_obj_in_light: {
    text: `You are in the middle of a room. Looking quickly around you, you see a armchair 1, a bed 1, a cabinet 2, a cabinet 1, a desk 1, a drawer 4, a drawer 3, a drawer 2, a drawer 1, a dresser 1, a garbagecan 1, and a sidetable 1.
Your task is to: look at pencil under the desklamp.
> think: I have to hold a pencil where a desklamp stands and switch the lamp on. Pencils lie on desks.
OK.
> go to desk 1
You arrive at desk 1. On the desk 1, you see a keychain 1, a pen 1, and a pencil 3.
> take pencil 3 from desk 1
You pick up the pencil 3 from the desk 1.
> think: No lamp on this desk. I carry the pencil to the sidetable and look for one there.
OK.
> go to sidetable 1
You arrive at sidetable 1. On the sidetable 1, you see a cd 1, and a desklamp 1.
> use desklamp 1
You turn on the desklamp 1.
`,
    locations: { 'desk 1': 13, 'sidetable 1': 14 },
  },
  pick_clean_then_place_in_recep: {
    text: `You are in the middle of a room. Looking quickly around you, you see a bathtubbasin 1, a cart 1, a garbagecan 1, a handtowelholder 2, a handtowelholder 1, a shelf 3, a shelf 2, a shelf 1, a sinkbasin 1, a toilet 1, a toiletpaperhanger 1, a towelholder 2, and a towelholder 1.
Your task is to: put a clean soapbar in cart.
> think: I have to find a soapbar, clean it at the sinkbasin and lay it on the cart. I begin at the bathtubbasin.
OK.
> go to bathtubbasin 1
You arrive at bathtubbasin 1. On the bathtubbasin 1, you see a cloth 3, and a soapbar 2.
> take soapbar 2 from bathtubbasin 1
You pick up the soapbar 2 from the bathtubbasin 1.
> think: Before it goes to the cart it must be clean.
OK.
> go to sinkbasin 1
You arrive at sinkbasin 1. On the sinkbasin 1, you see a cloth 1.
> clean soapbar 2 with sinkbasin 1
You clean the soapbar 2 using the sinkbasin 1.
> go to cart 1
You arrive at cart 1. On the cart 1, you see a cloth 2.
> move soapbar 2 to cart 1
You move the soapbar 2 to the cart 1.
`,
    locations: { 'bathtubbasin 1': 13, 'sinkbasin 1': 2, 'cart 1': 10 },
  },
  pick_heat_then_place_in_recep: {
    text: `You are in the middle of a room. Looking quickly around you, you see a cabinet 4, a cabinet 3, a cabinet 2, a cabinet 1, a coffeemachine 1, a countertop 2, a countertop 1, a drawer 5, a drawer 4, a drawer 3, a drawer 2, a drawer 1, a fridge 1, a garbagecan 1, a microwave 1, a sidetable 1, a sinkbasin 1, a stoveburner 4, a stoveburner 3, a stoveburner 2, a stoveburner 1, and a toaster 1.
Your task is to: heat some mug and put it in cabinet.
> think: I have to find a mug, heat it with the microwave and put it into a cabinet. A mug may stand under the coffeemachine.
OK.
> go to coffeemachine 1
You arrive at coffeemachine 1. On the coffeemachine 1, you see a mug 1.
> take mug 1 from coffeemachine 1
You pick up the mug 1 from the coffeemachine 1.
> go to microwave 1
You arrive at microwave 1. The microwave 1 is closed.
> think: The microwave heats what I hold; it need not be opened.
OK.
> heat mug 1 with microwave 1
You heat the mug 1 using the microwave 1.
> go to cabinet 4
You arrive at cabinet 4. The cabinet 4 is closed.
> think: The cabinet is closed. I open it, then the mug goes in.
OK.
> open cabinet 4
You open the cabinet 4. The cabinet 4 is open. In it, you see nothing.
> move mug 1 to cabinet 4
You move the mug 1 to the cabinet 4.
`,
    locations: { 'coffeemachine 1': 8, 'microwave 1': 5, 'cabinet 4': 24 },
  },
  pick_cool_then_place_in_recep: {
    text: `You are in the middle of a room. Looking quickly around you, you see a cabinet 8, a cabinet 7, a cabinet 6, a cabinet 5, a cabinet 4, a cabinet 3, a cabinet 2, a cabinet 1, a coffeemachine 1, a countertop 2, a countertop 1, a diningtable 2, a diningtable 1, a drawer 3, a drawer 2, a drawer 1, a fridge 1, a garbagecan 1, a microwave 1, a sinkbasin 1, a stoveburner 4, a stoveburner 3, a stoveburner 2, a stoveburner 1, and a toaster 1.
Your task is to: put a cool pot in cabinet.
> think: I have to find a pot, cool it with the fridge and put it into a cabinet. Pots stand on stoveburners.
OK.
> go to stoveburner 4
You arrive at stoveburner 4. On the stoveburner 4, you see nothing.
> go to stoveburner 3
You arrive at stoveburner 3. On the stoveburner 3, you see a pot 1.
> take pot 1 from stoveburner 3
You pick up the pot 1 from the stoveburner 3.
> go to fridge 1
You arrive at fridge 1. The fridge 1 is closed.
> think: The fridge cools what I hold; it need not be opened.
OK.
> cool pot 1 with fridge 1
You cool the pot 1 using the fridge 1.
> go to cabinet 8
You arrive at cabinet 8. On the cabinet 8, you see a plate 2.
> move pot 1 to cabinet 8
You move the pot 1 to the cabinet 8.
`,
    locations: { 'stoveburner 4': 25, 'stoveburner 3': 7, 'fridge 1': 4, 'cabinet 8': 28 },
  },
  pick_two_obj_and_place: {
    text: `You are in the middle of a room. Looking quickly around you, you see a armchair 2, a armchair 1, a bed 1, a cabinet 1, a desk 1, a drawer 2, a drawer 1, a dresser 1, a garbagecan 1, a shelf 4, a shelf 3, a shelf 2, a shelf 1, and a sidetable 1.
Your task is to: put two pen in drawer.
> think: I have to bring two pens to one drawer, and I can carry only one at a time. The desk comes first.
OK.
> go to desk 1
You arrive at desk 1. On the desk 1, you see a alarmclock 1, a cellphone 1, a houseplant 1, and a pen 2.
> take pen 2 from desk 1
You pick up the pen 2 from the desk 1.
> go to drawer 2
You arrive at drawer 2. The drawer 2 is closed.
> open drawer 2
You open the drawer 2. The drawer 2 is open. In it, you see nothing.
> move pen 2 to drawer 2
You move the pen 2 to the drawer 2.
> think: One more. There was only one pen on the desk, so I look at the dresser.
OK.
> go to dresser 1
You arrive at dresser 1. On the dresser 1, you see a book 2, a cd 1, and a pen 1.
> take pen 1 from dresser 1
You pick up the pen 1 from the dresser 1.
> think: The second pen goes to the same drawer.
OK.
> go to drawer 2
You arrive at drawer 2. The drawer 2 is open. In it, you see a pen 2.
> move pen 1 to drawer 2
You move the pen 1 to the drawer 2.
`,
    locations: { 'desk 1': 17, 'drawer 2': 4, 'dresser 1': 3 },
  },
};
