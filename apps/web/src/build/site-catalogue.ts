/** What the site offers: the environments, methods and settings of the packages, as far as a tab has them. */
import { readFileSync } from 'node:fs';
import { labelMethod, learnsPairs, namedGroupMethods, phases } from '@emac/algorithms';
import type { EnvironmentKind } from '@emac/core';
import { kinds, subjectOf } from '@emac/opening';
import {
  grpoSchema,
  ppoSchema,
  statedSettings,
  trainSchema,
  unmet,
  usualModel,
  type StatedSetting,
} from '@emac/settings';
import {
  ownEnvironment,
  type Catalogue,
  type OfferedKind,
  type OfferedMethod,
  type OfferedSetting,
} from '../page/catalogue.ts';

/** The usual models of environments that read words, as the commands have them; the first is loaded with the site, others when chosen. */
export const siteModels: readonly string[] = [
  ...new Set([usualModel(), ...kinds.flatMap(({ ids, local }) => (local ? [usualModel(ids[0])] : []))]),
];

const example = new URL('../../../../docs/examples/my-environment.mjs', import.meta.url);

/** Errors: those of reading the example. */
export function siteCatalogue(): Catalogue {
  return {
    kinds: [...kinds.filter(({ ids }) => ids.length > 0).map(offeredKind), ownKind],
    methods: methodsOffered(),
    settings: {
      train: settingsOf(trainSchema, (when) => !when.includes('data')),
      sft: settingsOf(trainSchema, (when) => unmet(when, subjectIn('sft'), null) === null),
      ppo: settingsOf(ppoSchema),
      grpo: settingsOf(grpoSchema),
    },
    example: readFileSync(example, 'utf8'),
  };
}

function offeredKind(kind: EnvironmentKind): OfferedKind {
  const { name, about, ids, local } = kind;
  const networks = local?.(ids[0]!).numbers ? ['mlp', 'cnn'] : [];
  const usual = usualModel(ids[0]);
  const spoken = kind.robot ? [] : [usual, ...siteModels.filter((each) => each !== usual)];
  const policies = local ? [...networks, ...spoken] : siteModels.slice(0, 1);
  return { name, about, environments: ids, policies, refusal: refusalOf(kind) };
}

const ownKind: OfferedKind = {
  name: 'your own',
  about: 'a module of your own, which is kept in the folder of its runs',
  environments: [ownEnvironment],
  policies: [...siteModels, 'mlp', 'cnn'],
  refusal: null,
};

function refusalOf({ isElsewhere = false, robot, policy, local }: EnvironmentKind): string | null {
  if (isElsewhere) return 'another program plays it';
  if (robot || (!local && policy !== siteModels[0])) return `needs ${policy}, which the site does not have`;
  return null;
}

const subjectIn = (method: string, policy: string | null = null) => subjectOf({ method, env: null, policy });

/** Whether a dataset is read by small networks, as the setting that names it says. */
const networksReadData = statedSettings(trainSchema)
  .filter(({ node }) => node.flag === 'data')
  .every(({ when }) => unmet(when, subjectIn('sft', 'mlp'), null) === null);

function methodsOffered(): OfferedMethod[] {
  const offered: Omit<OfferedMethod, 'hasNetworks' | 'hasPairs'>[] = [
    ...phases.map((name) => ({ name, about: labelMethod(name).about, family: 'train' as const })),
    ...phases.filter(learnsPairs).map((name) => ({
      name: `bc,${name}`,
      about: `behaviour cloning, then ${name}: two runs`,
      family: 'train' as const,
    })),
    { name: 'sft', about: 'recorded steps of the expert, or yours (supervised fine-tuning)', family: 'sft' },
    { name: 'ppo', about: 'reward, with a critic (PPO)', family: 'ppo' },
    ...namedGroupMethods.map(({ name, about }) => ({ name, about, family: 'grpo' as const })),
  ];
  const fromPairs = new Set<string>(phases.filter(learnsPairs));
  return offered.map((method) => ({
    ...method,
    hasPairs: fromPairs.has(method.name),
    hasNetworks: method.name !== 'sft' || networksReadData,
  }));
}

/** Flags that the page has a field for, or that a tab cannot follow: clients, services, files, other hardware. */
const leftOut =
  /^(env|policy|seed|init|ref|games|data|images|val|utility-data|out|eval-.*|world|port|host|allow|clients|.*-seconds|restarts|tf-backend|layers|weights|expert-(?!noise|probability|decay).*|reflection-.*|inference.*|queue|gradient-shards|max-staleness|send|speaker|listener)$/;

/** `has`: by a setting's conditions. */
function settingsOf(
  schema: Parameters<typeof statedSettings>[0],
  has: (when: readonly string[]) => boolean = () => true,
): OfferedSetting[] {
  return statedSettings(schema).flatMap((stated) => {
    const { flag } = stated.node;
    return flag === undefined || leftOut.test(flag) || !has(stated.when)
      ? []
      : [offeredSetting(stated, flag)];
  });
}

function offeredSetting({ path, node }: StatedSetting, flag: string): OfferedSetting {
  const own = node.anyOf?.find((each) => each.type !== 'null') ?? node;
  const type = [own.type].flat().find((each) => each !== 'null');
  const none = node.none === undefined ? {} : { [node.none]: null };
  const listed = own.enum ? Object.fromEntries(own.enum.map((value) => [String(value), value])) : null;
  const words = node.words ?? (listed && { ...listed, ...none });
  const form = words ? 'word' : type === 'boolean' ? 'switch' : type === 'string' ? 'text' : 'number';
  return {
    flag,
    about: node.description ?? '',
    path: path.join('.'),
    form,
    words: words ?? none,
  };
}
