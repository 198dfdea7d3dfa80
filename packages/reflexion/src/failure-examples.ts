/**
 * Two failed episodes, each with its lesson, for the reflection query; invented, in our words, in the style of
 * Reflexion's examples: one searched too little, one repeated a rejected command.
 */
import { EmacError } from '@emac/core';

export const failureExamples = `You are in the middle of a room. Looking quickly around you, you see a bathtubbasin 1, a cabinet 2, a cabinet 1, a countertop 1, a garbagecan 1, a sinkbasin 1, and a toilet 1.
Your task is to: put a clean cloth in cabinet.
> go to countertop 1
On the countertop 1, you see a candle 1, and a soapbar 1.
> go to cabinet 1
The cabinet 1 is closed.
> go to toilet 1
On the toilet 1, you see a toiletpaper 1.
> go to cabinet 1
The cabinet 1 is closed.
> go to countertop 1
On the countertop 1, you see a candle 1, and a soapbar 1.
STATUS: FAIL
New plan: I went back to places that I knew and never opened a cabinet. Next time I open cabinet 1 and cabinet 2 and look at bathtubbasin 1 to find a cloth; then I take it, go to sinkbasin 1, clean it there and move it to a cabinet.

You are in the middle of a room. Looking quickly around you, you see a bed 1, a desk 2, a desk 1, a drawer 1, and a shelf 1.
Your task is to: look at cd under the desklamp.
> go to shelf 1
On the shelf 1, you see a cd 1.
> go to desk 1
On the desk 1, you see a desklamp 1.
> use cd 1
Nothing happens.
> use cd 1
Nothing happens.
STATUS: FAIL
New plan: I left shelf 1 without the cd and then repeated a command that was refused. Next time I take cd 1 from shelf 1, carry it to desk 1 and use desklamp 1 there.
`;

/** User-supplied failed episodes with plans, as text in Reflexion's form; throws `data`, naming `place`, for other texts. */
export function readFailureExamples(text: string, place: string): string {
  const examples = text.replace(/^\ufeff/, '').replace(/\r\n/g, '\n');
  if (!/^> /m.test(examples) || !/^STATUS: FAIL\n+New plan: *\S/m.test(examples))
    throw new EmacError(
      'data',
      `${place}: has no failed episode, that is lines beginning with "> ", then STATUS: FAIL and New plan: …; give a file such as Reflexion's reflexion_few_shot_examples.txt`,
    );
  return examples;
}
