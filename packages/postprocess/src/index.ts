export { actionScores, scoreProbabilities } from './action-scores.ts';
export { answeredAction } from './answered-action.ts';
export type { AnsweredAction, AnswerReading } from './answered-action.ts';
export { cleanObservationCompat, postprocessCompat } from './compat.ts';
export { cleanObservation } from './observation.ts';
export { isCommand } from './command.ts';
export { editDistance, nearestCommand } from './nearest-command.ts';
export { parseReply, postprocess } from './reply.ts';
export type { Reply } from './reply.ts';
