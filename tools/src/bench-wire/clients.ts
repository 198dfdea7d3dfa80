/** The clients of `main.ts`: an environment that does nothing, with one picture. Arguments: address, clients, whether with pictures. */
import { playElsewhere } from '@emac/bridge';
import { Random, type Environment, type Observation, type Step } from '@emac/core';

const [url, clients, withPictures] = process.argv.slice(2);
const random = Random.fromSeed(0);
const side = 300;
const picture = {
  width: side,
  height: side,
  // areas of one colour, as rooms have them
  data: Uint8Array.from({ length: side * side * 3 }, (_, place) => (place >> 9) & 255),
};
const observation: Observation = {
  text: 'You arrive at cabinet 1. The cabinet 1 is open. In it, you see a mug 2, a plate 1, and a soapbottle 3.',
  frames: withPictures === 'true' ? [picture] : [],
  admissible: Array.from({ length: 30 }, (_, place) => `go to cabinet ${place + random.integer(9)}`),
};
const step: Step = { observation, reward: 0, terminated: false, truncated: false, info: { won: false } };
const environment: Environment = {
  tasks: Array.from({ length: Number(clients) }, (_, place) => ({ id: `nothing/${place}`, type: null })),
  begin: async (task) => ({
    task,
    first: observation,
    step: async () => step,
    close: async () => {},
  }),
};

await playElsewhere({
  url: url!,
  retryMs: 10_000,
  wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  environment,
  name: 'bench',
  atOnce: Number(clients),
  pictures: withPictures === 'true',
});
