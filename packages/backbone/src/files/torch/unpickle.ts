/**
 * A reader of pickles (Python's pickletools, protocols 2 to 5) that executes nothing: opcodes move plain values on a
 * stack, and calls of Python code become values of `pickle-values.ts`. The number of opcodes bounds the cost.
 */
import { PickleBytes } from './pickle-bytes.ts';
import { built, Global, Opaque, storageOf } from './pickle-values.ts';

/** A tensor takes about 40 opcodes, so this is room for 100,000 of them. */
const maximumOpcodes = 4 << 20;

interface Machine {
  readonly bytes: PickleBytes;
  readonly stack: unknown[];
  /** heights of the stack */
  readonly marks: number[];
  readonly memo: Map<number, unknown>;
}

type Step = (machine: Machine) => void;

/** The value in a pickle. Errors: `data` for bytes that are not a pickle or use an opcode not listed here. */
export function unpickle(path: string, data: Uint8Array): unknown {
  const machine: Machine = { bytes: new PickleBytes(path, data), stack: [], marks: [], memo: new Map() };
  const { bytes } = machine;
  for (let count = 0; count < maximumOpcodes; count++) {
    const code = bytes.uint8();
    if (code === stop) return pop(machine);
    const step = steps.get(code);
    if (!step) throw bytes.fault(`opcode 0x${code.toString(16)} is not one that torch.save writes`);
    step(machine);
  }
  throw bytes.fault(`it has more than ${maximumOpcodes} opcodes`);
}

const stop = 0x2e;

const steps: ReadonlyMap<number, Step> = new Map<number, Step>([
  [0x80, protocol],
  [0x95, ({ bytes }) => void bytes.uint64()], // FRAME
  [0x28, ({ marks, stack }) => void marks.push(stack.length)], // MARK
  [0x30, pop], // POP
  [0x31, popMark], // POP_MARK
  [0x32, (machine) => machine.stack.push(top(machine))], // DUP

  [0x4e, push(() => null)], // NONE
  [0x88, push(() => true)], // NEWTRUE
  [0x89, push(() => false)], // NEWFALSE
  [0x4a, push((bytes) => bytes.int32())], // BININT
  [0x4b, push((bytes) => bytes.uint8())], // BININT1
  [0x4d, push((bytes) => bytes.uint16())], // BININT2
  [0x8a, push((bytes) => integer(bytes.bytes(bytes.uint8())))], // LONG1
  [0x8b, push((bytes) => integer(bytes.bytes(bytes.uint32())))], // LONG4
  [0x47, push((bytes) => bytes.float64())], // BINFLOAT

  [0x8c, push((bytes) => bytes.text(bytes.uint8()))], // SHORT_BINUNICODE
  [0x58, push((bytes) => bytes.text(bytes.uint32()))], // BINUNICODE
  [0x8d, push((bytes) => bytes.text(bytes.uint64()))], // BINUNICODE8
  [0x55, push((bytes) => bytes.text(bytes.uint8()))], // SHORT_BINSTRING
  [0x54, push((bytes) => bytes.text(bytes.uint32()))], // BINSTRING
  [0x43, push((bytes) => skipped(bytes, bytes.uint8()))], // SHORT_BINBYTES
  [0x42, push((bytes) => skipped(bytes, bytes.uint32()))], // BINBYTES
  [0x8e, push((bytes) => skipped(bytes, bytes.uint64()))], // BINBYTES8
  [0x96, push((bytes) => skipped(bytes, bytes.uint64()))], // BYTEARRAY8

  [0x29, push(() => [])], // EMPTY_TUPLE
  [0x5d, push(() => [])], // EMPTY_LIST
  [0x7d, push(() => new Map())], // EMPTY_DICT
  [0x8f, push(() => new Opaque('a set'))], // EMPTY_SET
  [0x74, tupleSinceMark], // TUPLE
  [0x6c, tupleSinceMark], // LIST
  [0x64, dictionarySinceMark], // DICT
  [0x85, tupleOf(1)], // TUPLE1
  [0x86, tupleOf(2)], // TUPLE2
  [0x87, tupleOf(3)], // TUPLE3
  [0x91, setSinceMark], // FROZENSET
  [0x90, (machine) => void popMark(machine)], // ADDITEMS
  [0x61, append], // APPEND
  [0x65, appends], // APPENDS
  [0x73, setItem], // SETITEM
  [0x75, setItems], // SETITEMS

  [0x71, (machine) => void machine.memo.set(machine.bytes.uint8(), top(machine))], // BINPUT
  [0x72, (machine) => void machine.memo.set(machine.bytes.uint32(), top(machine))], // LONG_BINPUT
  [0x94, (machine) => void machine.memo.set(machine.memo.size, top(machine))], // MEMOIZE
  [0x68, (machine) => recall(machine, machine.bytes.uint8())], // BINGET
  [0x6a, (machine) => recall(machine, machine.bytes.uint32())], // LONG_BINGET

  [0x63, push((bytes) => new Global(`${bytes.line()}.${bytes.line()}`))], // GLOBAL
  [0x93, stackGlobal], // STACK_GLOBAL
  [0x52, call], // REDUCE
  [0x81, call], // NEWOBJ
  [0x92, callWithNames], // NEWOBJ_EX
  [0x62, (machine) => void pop(machine)], // BUILD: the state of an object is not needed
  [0x51, (machine) => machine.stack.push(storageOf(pop(machine)))], // BINPERSID
]);

