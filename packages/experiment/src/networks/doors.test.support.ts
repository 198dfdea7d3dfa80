/** The text of an environment's file for tests of small networks. */

/** Two doors in a row; an array alone, or the picture, says which is open: −1 left, 1 right. A wrong door ends the episode. */
export const doors = `
const ways = (task) => task.split(' ').slice(0, 2).map(Number);
export default {
  tasks: { training: ['-1 -1 a', '-1 1 a', '1 -1 a', '1 1 a'], heldOut: ['-1 -1 b', '-1 1 b', '1 -1 b', '1 1 b'] },
  actions: ['left', 'right'],
  begin(task) {
    const way = ways(task);
    let place = 0;
    const seen = () => ({
      text: 'Doors.',
      arrays: { open: { shape: [1], data: Float32Array.of(way[place] ?? 0) } },
      frames: [{ width: 40, height: 40, data: new Uint8Array(4800).fill(way[place] === 1 ? 255 : 0) }],
    });
    return {
      observation: seen(),
      step(action) {
        const isRight = action === (way[place] < 0 ? 'left' : 'right');
        place++;
        return { observation: seen(), reward: isRight && place === 2 ? 1 : 0, done: !isRight || place === 2 };
      },
    };
  },
  expert: (task, history) => (ways(task)[history.turns.length] < 0 ? 'left' : 'right'),
};
`;
