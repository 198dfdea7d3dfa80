/** Where in the journal of a language model's replies a moment of training stands. */
import type { ReplyPosition } from '@emac/expert';

export type { ReplyPosition } from '@emac/expert';

/** Before the first reply. */
export const noReplies: ReplyPosition = { replies: 0, tokens: 0 };
