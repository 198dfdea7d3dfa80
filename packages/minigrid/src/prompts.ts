/**
 * The prompts of vision-language models. By default in our words: true colours, the mission, the actions needed in this
 * family of levels. Under `legacy-wrapped`, verbatim as published, errors included (Bissmella/VLM_finetune a3d1dc7,
 * `get_prompt`, MIT): these prompts speak of cyan and pink because the pictures were wrapped. Answers are parsed in
 * another module; action words equal the published ones up to capitals.
 */
import { EmacError } from '@emac/core';
import { designOf, type Family } from './catalogue.ts';
import type { Palette } from './frame/tile.ts';
import { actionWords, type MiniGrid } from './minigrid.ts';
import { actions } from './rules.ts';

export interface PromptOptions {
  readonly palette?: Palette;
  /** one action, or a score from 1 to 5 for each */
  readonly asksFor?: 'action' | 'scores';
}

/**
 * The prompt for an environment in an episode. Errors: `usage` under `legacy-wrapped` for a family other than DoorKey,
 * Empty and MultiRoom, the only published ones.
 */
export function miniGridPrompt(
  environment: Pick<MiniGrid, 'id' | 'text'>,
  options: PromptOptions = {},
): string {
  const { palette = 'true', asksFor = 'action' } = options;
  const { family } = designOf(environment.id);
  if (palette === 'true') return `${introduction(family, environment.text())} ${formats[asksFor](family)}`;
  const text = published[family]?.[asksFor];
  if (text !== undefined) return text;
  const known = Object.keys(published).join(', ');
  throw new EmacError(
    'usage',
    `prompt: none was published for ${environment.id}, only for ${known}; use the palette true`,
  );
}

/**
 * The actions offered in a prompt, by number: those needed in this family of levels. Errors: `usage` for an unknown id.
 */
export function offeredActions(id: string): readonly number[] {
  return offered[designOf(id).family];
}

const { left, right, forward, pickUp, drop, toggle } = actions;
const moves = [left, right, forward];

const offered: Readonly<Record<Family, readonly number[]>> = {
  Empty: moves,
  DoorKey: [...moves, pickUp, toggle],
  LavaGap: moves,
  LavaCrossing: moves,
  SimpleCrossing: moves,
  FourRooms: moves,
  Fetch: [...moves, pickUp],
  MultiRoom: [...moves, toggle],
  Unlock: [...moves, pickUp, toggle],
  UnlockPickup: [...moves, pickUp, drop, toggle],
  KeyCorridor: [...moves, pickUp, drop, toggle],
  'Dynamic-Obstacles': moves,
  RedBlueDoors: [...moves, toggle],
};

const explained: Readonly<Record<number, string>> = {
  [left]: 'turns you to the left',
  [right]: 'turns you to the right',
  [forward]: 'takes you one cell ahead, unless something is in the way',
  [pickUp]: 'takes what lies in the cell ahead, if you carry nothing',
  [drop]: 'puts what you carry into the cell ahead, if that is empty',
  [toggle]: 'opens or closes the door ahead; a locked one opens if you carry the key of its colour',
};

const signs = {
  goal: 'The green square is the goal.',
  lava: 'Orange squares with black waves are lava, which ends the game.',
  doors:
    'A coloured frame with a round handle is a closed door, a thin bar at the edge of a cell an open one.',
  locked: 'A coloured square with a short bar in it is a locked door.',
  key: 'A key is drawn as one.',
  ball: 'A disc is a ball.',
  box: 'A frame with a bar across is a box.',
  obstacles: 'Blue balls move by themselves; running into one of them or into a wall ends the game.',
};

const legends: Readonly<Record<Family, readonly string[]>> = {
  Empty: [signs.goal],
  DoorKey: [signs.goal, signs.locked, signs.key],
  LavaGap: [signs.goal, signs.lava],
  LavaCrossing: [signs.goal, signs.lava],
  SimpleCrossing: [signs.goal],
  FourRooms: [signs.goal],
  Fetch: [signs.key, signs.ball],
  MultiRoom: [signs.goal, signs.doors],
  Unlock: [signs.locked, signs.key],
  UnlockPickup: [signs.locked, signs.key, signs.box],
  KeyCorridor: [signs.doors, signs.locked, signs.key, signs.ball],
  'Dynamic-Obstacles': [signs.goal, signs.obstacles],
  RedBlueDoors: [signs.doors],
};

function introduction(family: Family, mission: string): string {
  return [
    'You are an expert player of a game on a grid, which you see from above. You are the red triangle; its tip points to where you look.',
    'Grey squares are walls.',
    ...legends[family],
    `Your mission: ${mission}.`,
    `You can choose between ${offered[family].map((action) => `"${actionWords[action]}" (${explained[action]})`).join(', ')}.`,
  ].join(' ');
}

const formats = {
  action: () =>
    'Your response should be a valid JSON object in the following format:\n' +
    '{\n"thoughts": "{describe what you see and think about which action to choose}",\n"action": "{action}"\n}',
  scores: (family: Family) =>
    'Give each action a score from 1 (very bad) to 5 (very good) for how useful it is now. ' +
    'Your response should be a valid JSON object in the following format:\n' +
    `{\n"thoughts": "{describe what you see}",\n"action_scores": {${offered[family].map((action) => `"${actionWords[action]}": {score}`).join(', ')}}\n}`,
};

