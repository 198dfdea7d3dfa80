// Custom code in a thread of its own: it imports the code, calls it, and sends back plain data. Plain JavaScript:
// it starts from sources and from packages.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { workerData } from 'node:worker_threads';

const { url, exported, port, answers, progress } = workerData;
// the code finds no port on which it could answer for this file
for (const name of Object.keys(workerData)) delete workerData[name];

/** places in `progress`, as module-thread.ts has them */
const [changes, begunCall, isAnswered] = [0, 1, 2];
const episodes = new Map();
let begun = 0;
/** the module's export, once it is loaded */
let given;

const isFunction = (value) => typeof value === 'function';
const isObject = (value) => typeof value === 'object' && value !== null;

/** Data as it is, null for a value that is none, such as a function. */
function plain(value) {
  try {
    return structuredClone(value);
  } catch {
    return null;
  }
}

/** The same for a value whose parts matter: those that are no data are left out. */
function plainParts(value) {
  const whole = plain(value);
  if (whole !== null || !isObject(value) || Array.isArray(value)) return whole;
  return Object.fromEntries(
    Object.entries(value).filter(([, part]) => part === null || plain(part) !== null),
  );
}

/** The parts of an answer that mean something; others need not be plain data. */
function answered(told) {
  if (!isObject(told)) return plain(told);
  const { observation, reward, done, truncated, won, actions } = told;
  return {
    observation: seen(observation),
    reward: plain(reward),
    done,
    truncated,
    won,
    actions: plain(actions),
  };
}

function seen(observation) {
  if (!isObject(observation)) return plain(observation);
  const { text, frames, arrays, admissible } = observation;
  return plain({
    text,
    ...(frames !== undefined && { frames }),
    ...(arrays !== undefined && { arrays }),
    ...(admissible !== undefined && { admissible }),
  });
}

/** What is exported, as far as it is data. */
function described(found) {
  if (found === undefined) return { isMissing: true };
  if (!isObject(found)) return { parts: {}, isFunction: isFunction(found) };
  const isWhole = isFunction(found.open);
  const { maxSteps, actions, rewards, tasks, expert, anchor, prompt, begin, tools, answer } = found;
  const set = (each) => (isFunction(each) ? { isFunction: true } : plain(each));
  return {
    isWhole,
    calls: {
      begin: isFunction(begin),
      expert: isFunction(expert),
      anchor: isFunction(anchor),
      prompt: isFunction(prompt),
      answer: isFunction(answer),
    },
    parts: {
      maxSteps: plain(maxSteps),
      actions: plain(actions),
      rewards: plain(rewards),
      expert: plain(expert),
      anchor: plain(anchor),
      prompt: plain(prompt),
      answer: plain(answer),
      tools: toolsIn(tools),
      tasks: isObject(tasks) ? { training: set(tasks.training), heldOut: set(tasks.heldOut) } : plain(tasks),
    },
  };
}

/** Each tool as data, with whether it has a function. */
function toolsIn(tools) {
  if (!isObject(tools)) return plain(tools);
  const described = ([name, tool]) => {
    if (!isObject(tool)) return [name, plain(tool)];
    const { description, parameters, run } = tool;
    return [
      name,
      { description: plain(description), parameters: plain(parameters), run: isFunction(run) || null },
    ];
  };
  return Object.fromEntries(Object.entries(tools).map(described));
}

/** The function of this name: exported by name, as the default, or as a method of the default. */
function functionIn(all, name) {
  const { default: standard } = all;
  if (isFunction(all[name])) return all[name];
  if (isFunction(standard)) return standard;
  const method = isObject(standard) ? standard[name] : undefined;
  return isFunction(method) ? method.bind(standard) : undefined;
}

const calls = {
  /** `own`: name of a function that is wanted in place of an environment */
  async load(own) {
    const all = await import(url);
    given = own === undefined ? all[exported ?? 'default'] : functionIn(all, own);
    return { ...described(given), names: Object.keys(all), tasks: plain(all.tasks) };
  },
  task: (set, number) => plain(given.tasks[set](number)),
  async begin(task, seed) {
    const made = await given.begin(task, seed);
    if (!isObject(made)) return { made: plain(made) };
    episodes.set(++begun, made);
    const { observation, actions, step } = made;
    return {
      episode: begun,
      made: { observation: seen(observation), actions: plain(actions) },
      hasStep: isFunction(step),
    };
  },
  step: async (episode, action) => answered(await episodes.get(episode).step(action)),
  async tool(episode, name, values) {
    return answered(await given.tools[name].run(values, episodes.get(episode)));
  },
  answer: async (episode, text) => answered(await given.answer(text, episodes.get(episode))),
  async close(episode) {
    const made = episodes.get(episode);
    episodes.delete(episode);
    if (isFunction(made.close)) await made.close();
  },
  expert: async (task, history) => plain(await given.expert(task, history)),
  prompt: (history) => plain(given.prompt(history)),
  anchor: (history) => plain(given.anchor(history)),
  /** a function: an expert, a reward, or an agent's whole attempt */
  run: async (asked) => plainParts(await given(asked)),
  act: async (observation, asked, seed) =>
    plain(await given(observation, { ...asked, random: uniform(seed) })),
};

/** Numbers from 0 to below 1 for one step of a policy (splitmix32). */
function uniform(seed) {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

const messageOf = (thrown) => (thrown instanceof Error ? thrown.message : String(thrown));

/** Shows the other thread that something has happened, even while this one computes. */
function changed() {
  Atomics.add(progress, changes, 1);
  Atomics.notify(progress, changes);
}

/** Frees what nobody refers to. Node offers it to those who ask V8. */
function collect() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

port.on('message', ({ number, call, given: words, isAwaited }) => {
  if (call === 'collect') return collect();
  Atomics.store(progress, begunCall, number);
  changed();
  if (isAwaited) {
    let answer;
    try {
      answer = { value: calls[call](...words) };
    } catch (thrown) {
      answer = { thrown: messageOf(thrown) };
    }
    answers.postMessage({ number, ...answer });
    Atomics.store(progress, isAnswered, 1);
    changed();
    return;
  }
  void (async () => {
    try {
      port.postMessage({ number, value: await calls[call](...words) });
    } catch (thrown) {
      port.postMessage({ number, thrown: messageOf(thrown) });
    }
    changed();
  })();
});