function push(read: (bytes: PickleBytes) => unknown): Step {
  return ({ stack, bytes }) => void stack.push(read(bytes));
}

function protocol({ bytes }: Machine): void {
  const version = bytes.uint8();
  if (version < 2 || version > 5) throw bytes.fault(`the protocol must be 2 to 5, got ${version}`);
}

function top({ stack, bytes }: Machine): unknown {
  if (stack.length === 0) throw bytes.fault('a value is missing');
  return stack.at(-1);
}

function pop(machine: Machine): unknown {
  const { stack, marks, bytes } = machine;
  if (stack.length <= (marks.at(-1) ?? 0)) throw bytes.fault('a value is missing');
  return stack.pop();
}

/** The values pushed since the last mark. */
function popMark({ stack, marks, bytes }: Machine): unknown[] {
  const height = marks.pop();
  if (height === undefined) throw bytes.fault('a mark is missing');
  return stack.splice(height);
}

/** Python's integers; larger ones than eight bytes are not needed here. */
function integer(bytes: Uint8Array): unknown {
  if (bytes.length > 8) return new Opaque('a large integer');
  const bits = bytes.length * 8;
  const unsigned = bytes.reduce((sum, byte, index) => sum | (BigInt(byte) << BigInt(index * 8)), 0n);
  const value = Number(BigInt.asIntN(bits, unsigned));
  return Number.isSafeInteger(value) ? value : new Opaque('a large integer');
}

function skipped(bytes: PickleBytes, length: number): Opaque {
  bytes.bytes(length);
  return new Opaque('bytes');
}

function tupleSinceMark(machine: Machine): void {
  const items = popMark(machine);
  machine.stack.push(items);
}

function setSinceMark(machine: Machine): void {
  popMark(machine);
  machine.stack.push(new Opaque('a set'));
}

function dictionarySinceMark(machine: Machine): void {
  const items = popMark(machine);
  const dictionary = new Map<unknown, unknown>();
  setPairs(machine, dictionary, items);
  machine.stack.push(dictionary);
}

function tupleOf(length: number): Step {
  return (machine) => {
    const items = Array.from({ length }, () => pop(machine));
    machine.stack.push(items.reverse());
  };
}

function append(machine: Machine): void {
  const item = pop(machine);
  const list = top(machine);
  if (Array.isArray(list)) list.push(item);
}

function appends(machine: Machine): void {
  const items = popMark(machine);
  const list = top(machine);
  if (Array.isArray(list)) for (const item of items) list.push(item);
}

function setItem(machine: Machine): void {
  const [value, key] = [pop(machine), pop(machine)];
  setPairs(machine, top(machine), [key, value]);
}

function setItems(machine: Machine): void {
  const items = popMark(machine);
  setPairs(machine, top(machine), items);
}

function setPairs({ bytes }: Machine, dictionary: unknown, items: readonly unknown[]): void {
  if (items.length % 2 !== 0) throw bytes.fault('a key has no value');
  if (!(dictionary instanceof Map)) return;
  for (let index = 0; index < items.length; index += 2) dictionary.set(items[index], items[index + 1]);
}

function recall({ memo, stack, bytes }: Machine, index: number): void {
  if (!memo.has(index)) throw bytes.fault(`value ${index} was never stored`);
  stack.push(memo.get(index));
}

function stackGlobal(machine: Machine): void {
  const [name, module] = [pop(machine), pop(machine)];
  machine.stack.push(
    typeof name === 'string' && typeof module === 'string'
      ? new Global(`${module}.${name}`)
      : new Opaque('a name that is not a text'),
  );
}

function call(machine: Machine): void {
  const [args, callable] = [pop(machine), pop(machine)];
  machine.stack.push(built(callable, args));
}

function callWithNames(machine: Machine): void {
  pop(machine);
  call(machine);
}
