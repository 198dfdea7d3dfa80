/** A second solved episode per task type beside `examples.ts`: ReAct and Reflexion show two. */
import type { ExampleType } from './examples.ts';
import type { ExampleEpisode } from './examples.ts';

export const secondExampleEpisodes: Readonly<Record<ExampleType, ExampleEpisode>> = {
  pick_and_place_simple: {
    text: `You are in the middle of a room. Looking quickly around you, you see a armchair 2, a armchair 1, a cabinet 1, a coffeetable 1, a drawer 4, a drawer 3, a drawer 2, a drawer 1, a dresser 1, a garbagecan 1, a sidetable 1, and a sofa 1.
Your task is to: put a keychain in dresser.
> think: I have to find a keychain and bring it to the dresser. Keychains are left where people sit, so I look at the sofa first.
OK.
> go to sofa 1
You arrive at sofa 1. On the sofa 1, you see a box 1, and a pillow 1.
> think: No keychain here. The coffeetable is next to it.
OK.
> go to coffeetable 1
You arrive at coffeetable 1. On the coffeetable 1, you see a keychain 3, a keychain 2, a laptop 2, a pencil 2, a pencil 1, a remotecontrol 2, and a statue 3.
> take keychain 2 from coffeetable 1
You pick up the keychain 2 from the coffeetable 1.
> think: I hold a keychain. Now the dresser.
OK.
> go to dresser 1
You arrive at dresser 1. On the dresser 1, you see a vase 3.
> move keychain 2 to dresser 1
You move the keychain 2 to the dresser 1.
`,
    locations: { 'sofa 1': 10, 'coffeetable 1': 3, 'dresser 1': 6 },
  },
  look_at_obj_in_light: {
    text: `You are in the middle of a room. Looking quickly around you, you see a bed 2, a bed 1, a desk 1, a drawer 4, a drawer 3, a drawer 2, a drawer 1, a garbagecan 1, a laundryhamper 1, a shelf 3, a shelf 2, a shelf 1, and a sidetable 1.
Your task is to: look at tissuebox under the desklamp.
> think: I have to hold a tissuebox where a desklamp stands and switch the lamp on. First I look for a tissuebox.
OK.
> go to sidetable 1
You arrive at sidetable 1. On the sidetable 1, you see a alarmclock 3, a alarmclock 2, a creditcard 2, a creditcard 1, a desklamp 1, a keychain 2, and a pen 2.
> think: Here is the desklamp, but no tissuebox. It may be in the drawer.
OK.
> go to drawer 1
You arrive at drawer 1. The drawer 1 is closed.
> open drawer 1
You open the drawer 1. The drawer 1 is open. In it, you see a keychain 1, a tissuebox 2, and a tissuebox 1.
> take tissuebox 1 from drawer 1
You pick up the tissuebox 1 from the drawer 1.
> think: I hold the tissuebox. Back to the desklamp.
OK.
> go to sidetable 1
You arrive at sidetable 1. On the sidetable 1, you see a alarmclock 3, a alarmclock 2, a creditcard 2, a creditcard 1, a desklamp 1, a keychain 2, and a pen 2.
> use desklamp 1
You turn on the desklamp 1.
`,
    locations: { 'sidetable 1': 12, 'drawer 1': 9 },
  },
  pick_clean_then_place_in_recep: {
    text: `You are in the middle of a room. Looking quickly around you, you see a cabinet 10, a cabinet 9, a cabinet 8, a cabinet 7, a cabinet 6, a cabinet 5, a cabinet 4, a cabinet 3, a cabinet 2, a cabinet 1, a coffeemachine 1, a countertop 1, a diningtable 1, a drawer 3, a drawer 2, a drawer 1, a fridge 1, a garbagecan 1, a microwave 1, a sidetable 1, a sinkbasin 1, a stoveburner 4, a stoveburner 3, a stoveburner 2, a stoveburner 1, and a toaster 1.
Your task is to: put a clean potato in microwave.
> think: I have to find a potato, clean it at the sinkbasin and put it into the microwave. A potato may be in the fridge.
OK.
> go to fridge 1
You arrive at fridge 1. The fridge 1 is closed.
> open fridge 1
You open the fridge 1. The fridge 1 is open. In it, you see a egg 1, and a potato 1.
> take potato 1 from fridge 1
You pick up the potato 1 from the fridge 1.
> think: Now it has to be cleaned.
OK.
> go to sinkbasin 1
You arrive at sinkbasin 1. On the sinkbasin 1, you see a apple 1.
> clean potato 1 with sinkbasin 1
You clean the potato 1 using the sinkbasin 1.
> go to microwave 1
You arrive at microwave 1. The microwave 1 is closed.
> think: The microwave is closed. I open it, and do not heat the potato.
OK.
> open microwave 1
You open the microwave 1. The microwave 1 is open. In it, you see nothing.
> move potato 1 to microwave 1
You move the potato 1 to the microwave 1.
`,
    locations: { 'fridge 1': 4, 'sinkbasin 1': 24, 'microwave 1': 5 },
  },
  pick_heat_then_place_in_recep: {
    text: `You are in the middle of a room. Looking quickly around you, you see a cabinet 8, a cabinet 7, a cabinet 6, a cabinet 5, a cabinet 4, a cabinet 3, a cabinet 2, a cabinet 1, a coffeemachine 1, a countertop 2, a countertop 1, a diningtable 2, a diningtable 1, a drawer 3, a drawer 2, a drawer 1, a fridge 1, a garbagecan 1, a microwave 1, a sinkbasin 1, a stoveburner 4, a stoveburner 3, a stoveburner 2, a stoveburner 1, and a toaster 1.
Your task is to: put a hot tomato in fridge.
> think: I have to find a tomato, heat it with the microwave and put it into the fridge. Tomatoes lie on tables.
OK.
> go to diningtable 1
You arrive at diningtable 1. On the diningtable 1, you see a bowl 1, a plate 1, a saltshaker 1, and a soapbottle 2.
> think: No tomato here. I try the other table.
OK.
> go to diningtable 2
You arrive at diningtable 2. On the diningtable 2, you see a butterknife 3, a butterknife 2, a cup 1, a kettle 2, a tomato 2, and a tomato 1.
> take tomato 1 from diningtable 2
You pick up the tomato 1 from the diningtable 2.
> go to microwave 1
You arrive at microwave 1. The microwave 1 is closed.
> heat tomato 1 with microwave 1
You heat the tomato 1 using the microwave 1.
> think: It is hot. The fridge is where it goes, and I do not cool it there.
OK.
> go to fridge 1
You arrive at fridge 1. The fridge 1 is closed.
> open fridge 1
You open the fridge 1. The fridge 1 is open. In it, you see a apple 2, a egg 3, and a tomato 3.
> move tomato 1 to fridge 1
You move the tomato 1 to the fridge 1.
`,
    locations: { 'diningtable 1': 7, 'diningtable 2': 15, 'microwave 1': 24, 'fridge 1': 5 },
  },
  pick_cool_then_place_in_recep: {
    text: `You are in the middle of a room. Looking quickly around you, you see a cabinet 9, a cabinet 8, a cabinet 7, a cabinet 6, a cabinet 5, a cabinet 4, a cabinet 3, a cabinet 2, a cabinet 1, a coffeemachine 1, a countertop 2, a countertop 1, a diningtable 1, a drawer 3, a drawer 2, a drawer 1, a fridge 1, a garbagecan 1, a microwave 1, a sinkbasin 1, a stoveburner 4, a stoveburner 3, a stoveburner 2, a stoveburner 1, and a toaster 1.
Your task is to: put a cool cup in microwave.
> think: I have to find a cup, cool it with the fridge and put it into the microwave. Cups are kept in cabinets.
OK.
> go to cabinet 5
You arrive at cabinet 5. The cabinet 5 is closed.
> open cabinet 5
You open the cabinet 5. The cabinet 5 is open. In it, you see a cup 1.
> take cup 1 from cabinet 5
You pick up the cup 1 from the cabinet 5.
> go to fridge 1
You arrive at fridge 1. The fridge 1 is closed.
> cool cup 1 with fridge 1
You cool the cup 1 using the fridge 1.
> think: It is cool. Now the microwave.
OK.
> go to microwave 1
You arrive at microwave 1. The microwave 1 is closed.
> open microwave 1
You open the microwave 1. The microwave 1 is open. In it, you see a apple 2.
> move cup 1 to microwave 1
You move the cup 1 to the microwave 1.
`,
    locations: { 'cabinet 5': 11, 'fridge 1': 18, 'microwave 1': 9 },
  },
  pick_two_obj_and_place: {
    text: `You are in the middle of a room. Looking quickly around you, you see a bathtubbasin 1, a cabinet 3, a cabinet 2, a cabinet 1, a countertop 1, a garbagecan 1, a handtowelholder 2, a handtowelholder 1, a sinkbasin 1, a toilet 1, a toiletpaperhanger 1, and a towelholder 1.
Your task is to: find two dishsponge and put them in toilet.
> think: I have to bring two dishsponges to the toilet, one at a time. The countertop comes first.
OK.
> go to countertop 1
You arrive at countertop 1. On the countertop 1, you see a candle 3, a dishsponge 3, a dishsponge 2, a tissuebox 2, a tissuebox 1, and a toiletpaper 1.
> take dishsponge 2 from countertop 1
You pick up the dishsponge 2 from the countertop 1.
> go to toilet 1
You arrive at toilet 1. On the toilet 1, you see a candle 1, a soapbar 1, a spraybottle 4, a spraybottle 3, and a spraybottle 1.
> move dishsponge 2 to toilet 1
You move the dishsponge 2 to the toilet 1.
> think: One more. There was a second one on the countertop.
OK.
> go to countertop 1
You arrive at countertop 1. On the countertop 1, you see a candle 3, a dishsponge 3, a tissuebox 2, a tissuebox 1, and a toiletpaper 1.
> take dishsponge 3 from countertop 1
You pick up the dishsponge 3 from the countertop 1.
> go to toilet 1
You arrive at toilet 1. On the toilet 1, you see a candle 1, a dishsponge 2, a soapbar 1, a spraybottle 4, a spraybottle 3, and a spraybottle 1.
> move dishsponge 3 to toilet 1
You move the dishsponge 3 to the toilet 1.
`,
    locations: { 'countertop 1': 2, 'toilet 1': 3 },
  },
};
