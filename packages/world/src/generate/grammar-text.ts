/**
 * The twl2 grammar of generated games: every text of ALFWorld's own grammar (MIT), in its syntax, without rules and
 * actions that no game reaches. The two dialects differ in the wording of putting down and arriving (the old one names
 * the location), and in `help`, which only the new one has.
 */
import type { Dialect } from '../dialect.ts';

interface Rule {
  readonly condition?: string;
  readonly rhs: string;
}

type Rules = Readonly<Record<string, readonly Rule[]>>;

const contents = "[{o.indefinite + ' ' + o.name | inreceptacle(o:object, r:receptacle)}]";

const examineReceptacle: readonly Rule[] = [
  {
    condition: 'openable(r:receptacle) & opened(r:receptacle)',
    rhs: `The {r.name} is open. In it, you see ${contents}.`,
  },
  { condition: 'openable(r:receptacle)', rhs: 'The {r.name} is closed.' },
  { rhs: `On the {r.name}, you see ${contents}.` },
];

/** One rule of `examineObject`: a condition on states, and its text. */
function examined(states: string, rhs: string): Rule {
  const condition = states
    .split(' ')
    .map((state) => `${state}(o:object)`)
    .join(' & ');
  return { condition, rhs };
}

const examineObject: readonly Rule[] = [
  {
    condition: 'isreceptacleobject(o:object)',
    rhs: "This is a normal {o.name}. In it, you see [{o2.indefinite + ' ' + o2.name | inreceptacleobject(o2:object, o:object)}].",
  },
  examined('isclean ishot issliced', 'This is a hot and clean sliced {o.name}.'),
  examined('isclean iscool issliced', 'This is a cool and clean sliced {o.name}.'),
  examined('isclean issliced', 'This is a clean sliced {o.name}.'),
  examined('ishot issliced', 'This is a hot sliced {o.name}.'),
  examined('iscool issliced', 'This is a cool sliced {o.name}.'),
  examined('isclean ishot', 'This is a hot and clean {o.name}.'),
  examined('isclean iscool', 'This is a cool and clean {o.name}.'),
  examined('ishot', 'This is a hot {o.name}.'),
  examined('isclean', 'This is a clean {o.name}.'),
  examined('iscool', 'This is a cold {o.name}.'),
  examined('toggleable istoggled', 'This {o.name} is on.'),
  examined('toggleable not_istoggled', 'This {o.name} is off.'),
  examined('sliceable issliced', 'This is a sliced {o.name}.'),
  { rhs: "There's nothing special about {o.name}." },
];

const here = 'atlocation(a:agent, l:location) & receptacleatlocation(r:receptacle, l:location)';
const besideIt =
  'atlocation(a:agent, l:location) & objectatlocation(o:object, l:location) & ' +
  'receptacleatlocation(r:receptacle, l:location) & not_inreceptacle(o:object, r:receptacle)';
const anywhere = 'receptacleatlocation(r:receptacle, l:location)';

const look: Rules = {
  'look.feedback': [
    { condition: here, rhs: '#look-variations#. Next to it, you see #list_objects_on_the_floor#.' },
    { rhs: 'You are in the middle of a room. Looking quickly around you, you see #list_appliances#.' },
  ],
  'look-variations': [{ rhs: `You are facing the [{r.name | ${here}}]` }],
  list_objects_on_the_floor: [
    { condition: besideIt, rhs: `[{#overview(o)# | ${besideIt}}]` },
    { rhs: 'nothing' },
  ],
  list_appliances: [{ condition: anywhere, rhs: `[{#overview(r)# | ${anywhere}}]` }, { rhs: 'nothing' }],
  'overview(o)': [{ rhs: '{o.indefinite} {o.name}' }],
  'overview(r)': [{ rhs: '{r.indefinite} {r.name or r.id}' }],
  list_empty: [{ rhs: 'nothing' }],
  list_separator: [{ rhs: ', ' }],
  list_last_separator: [{ rhs: ', and ' }],
};

const toggle: Rules = {
  'toggleObject.feedback': [
    { condition: 'toggleable(o:object) & istoggled(o:object)', rhs: 'You turn on the {o.name}.' },
    { condition: 'toggleable(o:object)', rhs: 'You turn off the {o.name}.' },
    { rhs: "You don't see any switch on the {o.name}." },
  ],
};

