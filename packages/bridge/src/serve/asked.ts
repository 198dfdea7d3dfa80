/** What a request asks of an agent: about a situation of an episode, or about messages as they are. */
import type { AskedMessages } from '@emac/core';
import type { Asked } from './asker.ts';
import { wrongField } from './refused-request.ts';
import type { ChatAgent, EpisodeAgent, Situation } from './served-agent.ts';

export interface AskedEpisode extends Omit<Situation, 'frames'> {
  /** data URLs */
  readonly pictures: readonly string[];
  /** names of these fields in the request */
  readonly fields: { readonly pictures: string; readonly admissible: string };
  readonly admissibleOnly?: boolean | undefined;
}

/** Throws a `RefusedRequest` where the answer must be one of the commands, and there are none. */
export function aboutEpisode(
  agent: EpisodeAgent,
  { pictures, fields, admissibleOnly, ...known }: AskedEpisode,
): Asked {
  if ((admissibleOnly ?? agent.admissibleOnly) && !known.admissible?.length)
    throw wrongField(
      fields.admissible,
      `${fields.admissible}: must list one or more commands that are accepted now; the answer is one of them`,
    );
  return {
    pictures,
    param: fields.pictures,
    question: (frames, random) =>
      agent.question(
        { ...known, frames },
        { random, ...(admissibleOnly !== undefined && { admissibleOnly }) },
      ),
  };
}

/** `pictures`: data URLs in the last message. Throws a `RefusedRequest` for pictures that the model cannot see. */
export function aboutMessages(agent: ChatAgent, asked: AskedMessages, pictures: readonly string[]): Asked {
  if (pictures.length > 0 && !agent.policy.encode)
    throw wrongField('messages', 'messages: the model reads texts alone; leave the pictures out');
  return {
    pictures,
    param: 'messages',
    question: (frames, random) => agent.chat(asked, { frames, random }),
  };
}
