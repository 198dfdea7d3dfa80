/**
 * One solved episode for each task type, in ReAct's manner (Yao et al. 2023: thoughts between actions, answered by
 * `OK.`), in the `move` dialect. The rooms are invented and the wording of the thoughts is ours; commands and
 * observations follow ALFWorld's grammar, numbers and order of lists included.
 */
import type { TaskType } from '@emac/core';

/** Example episodes by task type: room, task, then `> command` and observation in turn; each ends with `\n`. */
export const exampleEpisodes: Readonly<Record<TaskType, string>> = {
  pick_and_place_simple: `You are in the middle of a room. Looking quickly around you, you see a armchair 1, a coffeetable 1, a drawer 2, a drawer 1, a garbagecan 1, a sidetable 1, and a sofa 1.
Your task is to: put some keychain on sofa.
> think: I have to find a keychain and bring it to the sofa. Keychains lie on tables and in drawers, so I start at the coffeetable.
OK.
> go to coffeetable 1
You arrive at coffeetable 1. On the coffeetable 1, you see a newspaper 1, and a remotecontrol 1.
> go to drawer 1
You arrive at drawer 1. The drawer 1 is closed.
> open drawer 1
You open the drawer 1. The drawer 1 is open. In it, you see a keychain 2.
> take keychain 2 from drawer 1
You pick up the keychain 2 from the drawer 1.
> go to sofa 1
You arrive at sofa 1. On the sofa 1, you see a pillow 1.
> move keychain 2 to sofa 1
You move the keychain 2 to the sofa 1.
`,
  look_at_obj_in_light: `You are in the middle of a room. Looking quickly around you, you see a bed 1, a desk 1, a dresser 1, a garbagecan 1, a shelf 2, and a shelf 1.
Your task is to: examine the book with the desklamp.
> think: I have to hold a book where a desklamp stands and switch the lamp on. First the book: the bed is a likely place.
OK.
> go to bed 1
You arrive at bed 1. On the bed 1, you see a book 1, and a pillow 1.
> take book 1 from bed 1
You pick up the book 1 from the bed 1.
> think: Now a desklamp, most likely on the desk.
OK.
> go to desk 1
You arrive at desk 1. On the desk 1, you see a desklamp 1, a pen 2, and a pencil 1.
> use desklamp 1
You turn on the desklamp 1.
`,
  pick_clean_then_place_in_recep: `You are in the middle of a room. Looking quickly around you, you see a cabinet 2, a cabinet 1, a countertop 1, a drawer 1, a fridge 1, a garbagecan 1, a sinkbasin 1, and a stoveburner 1.
Your task is to: put a clean fork in drawer.
> think: I have to find a fork, clean it at the sinkbasin and lay it into a drawer. Forks lie on countertops.
OK.
> go to countertop 1
You arrive at countertop 1. On the countertop 1, you see a fork 1, a potato 2, and a saltshaker 1.
> take fork 1 from countertop 1
You pick up the fork 1 from the countertop 1.
> go to sinkbasin 1
You arrive at sinkbasin 1. On the sinkbasin 1, you see nothing.
> clean fork 1 with sinkbasin 1
You clean the fork 1 using the sinkbasin 1.
> go to drawer 1
You arrive at drawer 1. The drawer 1 is closed.
> open drawer 1
You open the drawer 1. The drawer 1 is open. In it, you see nothing.
> move fork 1 to drawer 1
You move the fork 1 to the drawer 1.
`,
  pick_heat_then_place_in_recep: `You are in the middle of a room. Looking quickly around you, you see a cabinet 1, a coffeemachine 1, a countertop 2, a countertop 1, a diningtable 1, a fridge 1, a microwave 1, and a sinkbasin 1.
Your task is to: heat some potato and put it in fridge.
> think: I have to find a potato, heat it with the microwave and put it into the fridge. I look at the countertops first.
OK.
> go to countertop 1
You arrive at countertop 1. On the countertop 1, you see a butterknife 1.
> go to countertop 2
You arrive at countertop 2. On the countertop 2, you see a potato 1, and a tomato 1.
> take potato 1 from countertop 2
You pick up the potato 1 from the countertop 2.
> think: The microwave heats what I hold; it need not be opened.
OK.
> go to microwave 1
You arrive at microwave 1. The microwave 1 is closed.
> heat potato 1 with microwave 1
You heat the potato 1 using the microwave 1.
> go to fridge 1
You arrive at fridge 1. The fridge 1 is closed.
> open fridge 1
You open the fridge 1. The fridge 1 is open. In it, you see a egg 1.
> move potato 1 to fridge 1
You move the potato 1 to the fridge 1.
`,
  pick_cool_then_place_in_recep: `You are in the middle of a room. Looking quickly around you, you see a cabinet 1, a countertop 1, a diningtable 1, a fridge 1, a microwave 1, a sinkbasin 1, and a stoveburner 1.
Your task is to: put a cool mug in cabinet.
> think: I have to find a mug, cool it with the fridge and put it into a cabinet. A mug may stand on the diningtable.
OK.
> go to diningtable 1
You arrive at diningtable 1. On the diningtable 1, you see a bread 1, a mug 1, and a spoon 1.
> take mug 1 from diningtable 1
You pick up the mug 1 from the diningtable 1.
> go to fridge 1
You arrive at fridge 1. The fridge 1 is closed.
> cool mug 1 with fridge 1
You cool the mug 1 using the fridge 1.
> go to cabinet 1
You arrive at cabinet 1. The cabinet 1 is closed.
> open cabinet 1
You open the cabinet 1. The cabinet 1 is open. In it, you see nothing.
> move mug 1 to cabinet 1
You move the mug 1 to the cabinet 1.
`,
  pick_two_obj_and_place: `You are in the middle of a room. Looking quickly around you, you see a cabinet 1, a countertop 1, a garbagecan 1, a shelf 1, a sinkbasin 1, and a toilet 1.
Your task is to: put two candle in cabinet.
> think: I have to bring two candles to one cabinet, and I can carry only one at a time. I look at the countertop first.
OK.
> go to countertop 1
You arrive at countertop 1. On the countertop 1, you see a candle 2, and a soapbottle 1.
> take candle 2 from countertop 1
You pick up the candle 2 from the countertop 1.
> go to cabinet 1
You arrive at cabinet 1. The cabinet 1 is closed.
> open cabinet 1
You open the cabinet 1. The cabinet 1 is open. In it, you see nothing.
> move candle 2 to cabinet 1
You move the candle 2 to the cabinet 1.
> think: One more. I have not looked at the shelf.
OK.
> go to shelf 1
You arrive at shelf 1. On the shelf 1, you see a candle 1.
> take candle 1 from shelf 1
You pick up the candle 1 from the shelf 1.
> go to cabinet 1
You arrive at cabinet 1. The cabinet 1 is open. In it, you see a candle 2.
> move candle 1 to cabinet 1
You move the candle 1 to the cabinet 1.
`,
};
