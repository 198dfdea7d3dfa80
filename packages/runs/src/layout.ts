/** Names inside a run folder, in one place; other programs rely on them. */
export const layout = {
  command: 'command.txt',
  readme: 'README.md',
  run: 'run.json',
  events: 'events.jsonl',
  config: 'config.yaml',
  metrics: 'metrics.jsonl',
  languageModel: 'llm.jsonl',
  /** what a person said */
  labels: 'labels.jsonl',
  world: 'world.jsonl',
  buffers: 'buffers',
  reference: 'reference',
  episodes: 'episodes',
  frames: 'frames',
  attempts: 'attempts',
  /** one held-out episode of each evaluation, with its pictures */
  evaluated: 'evaluated',
  traces: 'traces.jsonl',
  results: 'logging_results',
  checkpoints: 'checkpoints',
  latest: 'latest',
  best: 'best',
  evaluation: 'eval.json',
  evaluationBefore: 'eval-before.json',
  /** of people: a name, a note, a star */
  notes: 'notes.json',
  report: 'report.html',
  done: 'DONE',
} as const;

export const checkpointFiles = {
  projection: 'projection.safetensors',
  network: 'network.safetensors',
  adapter: 'adapter_model.safetensors',
  valueHead: 'value_head.safetensors',
  valueAdapter: 'value_adapter.safetensors',
  temporalPredictor: 'temporal_predictor.safetensors',
  optimizer: 'optimizer.safetensors',
  state: 'state.json',
} as const;

/** A checkpoint's folder name: its step in eight digits, so that names sort as numbers do. */
export function checkpointName(step: number): string {
  return String(step).padStart(8, '0');
}
