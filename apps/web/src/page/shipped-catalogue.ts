/** The catalogue of this site: its builder puts one here. */
import type { Catalogue } from './catalogue.ts';

export const catalogue: Catalogue = {
  kinds: [],
  methods: [],
  settings: { train: [], sft: [], ppo: [], grpo: [] },
  example: '',
};
