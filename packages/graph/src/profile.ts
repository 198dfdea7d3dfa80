/** Which nodes ran where, from ONNX Runtime's profile of a session (`SessionOptions.profile`). */
import { EmacError, messageOf } from '@emac/core';

export interface RunNode {
  readonly operator: string;
  /** its element type: `float32`, `int64`, … */
  readonly elements: string;
}

interface ProfileEvent {
  readonly cat: string;
  readonly args?: {
    readonly provider?: string;
    readonly op_name?: string;
    /** for each input its element type with its shape */
    readonly input_type_shape?: readonly Readonly<Record<string, readonly number[]>>[];
  };
}

/** The kinds of nodes that ran on the CPU. Errors: `data` for an invalid profile. */
export function nodesOnCpu(profile: string): RunNode[] {
  const kinds = new Map<string, RunNode>();
  for (const { cat, args = {} } of eventsOf(profile)) {
    if (cat !== 'Node' || args.provider !== 'CPUExecutionProvider' || !args.op_name) continue;
    const operator = args.op_name;
    const [type = ''] = Object.keys(args.input_type_shape?.[operator === 'Where' ? 1 : 0] ?? {});
    const elements = type === 'float' ? 'float32' : type;
    kinds.set(`${operator} ${elements}`, { operator, elements });
  }
  return [...kinds.values()];
}

function eventsOf(profile: string): ProfileEvent[] {
  try {
    const events: unknown = JSON.parse(profile);
    if (Array.isArray(events)) return events as ProfileEvent[];
  } catch (error) {
    throw new EmacError('data', `profile: must be JSON, ${messageOf(error)}`, { cause: error });
  }
  throw new EmacError('data', 'profile: must be a list of events as ONNX Runtime writes it');
}
