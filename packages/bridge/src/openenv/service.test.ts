/** OpenEnv's routes over HTTP, as an application. */
import { describe, expect, it } from 'vitest';
import { rooms } from './numbered-rooms.test.support.ts';
import { openEnvService } from './service.ts';

function service(house = rooms()) {
  const { fetch } = openEnvService({
    kind: house.kind,
    about: 'rooms in a row',
    version: '2.1',
    sessions: 1,
    observe: 'text',
    now: () => 0,
  });
  const ask = async (path: string, body?: unknown) => {
    const posted = body !== undefined && {
      method: 'POST',
      ...(body !== null && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    };
    const response = await fetch(new Request(`http://127.0.0.1${path}`, { ...posted }));
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return ask;
}

describe('openEnvService', () => {
  it("answers everything that the protocol's validator asks", async () => {
    const ask = service();
    expect(await ask('/health')).toEqual({ status: 200, body: { status: 'healthy' } });
    expect((await ask('/metadata')).body).toEqual({
      name: 'house/Rooms-v0',
      description: 'rooms in a row',
      version: '2.1',
    });
    const { body: schemas } = await ask('/schema');
    expect(schemas).toMatchObject({
      action: { type: 'object', required: ['action'] },
      observation: { type: 'object' },
      state: { type: 'object' },
    });
    const { body } = await ask('/openapi.json');
    expect(body['info']).toMatchObject({ version: '1.0.0' });
    expect(Object.keys(body['paths'] as object)).toEqual(
      expect.arrayContaining(['/reset', '/step', '/state']),
    );
    expect(await ask('/mcp', {})).toMatchObject({
      status: 200,
      body: { jsonrpc: '2.0', error: { code: -32_600 } },
    });
    expect((await ask('/nothing')).status).toBe(404);
  });

  it('plays one episode for all clients over HTTP', async () => {
    const ask = service();
    expect(await ask('/step', { action: { action: 'go' } })).toMatchObject({
      status: 500,
      body: { error: { code: 'EXECUTION_ERROR' } },
    });
    expect((await ask('/reset', null)).body).toMatchObject({ reward: null, done: false });
    expect((await ask('/reset', { seed: 1 })).body).toMatchObject({
      observation: { text: 'room 0 of 2, seed 1' },
    });
    expect((await ask('/step', { action: { action: 'go' } })).body).toMatchObject({
      reward: -0.25,
      done: false,
    });
    expect((await ask('/state')).body).toMatchObject({ step_count: 1, task: 'near/1', seed: 1 });
    expect(await ask('/step', { action: 'go' })).toMatchObject({
      status: 422,
      body: { error: { code: 'VALIDATION_ERROR' } },
    });
  });

  it('lists its tasks by split and number, under its name in any case', async () => {
    const ask = service();
    expect((await ask('/list_environments')).body).toEqual(['Rooms-v0']);
    expect((await ask('/rooms-V0/splits')).body).toEqual([
      { name: 'train', type: 'train' },
      { name: 'test', type: 'test' },
    ]);
    const task = (index: number) => ({ id: `far/${index}`, type: 'row', split: 'test', index });
    expect((await ask('/Rooms-v0/tasks', { split: 'test' })).body).toEqual({
      tasks: [task(0), task(1), task(2)],
      env_name: 'Rooms-v0',
    });
    expect((await ask('/Rooms-v0/num_tasks', { split: 'train' })).body).toEqual({ num_tasks: 3 });
    expect((await ask('/Rooms-v0/task', { split: 'test', index: 2 })).body).toEqual({ task: task(2) });
    expect((await ask('/Rooms-v0/task_range', { split: 'test', start: 1 })).body).toEqual({
      tasks: [task(1), task(2)],
    });
    expect((await ask('/Rooms-v0/task', { split: 'test', index: 3 })).status).toBe(422);
    expect((await ask('/other/splits')).status).toBe(404);
  });

  it('has a task for every number where tasks have no end', async () => {
    const ask = service(rooms({ count: null }));
    expect((await ask('/Rooms-v0/num_tasks', { split: 'train' })).body).toEqual({ num_tasks: null });
    expect((await ask('/Rooms-v0/tasks', { split: 'train' })).status).toBe(422);
    const far = { split: 'train', start: 1_000_000, stop: 1_000_001 };
    expect((await ask('/Rooms-v0/task_range', far)).body).toMatchObject({ tasks: [{ id: 'near/1000000' }] });
  });
});
