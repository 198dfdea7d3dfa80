/**
 * A student's trainable low-rank adapter (LoRA, arXiv 2106.09685). Initialized as in PEFT: A as nn.Linear's weight,
 * uniform within ±1/√in (Kaiming's with a = √5), B zero, so that the policy starts equal to its base.
 */
import {
  adaptedModules,
  adapterOf,
  adapterScale,
  projectionWidths,
  type Adapter,
  type AdapterSettings,
  type AdapterValues,
  type ModelConfig,
} from '@emac/backbone';
import { EmacError, type Parameter, type ParameterSet, type Random } from '@emac/core';

/** A freshly initialized adapter. Errors: `usage` for invalid settings. */
export function drawnAdapter(
  { llama }: Pick<ModelConfig, 'llama'>,
  settings: AdapterSettings,
  random: Random,
): Adapter {
  checkSettings(settings);
  const { rank } = settings;
  const parameters = new Map<string, Parameter>();
  for (const module of adaptedModules(llama.layers, settings)) {
    const { inWidth, outWidth } = projectionWidths(llama, module);
    const stream = random.stream(module);
    const draw = () => (2 * stream.uniform() - 1) / Math.sqrt(inWidth);
    const data = Float32Array.from({ length: rank * inWidth }, draw);
    parameters.set(`${module}.lora_A.weight`, { shape: [rank, inWidth], data });
    const zeros = new Float32Array(outWidth * rank);
    parameters.set(`${module}.lora_B.weight`, { shape: [outWidth, rank], data: zeros });
  }
  return adapterOf(parameters, settings, 'adapter');
}

function checkSettings({ rank, alpha, dropout, targets }: AdapterSettings): void {
  const fault =
    !Number.isSafeInteger(rank) || rank < 1
      ? `rank must be a whole number from 1, got ${rank}`
      : !(alpha > 0)
        ? `alpha must be above 0, got ${alpha}`
        : !(dropout >= 0 && dropout < 1)
          ? `dropout must be from 0 to below 1, got ${dropout}`
          : targets.length === 0
            ? 'targets must name a projection, got none'
            : null;
  if (fault) throw new EmacError('usage', `adapter: ${fault}`);
}

/** Whether a parameter belongs to an adapter, by its name. */
export function isOfAdapter(name: string): boolean {
  return name.includes('.lora_');
}

/** An adapter that an optimizer changes in place. */
export interface LiveAdapter extends Adapter {
  /** the numbers of the last `commit`, the same object until the next */
  values(): AdapterValues;
  commit(): void;
}

/** A live copy of an adapter. */
export function liveAdapter({ parameters: given, settings }: Adapter): LiveAdapter {
  const parameters = copied(given);
  const taken = (): AdapterValues => ({ parameters: copied(parameters), scale: adapterScale(settings) });
  let values = taken();
  return { parameters, settings, values: () => values, commit: () => void (values = taken()) };
}

function copied(parameters: ParameterSet): Map<string, Parameter> {
  return new Map([...parameters].map(([name, { shape, data }]) => [name, { shape, data: data.slice() }]));
}

/** A and B of other parameters, with this adapter's settings but their own rank; null if the parameters have none. */
export function fixedValues(
  parameters: ParameterSet,
  settings: Omit<AdapterSettings, 'targets'> | null,
): AdapterValues | null {
  const own = new Map([...parameters].filter(([name]) => isOfAdapter(name)));
  const [first] = own.values();
  if (!first) return null;
  if (!settings)
    throw new EmacError(
      'data',
      'student: was opened without an adapter, got parameters of a policy with one',
    );
  const rank = first.shape[0]!;
  const adapter = adapterOf(own, { ...settings, rank }, 'parameters');
  return { parameters: copied(adapter.parameters), scale: adapterScale(adapter.settings) };
}
