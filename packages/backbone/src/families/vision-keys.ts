/** Keys of vision encoders with one supported value: another would change the numbers. Missing keys are that value. */
import { fieldsOf, type Fields } from '../files/json-object.ts';

/** Pictures have three channels. Errors: `config`. */
export function checkChannels(fields: Fields, key: 'num_channels' | 'in_channels'): void {
  if (fields.positiveInteger(key, 3) !== 3) fields.fail(key, 'must be 3');
}

/** Rotary positions of rows and columns, whose base newer files state. Errors: `config`. */
export function checkRowsAndColumns(fields: Fields): void {
  const given = fieldsOf(fields.object('rope_parameters') ?? {}, 'vision_config: rope_parameters');
  const type = given.text('rope_type', 'axial');
  if (type !== 'axial' && type !== 'default') given.fail('rope_type', 'must be "axial" or "default"');
  if (given.number('rope_theta', 10000) !== 10000) given.fail('rope_theta', 'must be 10000');
}
