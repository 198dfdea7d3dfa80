/** The games of the demonstration: fine-tuning updates, length of PPO, wanted results. */
export interface DemonstratedGame {
  readonly id: string;
  /** updates of fine-tuning, stopped early to leave room for PPO */
  readonly tuning: number;
  /** steps of PPO */
  readonly steps: number;
  /** of an evaluation */
  readonly episodes: number;
  /** of the evaluation after PPO, if different */
  readonly episodesAfter?: number;
  /** share of successes after PPO; null: as high as it goes */
  readonly wanted: number | null;
  readonly published: string;
  /** also played with blank pictures */
  readonly isShownBlank?: true;
  /** also evaluated with sampled answers at training temperature: a greedy step back would repeat forever */
  readonly isDrawnToo?: true;
  /** also runs PPO whose sampling temperature falls from 1 to this */
  readonly finalTemperature?: number;
  /** also runs PPO with one ratio per answer, thoughts counted half */
  readonly comparesCredit?: true;
}

export const demonstratedGames: readonly DemonstratedGame[] = [
  {
    id: 'gym_cards/NumberLine-v0',
    tuning: 10,
    steps: 8192,
    episodes: 1000,
    wanted: 0.99,
    published: '0.894',
    isShownBlank: true,
    comparesCredit: true,
  },
  {
    id: 'gym_cards/EZPoints-v0',
    tuning: 5,
    steps: 24_576,
    episodes: 500,
    episodesAfter: 1000,
    wanted: 0.95,
    published: '0.500',
    isShownBlank: true,
  },
  {
    id: 'MiniGrid-DoorKey-6x6-v0',
    tuning: 5,
    steps: 65_536,
    episodes: 100,
    episodesAfter: 500,
    wanted: 0.9,
    published: '',
    isDrawnToo: true,
    finalTemperature: 0.25,
  },
  {
    id: 'gym_cards/Blackjack-v0',
    tuning: 5,
    steps: 16_384,
    episodes: 2000,
    episodesAfter: 20_000,
    wanted: 0.42,
    published: '0.402',
  },
  {
    id: 'gym_cards/Points24-v0',
    tuning: 20,
    steps: 49_152,
    episodes: 200,
    episodesAfter: 1000,
    wanted: null,
    published: '0.023',
  },
];
