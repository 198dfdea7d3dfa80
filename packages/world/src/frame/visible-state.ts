/**
 * The agent's view at one moment: the receptacles it faces with their visible contents, the held object, and the kind
 * of room. Frames are drawn from this alone, so a picture never reveals more than the text. Classes are lower case
 * without blanks ('countertop', 'soapbottle').
 */
export type RoomKind = 'kitchen' | 'livingroom' | 'bedroom' | 'bathroom';

/** One object in sight, with every state a picture can show. */
export interface VisibleObject {
  /** display name with its instance number, e.g. 'apple 2' */
  readonly name: string;
  readonly class: string;
  readonly hot: boolean;
  readonly cool: boolean;
  readonly clean: boolean;
  readonly sliced: boolean;
  /** a lamp that was switched on */
  readonly on: boolean;
}

/** One receptacle at the agent's location; `contents` is empty while it is closed. */
export interface VisibleReceptacle {
  readonly name: string;
  readonly class: string;
  readonly openable: boolean;
  readonly open: boolean;
  readonly contents: readonly VisibleObject[];
}

/** Everything in sight; `facing` is empty in the middle of the room. */
export interface VisibleState {
  readonly facing: readonly VisibleReceptacle[];
  readonly held: VisibleObject | null;
  readonly room: RoomKind | null;
}
