/** The page: a form, the trainer in its own thread, and what it says as charts and sentences. */
import { zipSync } from 'fflate';
import type { FromTrainer, ToTrainer } from '../tab/messages.ts';
import { createCharts } from './charts.ts';
import { askedBy, environments, methods, policyTitles, type Choice } from './choices.ts';

const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const [environment, policy, method] = ['environment', 'policy', 'method'].map((id) =>
  element<HTMLSelectElement>(id),
);
const [amount, seed, evaluated] = ['amount', 'seed', 'evaluated'].map((id) => element<HTMLInputElement>(id));
const [train, stop, save] = ['train', 'stop', 'export'].map((id) => element<HTMLButtonElement>(id));
const progress = element<HTMLProgressElement>('progress');
const charts = createCharts(element('charts'));

const trainer = new Worker('trainer.js', { type: 'module' });
const tell = (message: ToTrainer): void => trainer.postMessage(message);
let run = '';

function fill(
  select: HTMLSelectElement,
  options: readonly (readonly [value: string, title: string])[],
): void {
  select.replaceChildren(...options.map(([value, title]) => new Option(title, value)));
}

function offerPolicies(): void {
  const { policies } = environments.find(({ name }) => name === environment!.value)!;
  fill(
    policy!,
    policies.map((name) => [name, policyTitles[name]]),
  );
  offerAmount();
}

function offerAmount(): void {
  const { unit, usual } = methods.find(({ name }) => name === method!.value)!;
  element('amount-label').textContent = unit;
  amount!.value = String(usual[policy!.value === 'emma-tiny' ? 0 : 1]);
}

function chosen(): Choice {
  return {
    environment: environment!.value,
    policy: policy!.value,
    method: method!.value,
    amount: Number(amount!.value),
    seed: Number(seed!.value),
    evaluated: Number(evaluated!.value),
  };
}

function show(state: string, isTraining: boolean): void {
  element('state').textContent = state;
  train!.disabled = isTraining;
  stop!.disabled = !isTraining;
  progress.hidden = !isTraining;
}

const percent = (part: number | null): string => (part === null ? '–' : `${Math.round(100 * part)} %`);

function note(text: string): void {
  const notes = element('notes');
  notes.textContent += `${text}\n`;
  notes.scrollTop = notes.scrollHeight;
}

function download(files: readonly { readonly path: string; readonly bytes: Uint8Array }[]): void {
  const name = run.split('/').at(-1)!;
  const zip = zipSync(Object.fromEntries(files.map(({ path, bytes }) => [`${name}/${path}`, bytes])));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([zip as Uint8Array<ArrayBuffer>], { type: 'application/zip' }));
  link.download = `${name}.zip`;
  link.click();
  URL.revokeObjectURL(link.href);
}

const heard: {
  readonly [Kind in FromTrainer['kind']]: (message: Extract<FromTrainer, { kind: Kind }>) => void;
} = {
  ready: () => show('Ready.', false),
  absent({ message }) {
    show(message, false);
    train!.disabled = true;
  },
  note: ({ text }) => note(text),
  run({ folder }) {
    run = folder;
    save!.disabled = false;
    charts.clear();
    show('Training …', true);
  },
  progress({ part, done, total }) {
    element('state').textContent = `${part}: ${done} of ${total}`;
    [progress.value, progress.max] = [done, total];
  },
  metrics: ({ line }) => charts.add(line),
  stopped: () => show('Stopped. Train goes on from here.', false),
  failed: ({ message }) => show(message, false),
  finished({ before, after, seconds }) {
    show(`Finished in ${seconds.toFixed(1)} s.`, false);
    element('result').textContent =
      `Held-out episodes won: ${percent(before)} before, ${percent(after)} after.`;
  },
  files: ({ files }) => download(files),
};

trainer.addEventListener('message', ({ data }: MessageEvent<FromTrainer>) => heard[data.kind](data as never));
trainer.addEventListener('error', ({ message }) => show(message || 'the trainer does not start here', false));
environment!.addEventListener('change', offerPolicies);
policy!.addEventListener('change', offerAmount);
method!.addEventListener('change', offerAmount);
stop!.addEventListener('click', () => tell({ kind: 'stop' }));
save!.addEventListener('click', () => tell({ kind: 'files', folder: run }));
element<HTMLFormElement>('form').addEventListener('submit', (event) => {
  event.preventDefault();
  element('result').textContent = '';
  show('Opening …', true);
  tell({ kind: 'train', asked: askedBy(chosen()) });
});

fill(
  environment!,
  environments.map(({ name, title }) => [name, title]),
);
fill(
  method!,
  methods.map(({ name, title }) => [name, title]),
);
offerPolicies();
