/**
 * Whether products of unsigned with signed bytes are exact on this processor. x64 without VNNI adds pairs of them in 16 bits, where
 * 2 · 255 · 127 does not fit; ONNX Runtime's kernels for two unsigned operands have the room.
 */
import { existsSync, readFileSync } from '@emac/platform';

let found: boolean | undefined;

/** Only Linux names its processor's instructions; elsewhere x64 counts as one without VNNI. */
export function signedBytesAreExact(): boolean {
  return (found ??=
    globalThis.process?.arch !== 'x64' || /\b(avx512_vnni|avx_vnni)\b/.test(processorFlags()));
}

function processorFlags(): string {
  const path = '/proc/cpuinfo';
  return existsSync(path) ? (/^flags\s*:(.*)$/m.exec(readFileSync(path, 'utf8'))?.[1] ?? '') : '';
}
