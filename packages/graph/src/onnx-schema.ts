/** The messages of onnx.proto, for writing and reading. Unused fields are omitted, and so are skipped on reading. */
import protobuf from 'protobufjs';

type FieldRow = [name: string, id: number, type: string, rule?: 'repeated'];

function message(rows: readonly FieldRow[]): protobuf.IType {
  const fields = rows.map(
    ([name, id, type, rule]) => [name, { id, type, ...(rule ? { rule } : {}) }] as const,
  );
  return { fields: Object.fromEntries(fields) };
}

const schema = protobuf.Root.fromJSON({
  nested: {
    Model: message([
      ['irVersion', 1, 'int64'],
      ['producerName', 2, 'string'],
      ['graph', 7, 'GraphBody'],
      ['opsetImport', 8, 'OperatorSet', 'repeated'],
      ['functions', 25, 'FunctionBody', 'repeated'],
    ]),
    OperatorSet: message([
      ['domain', 1, 'string'],
      ['version', 2, 'int64'],
    ]),
    FunctionBody: message([['name', 1, 'string']]),
    GraphBody: message([
      ['node', 1, 'NodeBody', 'repeated'],
      ['name', 2, 'string'],
      ['initializer', 5, 'TensorBody', 'repeated'],
      ['input', 11, 'ValueInfo', 'repeated'],
      ['output', 12, 'ValueInfo', 'repeated'],
      ['valueInfo', 13, 'ValueInfo', 'repeated'],
    ]),
    NodeBody: message([
      ['input', 1, 'string', 'repeated'],
      ['output', 2, 'string', 'repeated'],
      ['name', 3, 'string'],
      ['opType', 4, 'string'],
      ['attribute', 5, 'AttributeBody', 'repeated'],
      ['domain', 7, 'string'],
    ]),
    AttributeBody: message([
      ['name', 1, 'string'],
      ['f', 2, 'float'],
      ['i', 3, 'int64'],
      ['s', 4, 'bytes'],
      ['t', 5, 'TensorBody'],
      ['floats', 7, 'float', 'repeated'],
      ['ints', 8, 'int64', 'repeated'],
      ['type', 20, 'int32'],
    ]),
    TensorBody: message([
      ['dims', 1, 'int64', 'repeated'],
      ['dataType', 2, 'int32'],
      ['floatData', 4, 'float', 'repeated'],
      ['int32Data', 5, 'int32', 'repeated'],
      ['int64Data', 7, 'int64', 'repeated'],
      ['name', 8, 'string'],
      ['rawData', 9, 'bytes'],
      ['doubleData', 10, 'double', 'repeated'],
      ['externalData', 13, 'StringPair', 'repeated'],
      ['dataLocation', 14, 'int32'],
    ]),
    StringPair: message([
      ['key', 1, 'string'],
      ['value', 2, 'string'],
    ]),
    ValueInfo: message([
      ['name', 1, 'string'],
      ['type', 2, 'ValueType'],
    ]),
    ValueType: message([['tensorType', 1, 'TensorType']]),
    TensorType: message([
      ['elemType', 1, 'int32'],
      ['shape', 2, 'TensorShape'],
    ]),
    TensorShape: message([['dim', 1, 'TensorDimension', 'repeated']]),
    TensorDimension: message([
      ['dimValue', 1, 'int64'],
      ['dimParam', 2, 'string'],
    ]),
  },
});

/** The message of a whole `.onnx` file. */
export const ModelProto = schema.lookupType('Model');
