/** The form: environment, policy, method, amount, other settings, and the command that does the same. */
import { useEffect, useState } from 'preact/hooks';
import type { TabRun } from '../tab/messages.ts';
import { ownEnvironment, type Catalogue, type OfferedKind } from './catalogue.ts';
import { amountOf, commandOf, familyOf, hasExpert, isSmallNetwork, type Choice } from './choices.ts';
import { Computing, computingAs, isElsewhere, withoutComputing } from './computing.tsx';
import { OtherSettings } from './other-settings.tsx';
import { nameOf } from './run-list.tsx';
import type { GpuState } from './trainer-state.ts';

interface FormProps {
  readonly catalogue: Catalogue;
  readonly runs: readonly TabRun[];
  readonly gpu: GpuState;
  readonly checkGpu: () => void;
  /** hears every choice, also the first */
  readonly change: (choice: Choice) => void;
  readonly train: () => void;
  /** shows the form, where a field of it must be changed */
  readonly open: () => void;
}

/** The button that trains stands elsewhere, and names the form. */
export const formId = 'what-to-train';

const policyTitles: Readonly<Record<string, string>> = {
  'emma-tiny': 'emma-tiny: a vision-language model for household games',
  'rl-tiny': 'rl-tiny: a vision-language model that answers in JSON',
  mlp: 'mlp: a perceptron over numbers',
  cnn: 'cnn: a small network over pictures',
};

export function ChoiceForm({ catalogue, runs, gpu, checkGpu, change, train, open }: FormProps) {
  const [choice, setChoice] = useState<Choice>(() => firstChoice(catalogue));
  useEffect(() => change(choice), [choice]);
  const kind = kindOf(choice.environment, catalogue);
  const set = (changed: Partial<Choice>) =>
    setChoice((before) => fitting({ ...before, ...changed }, before, catalogue));
  const number = (name: 'amount' | 'seed' | 'evaluated', label: string, least: number) => (
    <label>
      {label}
      <input
        id={name}
        type="number"
        min={least}
        value={choice[name]}
        required
        onInput={({ currentTarget }) => set({ [name]: Number(currentTarget.value) })}
      />
    </label>
  );
  const family = familyOf(choice.method, catalogue);
  return (
    <form
      id={formId}
      onInvalidCapture={open}
      onSubmit={(event) => {
        event.preventDefault();
        train();
      }}
    >
      <label>
        Environment
        <select
          id="environment"
          value={choice.environment}
          onChange={({ currentTarget }) => set({ environment: currentTarget.value })}
        >
          {catalogue.kinds.map(({ name, environments, refusal }) => (
            <optgroup
              key={name}
              label={refusal === null ? name : `${name}: ${refusal}`}
              disabled={refusal !== null}
            >
              {environments.map((id) => (
                <option key={id}>{id}</option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      <label>
        Policy
        <select
          id="policy"
          value={choice.policy}
          onChange={({ currentTarget }) => set({ policy: currentTarget.value })}
        >
          {policiesOf(choice, catalogue).map((name) => (
            <option key={name} value={name}>
              {policyTitles[name]}
            </option>
          ))}
          {runs.length > 0 && (
            <optgroup label="begin from a run">
              {runs.map((run) => (
                <option key={run.folder} value={run.folder}>
                  {nameOf(run)}
                </option>
              ))}
            </optgroup>
          )}
        </select>
      </label>
      <label>
        Method
        <select
          id="method"
          value={choice.method}
          onChange={({ currentTarget }) => set({ method: currentTarget.value })}
        >
          {catalogue.methods.map(({ name, about }) => (
            <option key={name} value={name}>
              {`${name}: ${about}`}
            </option>
          ))}
        </select>
      </label>
      {hasExpert(family) && (
        <label>
          Expert
          <select
            id="expert"
            value={choice.expert ?? 'own'}
            onChange={({ currentTarget }) => set({ expert: currentTarget.value as 'own' | 'human' })}
          >
            <option value="own">the environment’s own</option>
            <option value="human">you: the training asks for the right commands</option>
          </select>
        </label>
      )}
      {number('amount', amountOf(choice, catalogue).unit, 1)}
      {number('seed', 'Seed', 0)}
      {number('evaluated', 'Held-out episodes', 0)}
      <p class="wide soft">{kind.about}</p>
      {choice.environment === ownEnvironment && (
        <label class="wide">
          The module
          <textarea
            id="code"
            rows={16}
            spellcheck={false}
            value={choice.code ?? ''}
            onInput={({ currentTarget }) => set({ code: currentTarget.value })}
          />
        </label>
      )}
      <Computing
        others={choice.others ?? {}}
        gpu={gpu}
        check={checkGpu}
        change={(others) => set({ others })}
      />
      <OtherSettings
        offered={catalogue.settings[family].filter(isElsewhere)}
        given={withoutComputing(choice.others ?? {})}
        change={(others) => set({ others: computingAs(choice.others ?? {}, others) })}
      />
      <details class="wide">
        <summary>The same as a command</summary>
        <pre tabIndex={0} id="command">
          {commandOf(choice, catalogue)}
        </pre>
      </details>
    </form>
  );
}

function kindOf(environment: string, { kinds }: Catalogue): OfferedKind {
  return kinds.find(({ environments }) => environments.includes(environment))!;
}

/** What can learn there by the method, besides runs; the usual one first. */
function policiesOf({ environment, method }: Choice, catalogue: Catalogue): readonly string[] {
  const { policies } = kindOf(environment, catalogue);
  const { hasNetworks = true } = catalogue.methods.find(({ name }) => name === method) ?? {};
  return policies.filter((policy) => hasNetworks || !isSmallNetwork(policy));
}

function firstChoice(catalogue: Catalogue): Choice {
  const environment = 'MiniGrid-Empty-5x5-v0';
  const method = 'ppo';
  const [policy] = kindOf(environment, catalogue).policies;
  const { example: code } = catalogue;
  return { environment, policy: policy!, method, expert: 'own', amount: 16384, seed: 0, evaluated: 20, code };
}

/** A choice that another part of it has changed: its policy, its amount, settings that its method does not have. */
function fitting(choice: Choice, before: Choice, catalogue: Catalogue): Choice {
  const policies = policiesOf(choice, catalogue);
  const isKept = choice.policy.startsWith('/') || policies.includes(choice.policy);
  const policy = isKept ? choice.policy : policies[0]!;
  const family = familyOf(choice.method, catalogue);
  const expert = hasExpert(family) ? (choice.expert ?? 'own') : 'own';
  const isSame = policy === before.policy && choice.method === before.method && expert === before.expert;
  const usual = amountOf({ ...choice, expert }, catalogue).usual[isSmallNetwork(policy) ? 1 : 0];
  const has = new Set(catalogue.settings[family].map(({ flag }) => flag));
  const others = Object.fromEntries(Object.entries(choice.others ?? {}).filter(([flag]) => has.has(flag)));
  return { ...choice, policy, expert, others, ...(!isSame && { amount: usual }) };
}
