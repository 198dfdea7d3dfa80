/** walk: on a grid of 3 by 3, a white square walks to the green one. The picture alone shows where both are. */

const size = 3;
const cells = Array.from({ length: size * size }, (_, cell) => cell);
/** Up, right, down, left; numbers, because the shipped model spells them best. */
const moves = { 1: [0, -1], 2: [1, 0], 3: [0, 1], 4: [-1, 0] };

/** `4 to 8`: from a cell to another. */
const all = cells.flatMap((from) => cells.filter((to) => to !== from).map((to) => `${from} to ${to}`));

/** A task in nine; ways of each length are among them. */
function isHeldOut(task) {
  const [from, to] = cellsOf(task);
  return (4 * from + to) % 9 === 5;
}

const cellsOf = (task) => task.split(' to ').map(Number);

/** The cell after a move; at the edge, the same one. */
function moved(cell, [right, down]) {
  const [x, y] = [(cell % size) + right, Math.floor(cell / size) + down];
  return x >= 0 && x < size && y >= 0 && y < size ? y * size + x : cell;
}

/** The grid in pixels, 16 to a cell. */
function picture(agent, goal) {
  const width = size * 16;
  const data = new Uint8Array(width * width * 3);
  for (let y = 0; y < width; y++)
    for (let x = 0; x < width; x++) {
      const cell = Math.floor(y / 16) * size + Math.floor(x / 16);
      const color = cell === agent ? [255, 255, 255] : cell === goal ? [0, 200, 0] : [40, 40, 40];
      data.set(color, (y * width + x) * 3);
    }
  return { width, height: width, data };
}

/** One number a cell: 1 the agent, -1 the goal. */
const map = (agent, goal) => ({
  shape: [size * size],
  data: Float32Array.from(cells, (cell) => (cell === agent ? 1 : cell === goal ? -1 : 0)),
});

export default {
  tasks: {
    training: all.filter((task) => !isHeldOut(task)),
    heldOut: all.filter(isHeldOut),
  },

  begin(task) {
    const [from, goal] = cellsOf(task);
    let agent = from;
    const seen = (text) => ({
      text,
      frames: [picture(agent, goal)],
      arrays: { map: map(agent, goal) },
    });
    return {
      observation: seen('Walk to the green square: 1 up, 2 right, 3 down, 4 left.'),
      actions: Object.keys(moves),
      step(action) {
        const move = moves[action];
        if (!move) return { observation: seen('Nothing happens.'), reward: 0, done: false };
        agent = moved(agent, move);
        const done = agent === goal;
        return { observation: seen(done ? 'You are there.' : 'You walk.'), reward: done ? 1 : 0, done };
      },
    };
  },

  /** First to the column, then to the row. */
  expert(task, { turns }) {
    const [from, goal] = cellsOf(task);
    const agent = turns.reduce((cell, { command }) => moved(cell, moves[command] ?? [0, 0]), from);
    const [x, y] = [(goal % size) - (agent % size), Math.floor(goal / size) - Math.floor(agent / size)];
    if (x !== 0) return x > 0 ? '2' : '4';
    return y > 0 ? '3' : '1';
  },

  maxSteps: 8,
  rewards: [0, 1],
};
