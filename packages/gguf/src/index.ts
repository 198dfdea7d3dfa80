export { importGguf } from './import-gguf.ts';
export type { GgufImport, ImportedGguf } from './import-gguf.ts';
export { checkGgufExport, exportGguf } from './export-gguf.ts';
export type { ExportedGguf, GgufExport } from './export-gguf.ts';
