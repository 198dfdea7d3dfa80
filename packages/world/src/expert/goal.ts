/** The task sentence, read by ALFWorld's own templates (two for each of the six task types). */

export type ObjectState = 'clean' | 'hot' | 'cool';

export type Goal =
  | {
      readonly kind: 'place';
      /** object class, lower case */
      readonly object: string;
      /** receptacle class, lower case */
      readonly receptacle: string;
      readonly state: ObjectState | null;
      /** how many objects must end in one receptacle */
      readonly count: 1 | 2;
    }
  | { readonly kind: 'look'; readonly object: string; readonly lamp: string };

const stateOfVerb: Readonly<Record<string, ObjectState>> = { clean: 'clean', heat: 'hot', cool: 'cool' };

/** The task sentence in an observation; null if there is none. */
export function taskSentence(observation: string): string | null {
  return /Your task is to: (.*)/.exec(observation)?.[1]?.trim().replace(/\.$/, '') ?? null;
}

/** True for the first observation of ALFWorld's embodied environment (AI2-THOR): alone it puts no full stop behind the task. */
export function isEmbodied(observation: string): boolean {
  return /Your task is to: .*[^.\s]\s*$/.test(observation);
}

/** Null if the sentence fits no template (custom wording). */
export function readGoal(sentence: string): Goal | null {
  const text = sentence.trim().toLowerCase();
  const look = /^(?:look at|examine the) (\S+) (?:under|with) the (\S+)$/.exec(text);
  if (look) return { kind: 'look', object: look[1]!, lamp: look[2]! };
  const two = /^(?:put two (\S+)|find two (\S+) and put them) (?:in|on) (\S+)$/.exec(text);
  if (two) return place({ object: two[1] ?? two[2]!, receptacle: two[3]!, count: 2 });
  const treat = /^(clean|heat|cool) some (\S+) and put it (?:in|on) (\S+)$/.exec(text);
  if (treat) return place({ object: treat[2]!, receptacle: treat[3]!, state: stateOfVerb[treat[1]!]! });
  const put = /^put (?:an?|some) (?:(clean|hot|cool) )?(\S+) (?:in|on) (\S+)$/.exec(text);
  if (!put) return null;
  return place({ object: put[2]!, receptacle: put[3]!, state: (put[1] as ObjectState | undefined) ?? null });
}

interface Wanted {
  readonly object: string;
  readonly receptacle: string;
  readonly state?: ObjectState | null;
  readonly count?: 1 | 2;
}

function place({ object, receptacle, state = null, count = 1 }: Wanted): Goal {
  return { kind: 'place', object, receptacle, state, count };
}
