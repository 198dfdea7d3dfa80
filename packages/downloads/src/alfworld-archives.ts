/**
 * ALFWorld's published archives, from its releases on GitHub. Each contains the folder `json_2.1.1`. Sizes and hashes, if any,
 * were published by users of the archives; GitHub gives none for them.
 */
export interface PublishedArchive {
  readonly url: string;
  /** bytes */
  readonly size: number;
  readonly sha256?: string;
  /** a sentence */
  readonly holds: string;
}

const releases = 'https://github.com/alfworld/alfworld/releases/download';

export const alfworldArchives: Readonly<Record<string, PublishedArchive>> = {
  'json_2.1.3_tw-pddl': {
    url: `${releases}/0.4.2/json_2.1.3_tw-pddl.zip`,
    size: 36_507_267,
    sha256: '5df77ea759f2211a4106082839ddbbb790f1ba4e7d097ed732cf453f72aa36cf',
    holds: 'games that say move … to …, the newest',
  },
  'json_2.1.2_tw-pddl': {
    url: `${releases}/0.4.0/json_2.1.2_tw-pddl.zip`,
    size: 36_493_542,
    holds: 'games that say move … to …',
  },
  'json_2.1.1_tw-pddl': {
    url: `${releases}/0.2.2/json_2.1.1_tw-pddl.zip`,
    size: 45_059_629,
    holds: 'games that say put … in/on …, as ReAct, Reflexion and EMMA played them',
  },
  'json_2.1.1_json': {
    url: `${releases}/0.2.2/json_2.1.1_json.zip`,
    size: 72_018_818,
    sha256: '25171f16e20ad7b048c47275c45b0babf3aa1cbab29cec97387922350a9844bc',
    holds: 'no games: descriptions of the tasks by people (traj_data.json)',
  },
  'json_2.1.1_pddl': {
    url: `${releases}/0.2.2/json_2.1.1_pddl.zip`,
    size: 34_881_784,
    sha256: '913942ebed06659ea0da2f8122512d98bc6add30d84961ca803132d8fbcad585',
    holds: 'no games: initial states only (initial_state.pddl)',
  },
};
