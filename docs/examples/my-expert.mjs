/** Looks everywhere once, takes what the task names, treats it, and brings it where it belongs. */
const treatments = { clean: ['clean', 'sinkbasin'], hot: ['heat', 'microwave'], cool: ['cool', 'fridge'] };

export function label({ history, admissible }) {
  const task = /task is to: (.*)\./.exec(history.initial)[1].replace('heat', 'hot');
  const [, object, place] = /(\w+) (?:and put it )?(?:in|on) (\w+)$/.exec(task) ?? [];
  const done = history.turns.map((turn) => turn.command);
  const did = (start) => done.some((command) => command.startsWith(start));
  const first = (start) => admissible.find((each) => each.startsWith(start) && !done.includes(each));
  if (!did(`take ${object} `)) return first(`take ${object} `) ?? first('open ') ?? first('go to ');
  const [verb, station] = treatments[/clean|hot|cool/.exec(task)?.[0]] ?? [];
  if (verb && !did(`${verb} `)) return first(`${verb} ${object} `) ?? first(`go to ${station} `);
  const put = admissible.find((each) => /^(move|put) /.test(each) && each.includes(` ${place} `));
  return put ?? first('open ') ?? first(`go to ${place} `);
}
