/** What is about to use an upload keeps it on (objects.O9): a launch, a schedule or a rule, and the upload of a run. */

import { expect, it } from 'vitest';
import { storedUploads } from '../../messaging/run-launch.ts';
import { createUpload } from '../../messaging/transfer-writes.ts';
import { MISSION } from '../actors/run/effects/effect-world.ts';

const HASH = 'ab'.repeat(32);

/** Uploads that are there to whoever keeps them; each that was kept. */
function uploads(size: number | undefined) {
  const kept: string[] = [];
  const keep = async (hash: string) => {
    kept.push(hash);
    return size;
  };
  return { kept, bus: { objects: () => ({ keep }) } as never };
}

it.each([
  ['there', 10, [HASH]],
  ['not there', undefined, []],
])('objects.O9 a launch keeps what it names: %s', async (_, size, stored) => {
  const inputs = new Map([['patch', { name: 'patch', type: { type: 'file' } }]]);
  const mission = {
    libraries: new Map([['base', { procedures: new Map([['load', { inputs }]]) }]]),
  } as never;
  const { kept, bus } = uploads(size);
  expect([...(await storedUploads(bus, { run: 'load', inputs: { patch: HASH } }, mission))]).toEqual(stored);
  expect(kept).toEqual([HASH]);
});

it('objects.O9 the upload of a run keeps what it is made of', async () => {
  const { kept, bus } = uploads(undefined);
  const request = { target: 'sat1', file_id: '3', source: HASH };
  const made = await createUpload(request, { by: 'run 1', run: '1' }, MISSION, { bus } as never);
  expect(made).toMatchObject({ ok: false, faults: [{ message: expect.stringContaining(HASH) }] });
  expect(kept).toEqual([HASH]);
});
