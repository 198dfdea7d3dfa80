/** Faults in environments and their texts. */
import { fault, type Fault } from '../fault.ts';

export const worlds: readonly Fault[] = [
  // environments
  fault(
    'world-reset',
    ['this.#forget();\n    return this.#state(writer.rule', 'return this.#state(writer.rule'],
    'a world keeps its commands after a reset',
  ),
  fault(
    'memory-put',
    ["case 'put':\n        this.held = null;", "case 'put':"],
    'the player believes it still holds an object after putting it down',
  ),
  fault(
    'minigrid-reward',
    ['1 - 0.9 * (world.taken / maxSteps)', '1 - 0.9 * ((world.taken - 1) / maxSteps)'],
    'a solved grid is worth a step more',
  ),
  fault(
    'minigrid-left',
    ['world.direction = (direction + 3) & 3;', 'world.direction = (direction + 1) & 3;'],
    'left turns right',
  ),
  fault(
    'lake-slip',
    ['const directions = [(action + 3) % 4, action,', 'const directions = [(action + 2) % 4, action,'],
    'ice slips backwards',
  ),
  fault(
    'sokoban-pulls',
    ['pulls: node.pulls + Number(box !== node.pulled),', 'pulls: node.pulls + 1,'],
    "RAGEN's rooms count every pull",
  ),
  fault(
    'blackjack-dealer',
    ['while (totalOf(hand) < 17)', 'while (totalOf(hand) <= 17)'],
    'the dealer draws at 17',
  ),
  fault(
    'number-line-end',
    ['truncated: !won && steps >= 2 * maxPosition', 'truncated: !won && steps > 2 * maxPosition'],
    'an episode has one step more',
  ),
  fault(
    'cards-limit',
    ['const truncated = outcome.truncated || now.steps >= maxSteps;', 'const truncated = outcome.truncated;'],
    '--max-steps is ignored',
  ),
  fault(
    'tabletop-grip',
    [
      'if (Math.abs(u) > (hand.opening - side.width) / 2 + 1e-9',
      'if (Math.abs(u) > hand.opening - side.width + 1e-9',
    ],
    'a hand grips things beside its fingers',
  ),
  fault(
    'tabletop-drawer',
    ['const isStraight = Math.abs(hand.turn[2]) <= tolerance.yaw;', 'const isStraight = true;'],
    'a turned hand holds a knob',
  ),
  fault(
    'lewis-target',
    ["return answer.verdict === 'yes' ? -1 : -0.3;", "return answer.verdict === 'yes' ? -0.3 : -1;"],
    'a false alarm costs less than a miss',
  ),
  fault(
    'lewis-rivals',
    ['.sort((a, b) => b.near - a.near)', '.sort((a, b) => a.near - b.near)'],
    'rivals are the least similar concepts',
  ),
  fault(
    'numpy-rotation',
    ['const isSwapped = rotation >= 32;', 'const isSwapped = rotation > 32;'],
    'one in 64 numbers is not numpy’s',
  ),
  // robots' data
  fault(
    'vla-bin',
    ['Math.min(Math.max(vocabulary - id - 1, 0), 254)', 'Math.min(Math.max(vocabulary - id, 0), 254)'],
    'an action token is read one bin off',
  ),
  fault(
    'vla-mask',
    [
      'if (mask?.[place] === false) return value;\n    const [low, high] = [q01[place]!, q99[place]!];\n    return 0.5',
      'const [low, high] = [q01[place]!, q99[place]!];\n    return 0.5',
    ],
    'the gripper is scaled like the arm',
  ),
  fault(
    'rlds-checksum',
    ["check(place, { name: 'data', data, stated: uint32(body, length) });", ''],
    'a damaged record is read',
  ),
  fault(
    'mixture-buffer',
    ['held.length < buffer - 1', 'held.length < buffer'],
    'the shuffle buffer holds one step more',
  ),
  // language models
  fault(
    'budget-reserved',
    ['reserved = sumOf(reserved, most);', ''],
    'requests under way do not count for the budget',
  ),
  fault(
    'retry-count',
    ['number >= options.maxAttempts', 'number > options.maxAttempts'],
    'one attempt more than was allowed',
  ),
  fault(
    'limits-window',
    ['sent[0].at + windowMs <= clock.now()', 'sent[0].at + windowMs < clock.now()'],
    'a request waits a moment longer than a minute',
  ),
  fault(
    'journal-replay',
    ['for (let line = from.replies; line < entries.length; line++) unused.add(line);', ''],
    'replies after the checkpoint are paid for again',
  ),
  fault(
    'prompt-dropped',
    [
      'turns: history.turns.slice(dropped.turns)',
      'turns: history.turns.slice(0, history.turns.length - dropped.turns)',
    ],
    'the newest turns are dropped',
  ),
  fault(
    'reply-thought',
    ['if (command !== null) return command;\n  return thoughts[0]', 'return thoughts[0]'],
    'a reply with thought and command counts as a thought',
  ),
  fault(
    'curriculum-floor',
    [
      'isBelow.forEach((each, task) => (isRaised[task] ||= each));',
      'isBelow.forEach((each, task) => (isRaised[task] = each));',
    ],
    'a task may fall below its floor',
  ),
  fault(
    'best-interval',
    ['updates - state.bestUpdate >= interval', 'updates - state.bestUpdate > interval'],
    'the best checkpoint is one update late',
  ),
];
