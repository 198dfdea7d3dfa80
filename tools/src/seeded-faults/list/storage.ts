/** Faults in stored files and their locks. */
import { fault, type Fault } from '../fault.ts';

export const storage: readonly Fault[] = [
  // buffers
  fault(
    'ring-place',
    [
      'const number = this.#appended - this.length + index;',
      'const number = this.#appended - this.length + index + 1;',
    ],
    'the buffer is read one place off',
  ),
  fault(
    'buffer-distinct',
    ['if (words !== null) this.#words?.delete(words);', ''],
    'a dropped transition is never accepted again',
  ),
  fault(
    'feature-holders',
    ['if (entry) entry.holders++;', 'if (entry) return;'],
    'features are freed during their use',
  ),
  fault(
    'shuffle-taken',
    ['moved.set(other, moved.get(place) ?? place);', 'moved.set(other, place);'],
    'a draw without replacement repeats an item',
  ),
  // files
  fault(
    'folder-sync',
    [
      "failpoint('folder-manifest-written');\n      syncFolder(temporary);\n      renameSync(temporary, path);",
      "renameSync(temporary, path);\n      failpoint('folder-manifest-written');\n      syncFolder(path);",
    ],
    'a folder has its name before its files are on disk',
  ),
  fault(
    'manifest-size',
    ['if (data.byteLength !== record.size)', 'if (data.byteLength > record.size)'],
    'a truncated file is reported as changed',
  ),
  fault(
    'append-cut',
    ['if (size > keep.length) ftruncateSync(descriptor, keep.length);', ''],
    'lines after the checkpoint stay',
  ),
  fault(
    'append-hash',
    ['length += bytes.byteLength;\n      hash.update(bytes);', 'length += bytes.byteLength;'],
    'the hash of a journal covers its beginning only',
  ),
  fault(
    'record-prefix',
    ['offset += prefixBytes + size;', 'offset += size;'],
    'records are read from the wrong byte',
  ),
  fault(
    'half-rounding',
    [
      'return rest > half || (rest === half && kept & 1) ? kept + 1 : kept;',
      'return rest >= half ? kept + 1 : kept;',
    ],
    'half-precision subnormals round ties up',
  ),
  fault(
    'write-all',
    [
      'while (done < bytes.byteLength) done += writeSync(descriptor, bytes, done);',
      'writeSync(descriptor, bytes, done);',
    ],
    'a short write loses the rest',
  ),
  // runs
  fault(
    'best-gone',
    ['isThereStill ? best.step : step', 'best.step'],
    'a removed checkpoint is still named as best',
  ),
  fault(
    'checkpoint-files-sync',
    ['for (const file of files.values()) file.sync();', ''],
    'a checkpoint is written before its journal lines',
  ),
  fault(
    'resume-newest',
    ['checkpointSteps(checkpoints).reverse()', 'checkpointSteps(checkpoints)'],
    'a run resumes from its oldest checkpoint',
  ),
  fault(
    'lock-alive',
    [
      'isAlive(identity) ?? Math.abs(now - renewed) < staleMs',
      'isAlive(identity) ?? Math.abs(now - renewed) > staleMs',
    ],
    'an old claim of another machine never expires',
  ),
  fault(
    'checkpoint-finite',
    ['if (!Number.isFinite(data[index]))', 'if (Number.isNaN(data[index]))'],
    'an infinite weight is stored',
  ),
  fault(
    'done-before-record',
    [
      "end('done', reason);\n      failpoint('run-recorded');\n      writeFileAtomic(at(layout.done), '');",
      "writeFileAtomic(at(layout.done), '');\n      failpoint('run-recorded');\n      end('done', reason);",
    ],
    'a run is done before its record says so',
  ),
  fault(
    'prune-best',
    ['isLatest || isBest || place >= listed.length - keep', 'isLatest || place >= listed.length - keep'],
    'pruning removes the best checkpoint',
  ),
  // queue and bridge
  fault(
    'gather-conflicts',
    ['await this.#checkConflicts();\n', ''],
    'different results of two workers go unnoticed',
  ),
  fault(
    'queue-losses',
    ['if (entry.losses < this.#limits.losses)', 'if (entry.losses <= this.#limits.losses)'],
    'a job that kills its workers gets one more attempt',
  ),
  fault(
    'worker-fault',
    [
      'if (!(thrown instanceof EmacError) || thrown instanceof LostEpisode) return false;',
      'if (!(thrown instanceof EmacError)) return false;',
    ],
    'a lost episode ends its worker',
  ),
  fault(
    'token-scheme',
    ["authorization ?? '')?.[1] ?? ''", "authorization ?? '')?.[0] ?? ''"],
    'a right token is refused',
  ),
  fault(
    'admission-foreign',
    ['if (isForeign(headers)) return originRefused;', ''],
    'a page of another site may use the server',
  ),
  fault(
    'desk-step',
    ['report.episode === order.episode && report.step === step', 'report.episode === order.episode'],
    'a report of another step is accepted',
  ),
];
