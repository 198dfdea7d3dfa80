/**
 * OpenVLA's statistics of a data set (`dataset_statistics.json`), per dimension of actions and of the robot's own state ("proprio"): mean,
 * population deviation, extremes, and the quantiles 0.01 and 0.99 used for normalization in training.
 */
import { EmacError } from '@emac/core';
import { quantile } from './quantile.ts';

/** Per dimension. */
export interface Statistics {
  readonly mean: readonly number[];
  readonly std: readonly number[];
  readonly max: readonly number[];
  readonly min: readonly number[];
  readonly q01: readonly number[];
  readonly q99: readonly number[];
}

export interface ActionStatistics extends Statistics {
  /** false for an unnormalized dimension, such as the gripper; without a mask all are normalized */
  readonly mask?: readonly boolean[];
}

/** As in the published file. */
export interface DatasetStatistics {
  readonly action: ActionStatistics;
  readonly proprio?: ActionStatistics;
  readonly num_transitions: number;
  readonly num_trajectories: number;
}

/** One demonstration: [steps][dimensions] each. */
export interface Demonstration {
  readonly actions: readonly (readonly number[])[];
  readonly proprio?: readonly (readonly number[])[];
}

/** All but the gripper, the last of seven. */
export const armMask: readonly boolean[] = [true, true, true, true, true, true, false];

/** The statistics of all steps together; `mask` marks the normalized dimensions. Errors: `data` for no steps, ragged rows and invalid numbers. */
export function datasetStatistics(
  demonstrations: readonly Demonstration[],
  mask: readonly boolean[] = armMask,
): DatasetStatistics {
  const actions = demonstrations.flatMap((each) => each.actions);
  const withProprio = demonstrations.filter(({ proprio }) => proprio !== undefined);
  const action = statisticsOf(actions, 'actions');
  if (mask.length !== action.mean.length)
    throw new EmacError(
      'data',
      `mask: needs ${action.mean.length} entries, one a dimension, got ${mask.length}`,
    );
  if (withProprio.some(({ proprio, actions }) => proprio!.length !== actions.length))
    throw new EmacError('data', 'proprio: a demonstration needs one row for each of its actions');
  if (withProprio.length !== 0 && withProprio.length !== demonstrations.length)
    throw new EmacError(
      'data',
      `proprio: ${withProprio.length} of ${demonstrations.length} demonstrations have it; give it for all or none`,
    );
  return {
    action: { ...action, mask },
    ...(withProprio.length > 0 && {
      proprio: statisticsOf(
        withProprio.flatMap(({ proprio }) => proprio!),
        'proprio',
      ),
    }),
    num_transitions: actions.length,
    num_trajectories: demonstrations.length,
  };
}

function statisticsOf(rows: readonly (readonly number[])[], what: string): Statistics {
  const dimensions = rows[0]?.length ?? 0;
  if (dimensions === 0) throw new EmacError('data', `${what}: needs at least one row of numbers`);
  rows.forEach((row, place) => {
    if (row.length !== dimensions || !row.every((value) => Number.isFinite(value)))
      throw new EmacError(
        'data',
        `${what}: row ${place} must be ${dimensions} numbers, got [${row.join(', ')}]`,
      );
  });
  const columns = Array.from({ length: dimensions }, (_, dimension) =>
    Float64Array.from(rows, (row) => row[dimension]!).sort(),
  );
  return {
    mean: columns.map(meanOf),
    std: columns.map((column) => Math.sqrt(meanOf(squaresAround(column, meanOf(column))))),
    max: columns.map((column) => column.at(-1)!),
    min: columns.map((column) => column[0]!),
    q01: columns.map((column) => quantile(column, 0.01)),
    q99: columns.map((column) => quantile(column, 0.99)),
  };
}

const meanOf = (values: Float64Array): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const squaresAround = (values: Float64Array, mean: number): Float64Array =>
  values.map((value) => (value - mean) ** 2);
