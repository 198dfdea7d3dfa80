/** The games of the demonstration: what is collected, when fine-tuning is stopped, how long PPO learns, what is wanted. */
export interface DemonstratedGame {
  readonly id: string;
  /** flags of `emac collect`, but those of place and seed */
  readonly collect: readonly string[];
  /** flags of `emac sft`, but those of data, place and seed */
  readonly sft: readonly string[];
  /** flags of `emac ppo`, but those of start, place and seed */
  readonly ppo: readonly string[];
  /** of an evaluation */
  readonly episodes: number;
  /** of that after PPO, where it is another number */
  readonly episodesAfter?: number;
  /** also played with blank pictures */
  readonly isShownBlank: boolean;
  /** share of successes after PPO; null: as high as it goes */
  readonly wanted: number | null;
  readonly published: string;
  /** also evaluated by drawn answers, at the temperature of training: a likeliest step that leads back is taken for ever */
  readonly isDrawnToo: boolean;
  /** PPO also from the same start with one ratio an answer, in which thoughts count half */
  readonly comparesCredit: boolean;
}

/** Half of the labels are on purpose not the best action, and fine-tuning stops early: what is missing is left for PPO. */
const collect = ['--num-samples', '512', '--label-noise', '0.5'];
const sft = (updates: number) => ['--max-updates', String(updates), '--lr', '1e-3'];

export const demonstratedGames: readonly DemonstratedGame[] = [
  {
    id: 'gym_cards/NumberLine-v0',
    collect,
    sft: sft(10),
    ppo: ['--steps', '8192'],
    episodes: 1000,
    isShownBlank: true,
    isDrawnToo: false,
    wanted: 0.99,
    published: '0.894',
    comparesCredit: true,
  },
  {
    id: 'gym_cards/EZPoints-v0',
    collect,
    sft: sft(5),
    ppo: ['--steps', '24576'],
    episodes: 500,
    episodesAfter: 1000,
    isShownBlank: true,
    isDrawnToo: false,
    wanted: 0.95,
    published: '0.500',
    comparesCredit: false,
  },
  {
    id: 'MiniGrid-DoorKey-6x6-v0',
    collect,
    sft: sft(5),
    ppo: ['--steps', '65536'],
    episodes: 100,
    episodesAfter: 500,
    isShownBlank: false,
    isDrawnToo: true,
    wanted: 0.9,
    published: '',
    comparesCredit: false,
  },
  {
    id: 'gym_cards/Blackjack-v0',
    collect,
    sft: sft(5),
    ppo: ['--steps', '16384'],
    episodes: 2000,
    episodesAfter: 20_000,
    isShownBlank: false,
    isDrawnToo: false,
    wanted: 0.42,
    published: '0.402',
    comparesCredit: false,
  },
  {
    id: 'gym_cards/Points24-v0',
    collect,
    sft: sft(20),
    ppo: ['--steps', '49152'],
    episodes: 200,
    episodesAfter: 1000,
    isShownBlank: false,
    isDrawnToo: false,
    wanted: null,
    published: '0.023',
    comparesCredit: false,
  },
];
