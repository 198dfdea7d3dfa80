// Reads values from files into reused memory: a network's layers have weights of equal sizes, and fresh memory costs
// more than the reading. Reading continues in the thread pool while a run blocks this thread.
import { open } from 'node:fs/promises';

const bytesPerRead = 1 << 24;

export function createStoredValues() {
  const handles = new Map();
  /** free buffers by size */
  const free = new Map();

  const handleOf = (file) => {
    if (!handles.has(file)) handles.set(file, open(file));
    return handles.get(file);
  };

  const takeBuffer = (length) => free.get(length)?.pop() ?? new ArrayBuffer(length);

  const giveBuffer = (buffer) => {
    if (!free.has(buffer.byteLength)) free.set(buffer.byteLength, []);
    free.get(buffer.byteLength).push(buffer);
  };

  const fill = async (buffer, { file, offset }) => {
    const handle = await handleOf(file);
    const read = async (start) => {
      const end = Math.min(start + bytesPerRead, buffer.byteLength);
      for (let done = start; done < end;) {
        const { bytesRead } = await handle.read(
          new Uint8Array(buffer, done, end - done),
          0,
          end - done,
          offset + done,
        );
        if (bytesRead === 0) throw new Error(`ends at byte ${offset + done}`);
        done += bytesRead;
      }
    };
    const starts = Array.from(
      { length: Math.ceil(buffer.byteLength / bytesPerRead) },
      (_, i) => i * bytesPerRead,
    );
    await Promise.all(starts.map(read));
  };

  /** bfloat16 is the upper half of a float32; ONNX Runtime's binding does not take it */
  const widened = (buffer) => {
    const wide = takeBuffer(2 * buffer.byteLength);
    const [bits, words] = [new Uint16Array(buffer), new Uint32Array(wide)];
    for (let index = 0; index < bits.length; index++) words[index] = bits[index] << 16;
    giveBuffer(buffer);
    return wide;
  };

  return {
    /** the bytes of a stored value; bfloat16 as float32 */
    async read(stored) {
      const buffer = takeBuffer(stored.length);
      await fill(buffer, stored);
      return stored.type === 'bfloat16' ? widened(buffer) : buffer;
    },
    give: giveBuffer,
    /** closes all files and frees the memory */
    async close() {
      const open = [...handles.values()];
      handles.clear();
      free.clear();
      for (const handle of await Promise.allSettled(open)) await handle.value?.close();
    },
  };
}