const helpText = `
Available commands:
  look:                             look around your current location
  inventory:                        check your current inventory
  go to (receptacle):               move to a receptacle
  open (receptacle):                open a receptacle
  close (receptacle):               close a receptacle
  take (object) from (receptacle):  take an object from a receptacle
  move (object) to (receptacle):  place an object in or on a receptacle
  examine (something):              examine a receptacle or an object
  use (object):                     use an object
  heat (object) with (receptacle):  heat an object using a receptacle
  clean (object) with (receptacle): clean an object using a receptacle
  cool (object) with (receptacle):  cool an object using a receptacle
  slice (object) with (object):     slice an object using a sharp object
`;

const mainRules = (task: string, dialect: Dialect): Rules => ({
  intro: [{ rhs: '-= Welcome to TextWorld, ALFRED! =-\n\n#look.feedback#\n\n#task#' }],
  task: [{ rhs: `Your task is to: ${task}.` }],
  'GotoLocation.feedback': [
    { rhs: `You arrive at ${dialect === 'move' ? '{r.name}' : '{lend.name}'}. #examineReceptacle.feedback#` },
  ],
  'OpenObject.feedback': [{ rhs: 'You open the {r.name}. #examineReceptacle.feedback#' }],
  'CloseObject.feedback': [{ rhs: 'You close the {r.name}.' }],
  'PickupObject.feedback': [{ rhs: 'You pick up the {o.name} from the {r.name}.' }],
  'PutObject.feedback': [
    {
      rhs:
        dialect === 'move'
          ? 'You move the {o.name} to the {r.name}.'
          : 'You put the {o.name} in/on the {r.name}.',
    },
  ],
  'inventory.feedback': [
    {
      condition: 'holdsany(a:agent)',
      rhs: "You are carrying: [{o.indefinite + ' ' + o.name | holds(a:agent, o:object)}].",
    },
    { rhs: 'You are not carrying anything.' },
  ],
  'examineReceptacle.feedback': examineReceptacle,
  'examineObject.feedback': examineObject,
});

const block = (rules: Rules): string => `grammar :: """\n${JSON.stringify(rules, null, 2)}\n""";\n`;

function action(name: string, template: string, [feedback, rules]: readonly [string, Rules?]): string {
  const own = rules === undefined ? '' : `\n${block(rules)}`;
  return `action ${name} {\n    template :: "${template}";\n    feedback :: "${feedback}";\n${own}}\n`;
}

/** An action with one sentence about an object and its treatment as its text. */
function deed(name: string, template: string, sentence: string): string {
  const rule = `${name[0]!.toLowerCase()}${name.slice(1)}.feedback`;
  return action(name, template, [`#${rule}#`, { [rule]: [{ rhs: sentence }] }]);
}

/** The grammar of one dialect with the task sentence written in, e.g. 'put a apple in fridge'. */
export function grammarText(task: string, dialect: Dialect): string {
  return [
    block(mainRules(task, dialect)),
    action('GotoLocation', 'go to [{r.name | receptacleatlocation(r:receptacle, lend:location)}]', [
      '#GotoLocation.feedback#',
    ]),
    action('OpenObject', 'open {r}', ['#OpenObject.feedback#']),
    action('CloseObject', 'close {r}', ['#CloseObject.feedback#']),
    action('PickupObject', 'take {o} from {r}', ['#PickupObject.feedback#']),
    action('PutObject', dialect === 'move' ? 'move {o} to {r}' : 'put {o} in/on {r}', [
      '#PutObject.feedback#',
    ]),
    action('inventory', 'inventory', ['#inventory.feedback#']),
    action('examineReceptacle', 'examine {r}', ['#examineReceptacle.feedback#']),
    action('examineObject', 'examine {o}', ['#examineObject.feedback#']),
    action('ToggleObject', 'use {o}', ['#toggleObject.feedback#', toggle]),
    deed('HeatObject', 'heat {o} with {r}', 'You heat the {o.name} using the {r.name}.'),
    deed('CleanObject', 'clean {o} with {r}', 'You clean the {o.name} using the {r.name}.'),
    deed('CoolObject', 'cool {o} with {r}', 'You cool the {o.name} using the {r.name}.'),
    deed('SliceObject', 'slice {co} with {ko}', 'You sliced the {co.name} with the {ko.name}.'),
    action('look', 'look', ['#look.feedback#', look]),
    ...(dialect === 'move' ? [action('help', 'help', [helpText])] : []),
  ].join('\n');
}
