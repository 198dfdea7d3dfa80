/** Names and numbers as people read them. */

const methods: Readonly<Record<string, string>> = {
  bc: 'Imitation (BC)',
  dpo: 'Preferences (DPO)',
  gigpo: 'GiGPO',
  ppo: 'PPO',
  grpo: 'GRPO',
};
const environments: Readonly<Record<string, string>> = {
  alfworld: 'ALFWorld',
  minigrid: 'MiniGrid',
  lewis: 'Lewis game',
};

/** `Imitation (BC)`; others in capitals. */
export const methodWords = (method: string) => methods[method] ?? method.toUpperCase();

/** `ALFWorld`; a path of a module stays as it is. */
export const environmentWords = (environment: string) => environments[environment] ?? environment;

/** `75 %` */
export const percent = (share: number) => `${(100 * share).toFixed(0)} %`;

/** A run's name without the time that it begins with, also within a label. */
export const nameWords = (label: string) => label.replace(/\d{4}-\d\d-\d\dT\d{4}-/g, '');

/** A flag whose path is cut to its last part. */
export const flagWords = (flag: string) => flag.replace(/ \S*\/(?=[^/ ]+$)/, ' …/');

/** Four digits, without trailing zeros. */
export const short = (value: number) => String(Number(value.toPrecision(4))).replace(/^-/, '−');

/** `+1.50`, `−0.25` */
export const signed = (value: number) =>
  `${value > 0 ? '+' : value < 0 ? '−' : ''}${Math.abs(value).toFixed(2)}`;

/** `1 step`, `7 steps` */
export const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** `12 s`, `3 min`, `2 h 5 min`, `3 d 4 h` */
export function durationWords(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** `2026-11-29 04:44`, as the file has it, UTC. */
export const timeWords = (iso: string) => iso.slice(0, 16).replace('T', ' ');
