/** A robot's step as a record for any vision-language-action model. */
import { vlaPrompt } from '@emac/vla';
import type { DatasetRecord } from '../dataset/offline-dataset.ts';

export interface RobotSample {
  /** path of its picture in the dataset's folder */
  readonly image: string;
  readonly instruction: string;
  /** the gripper last, −1 open and 1 closed */
  readonly action: readonly number[];
  /** key of action statistics */
  readonly source: string;
  readonly episode: string;
}

/** OpenVLA's prompt for the instruction, and the action in numbers. */
export function robotRecord({ image, instruction, action, source, episode }: RobotSample): DatasetRecord {
  return {
    image,
    text_input: vlaPrompt(instruction),
    text_output: action.join(' '),
    action: [...action],
    verbatim: true,
    task_type: source,
    game_id: episode,
  };
}
