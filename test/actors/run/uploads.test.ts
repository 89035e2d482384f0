/** What the log of a run says of its uploads, from the records as they stand. */

import { beforeEach, describe, expect, it } from 'vitest';
import { uploadsLeft } from '../../../actors/run/uploads.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { RUN_UPLOADS_SAID } from '../../../contract/limits/run.ts';
import type { ProgramStatement } from '../../../contract/program.ts';
import { type StoredTransfer, transferKey } from '../../../contract/transfer.ts';
import { leaf, programOf } from '../../support/run-program.ts';
import { storedTransfer } from '../../support/transfers.ts';
import { type EffectWorld, effectWorld, RUN } from './effects/effect-world.ts';

const UPLOAD: ProgramStatement = {
  kind: 'upload',
  target: 'sat1',
  component: 'files',
  file: { value: 7 },
  content: { value: 'ab'.repeat(32) },
};
const program = programOf('c'.repeat(64), [
  {
    kind: 'call',
    path: 'a',
    procedure: 'p',
    library: 'l@1',
    targets: {},
    inputs: {},
    steps: [leaf('a/b', [UPLOAD])],
  },
]);
let world: EffectWorld;

beforeEach(async () => {
  world = await effectWorld();
});

async function record(more: Partial<StoredTransfer>): Promise<void> {
  const stored = storedTransfer({
    target: 'sat1',
    direction: 'upload',
    source: 'ab'.repeat(32),
    state: 'PARTIAL',
    size: 5_000,
    received: [[0, 2_400]],
    ...more,
    actor: { run: RUN, ...more.actor },
  });
  const key = transferKey(stored);
  void world.bus.bucket(buckets.openTransfers).overwrite(key, Buffer.from('{}'));
  void world.bus.bucket(buckets.transfers).overwrite(key, Buffer.from(JSON.stringify(stored)));
  await world.passes(100);
}

async function left(at: Parameters<typeof uploadsLeft>[2], of = program): Promise<string[] | undefined> {
  let said: string[] | undefined;
  void uploadsLeft(world.bus, { run: RUN, program: of }, at).then((each) => {
    said = each;
  });
  await world.passes(500);
  return said;
}

describe('MC-UPL-009 what became of the files that a run uploads', () => {
  it.each([
    ['suspension', 'it continues when the run is resumed'],
    ['takeover', 'it continues with the run'],
    ['end', 'another upload of the same content continues from there'],
  ] as const)('is how much is on board and what becomes of it at its %s', async (at, fate) => {
    await record({ file_id: '7' });
    await record({ file_id: '8', actor: { run: 'ANOTHER' } as never });
    await record({ file_id: '9', direction: 'download' });
    await record({ file_id: '10', state: 'COMPLETE', received: [[0, 5_000]] });
    await record({ file_id: '11', target: 'sat2' });
    expect((await left(at))?.sort()).toEqual([
      `2400 of 5000 bytes of file 7 of sat1 are on board, ${fate}`,
      'file 10 of sat1 is on board whole, and the next listing verifies it',
    ]);
  });

  it('run/uploads.U1 is nothing where the program uploads nothing, and bounded where it uploads much', async () => {
    for (let file = 0; file < RUN_UPLOADS_SAID + 3; file += 1) await record({ file_id: String(file + 1) });
    const said = await left('end');
    expect(said).toHaveLength(RUN_UPLOADS_SAID + 1);
    expect(said?.at(-1)).toBe('3 more');
    expect(await left('end', programOf('c'.repeat(64), [leaf('a', [{ kind: 'wait', ms: 1 }])]))).toEqual([]);
  });
});