const doorKeyAction =
  'You are an expert 2D game player in a grid-based environment. ' +
  'You are observing the image of the current state, and your goal is to get the player to the pink ' +
  'goal square/tile. ' +
  'The player is shown by cyan triangle.' +
  'The tip (pointy end) of the triangle is the direction the player is facing, the flat side is the back. ' +
  'In the game the player must pick up a key to unlock the door. ' +
  'The square with a minus (-) and blue or yellow color is the closed door. ' +
  'The player should reach the pink goal tile to win. ' +
  "At each step the possible actions are: ['Turn left': turns direction to left, " +
  "'Turn right': turns direction to right, 'Move forward': take one step to front, " +
  "'Pick up': picks key only if key is in front of it, " +
  "'Toggle': toggle door to open it only if door is infront of it]. " +
  'Your response should be a valid json object in the following format. ' +
  "Include 'thoughts' only if it is needed to reason: \\{\n" +
  '"thoughts": "(Optional) describe the current scene and state of the agent as seen in the image.' +
  '", \n' +
  '"action": "your chosen action" \n' +
  '}';

const doorKeyScores =
  'You are an expert 2D game player in a grid-based environment. ' +
  'You are observing the image of the current state, and your goal is to get the player to the pink ' +
  'goal square/tile. ' +
  'The player is shown by cyan triangle.' +
  'The tip (pointy end) of the triangle is the direction the player is facing, the flat side is the back. ' +
  'In the game the player must pick up a key to unlock the door. ' +
  'The square with a minus (-) and blue or yellow color is the closed door. ' +
  'The player shuold reach the pink goal tile to win. ' +
  "At each step the possible actions are: ['Turn left': turns direction to left, " +
  "'Turn right': turns direction to right, 'Move forward': take one step to front, " +
  "'Pick up': picks key only if key is in front of it, " +
  "'Toggle': toggle door to open it only if door is infront of it]. " +
  'Please evaluate each action based on the current observation and assign a score between 1 (very ' +
  'bad) and 5 (very good), based on how useful or promising each action is in reaching the goal. ' +
  'Use only the available information and image.\n' +
  'Return your answer as a valid JSON object in the following format:\n' +
  '{\n' +
  '  "thoughts": "Describe briefly the current state of the agent as seen in the image.",\n' +
  '  "action_scores": {\n' +
  '    "Turn left": score_1,\n' +
  '    "Turn right": score_2,\n' +
  '    "Move forward": score_3,\n' +
  '    "Pick up": score_4,\n' +
  '    "Toggle": score_5\n' +
  '  }\n' +
  '}';

const emptyAction =
  'You are an expert 2D game player in a grid-based environment. ' +
  'The environment is an 2d grid empty room, and the goal of the agent is to reach the pink goal square. ' +
  'You are observing the image of the current state, and your goal is to get the player to the pink ' +
  'goal square. ' +
  "The player is shown by triangle.At each step you can choose one of these actions ['Turn left', " +
  "'Turn right', " +
  "'Move forward']Your response should be a valid json object in the following format: \\{\n" +
  '"thoughts": "Describe the current scene and state of the player as seen in the image.", \n' +
  '"action": "your choosen action" \n' +
  '}';

const emptyScores =
  'You are an expert 2D game player in a grid-based environment. ' +
  'The environment is an 2d grid empty room, and the goal of the agent is to reach the pink goal square. ' +
  'You are observing the image of the current state, and your goal is to get the player to the pink ' +
  'goal square. ' +
  'The player is shown by triangle.' +
  'Please evaluate each action based on the current observation and assign a score between 1 (very ' +
  'bad) and 5 (very good), reflecting how useful or promising each action is in reaching the goal. ' +
  'Use only the image and available information.\n' +
  'Return your answer as a valid JSON object in the following format:\n' +
  '{\n' +
  '  "thoughts": "Describe briefly the current state of the player as seen in the image.",\n' +
  '  "action_scores": {\n' +
  '    "Turn left": score_1,\n' +
  '    "Turn right": score_2,\n' +
  '    "Move forward": score_3,\n' +
  '  }\n' +
  '}';

const multiRoomAction =
  'You are an expert 2d game player. ' +
  'You are observing a series of connected rooms with doors that must be opened to get to next room ' +
  'in image. ' +
  'Your goal is to get to the green goal square.' +
  "At each step you can choose one of these actions ['Turn left', 'Turn right', 'Move forward', " +
  "'Toggle']Your response should be a valid json file in the following format: \\{\n" +
  '"thoughts": "{first read out the current status from image, then think carefully about which ' +
  'action to choose}", \n' +
  '"action": "{your choosen action}" \n' +
  '}';

const published: Partial<Record<Family, Record<'action' | 'scores', string>>> = {
  DoorKey: { action: doorKeyAction, scores: doorKeyScores },
  Empty: { action: emptyAction, scores: emptyScores },
  MultiRoom: { action: multiRoomAction, scores: multiRoomAction },
};
