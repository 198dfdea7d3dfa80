/**
 * GRPO and its kin, in one list: what each compares. To add one, write its function in `rollout/src/groups`, and an entry here; settings of its own
 * belong to `credit` in `grpo-settings.ts`.
 */
import {
  anchorAdvantages,
  graphAdvantages,
  historyAdvantages,
  type AdvantageEstimator,
  type HistoryAdvantageOptions,
  type TracedAttempt,
} from '@emac/rollout';
import type { RatioOf } from '@emac/losses';

/** Settings of all methods that compare steps. */
export interface CreditSettings extends Omit<HistoryAdvantageOptions, 'scale'> {
  /** of a step's own advantage beside its attempt's */
  readonly weight: number;
  /** of the attempt's advantage beside it */
  readonly attemptWeight: number;
}

export interface GroupMethod {
  /** after `--method`; null for a variant of grpo by its setting alone */
  readonly name: string | null;
  readonly about: string;
  /** what `--advantages` says of it */
  readonly compares: string;
  /** how attempts are compared */
  readonly attempts: AdvantageEstimator;
  /** how single steps are compared; absent: they have the advantage of their attempt */
  readonly steps?: StepComparison;
}

interface StepComparison {
  /** settings of `credit` that have an effect with it */
  readonly reads: readonly (keyof CreditSettings)[];
  /** for each attempt of a group one list, for each step its own advantage */
  readonly advantages: (group: readonly TracedAttempt[], options: HistoryAdvantageOptions) => number[][];
  /** of the attempt's advantage and of the step's own in their sum */
  readonly weights: (credit: CreditSettings) => { readonly attempt: number; readonly step: number };
}

/** By the value of `losses.advantages`. */
export const groupMethods = {
  group: {
    name: 'grpo',
    about: 'group relative policy optimization: reward, without a critic (GRPO)',
    compares: 'attempts with the mean of their group',
    attempts: 'group',
  },
  'leave-one-out': {
    name: 'rloo',
    about: 'GRPO that compares an attempt with the mean of the others at its task (RLOO)',
    compares: 'them with the mean of the others in their group (RLOO)',
    attempts: 'leave-one-out',
  },
  batch: {
    name: null,
    about: '',
    compares: 'them with the mean of the batch (REINFORCE++)',
    attempts: 'batch',
  },
  steps: {
    name: 'gigpo',
    about: 'GRPO that also compares single steps from equal states (GiGPO)',
    compares: 'also steps from equal states (GiGPO)',
    attempts: 'group',
    steps: {
      reads: ['discount', 'weight'],
      advantages: anchorAdvantages,
      weights: ({ weight }) => ({ attempt: 1, step: weight }),
    },
  },
  history: {
    name: 'hgpo',
    about: 'GRPO that compares single steps by the states that led to them (HGPO)',
    compares: 'only steps, by the states before them (HGPO)',
    attempts: 'group',
    steps: {
      reads: ['discount', 'history', 'exponent'],
      advantages: historyAdvantages,
      weights: () => ({ attempt: 0, step: 1 }),
    },
  },
  graph: {
    name: 'graphgpo',
    about: 'GRPO that also compares single steps by their distance to success (GraphGPO)',
    compares:
      'also steps from equal states, by the shortest way to success that any attempt found (GraphGPO)',
    attempts: 'group',
    steps: {
      reads: ['discount', 'weight', 'attemptWeight'],
      advantages: graphAdvantages,
      weights: ({ weight, attemptWeight }) => ({ attempt: attemptWeight, step: weight }),
    },
  },
} as const satisfies Readonly<Record<string, GroupMethod>>;

export type Advantages = keyof typeof groupMethods;
export const advantageNames = Object.keys(groupMethods) as [Advantages, ...Advantages[]];

/** Methods that differ from grpo in another setting of the losses than the comparison. */
const variants = {
  gspo: {
    about: 'GRPO with one probability ratio per answer (GSPO)',
    losses: { ratio: 'answer' },
  },
} as const;

type Compared = { [A in Advantages]: (typeof groupMethods)[A]['name'] }[Advantages];
export type GroupMethodName = NonNullable<Compared> | keyof typeof variants;

/** A name after `--method`, and the settings of `losses` that it stands for. */
interface NamedLosses {
  readonly name: GroupMethodName;
  readonly about: string;
  readonly losses: { readonly advantages?: Advantages | undefined; readonly ratio?: RatioOf | undefined };
}

export const namedGroupMethods: readonly NamedLosses[] = [
  ...advantageNames.flatMap((advantages): NamedLosses[] => {
    const { name, about } = groupMethods[advantages];
    if (name === null) return [];
    return [{ name, about, losses: advantages === 'group' ? {} : { advantages } }];
  }),
  ...Object.entries(variants).map(([name, rest]) => ({ name: name as keyof typeof variants, ...rest })),
];

export const groupMethodNames: readonly GroupMethodName[] = namedGroupMethods.map(({ name }) => name);

/** The settings of `losses` that a method's name stands for; undefined for the name of another method. */
export function namedLosses(method: string): NamedLosses['losses'] | undefined {
  return namedGroupMethods.find(({ name }) => name === method)?.losses;
}

/** The name of the method with these losses: that of its comparison first. */
export function groupMethodName(losses: NamedLosses['losses']): GroupMethodName {
  const has = ([setting, value]: [string, string | undefined]) =>
    losses[setting as keyof typeof losses] === value;
  const named = namedGroupMethods.find(({ losses: own }) => {
    const given = Object.entries(own);
    return given.length > 0 && given.every(has);
  });
  return named?.name ?? 'grpo';
}

/** What the comparison named by settings does. */
export function groupMethodOf({
  advantages = 'group',
}: {
  readonly advantages?: Advantages | undefined;
}): GroupMethod {
  return groupMethods[advantages];
}

/** The comparisons that read a setting of `credit`. */
export function comparisonsReading(setting: keyof CreditSettings): Advantages[] {
  return advantageNames.filter((each) => {
    const { steps }: GroupMethod = groupMethods[each];
    return steps?.reads.includes(setting) ?? false;
  });
}
