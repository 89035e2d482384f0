import { beforeEach, describe, expect, it } from 'vitest';
import { createTransfer } from '../../../../actors/run/effects/transfer.ts';
import { subject } from '../../../../contract/bus/subjects.ts';
import type { ProgramStatement } from '../../../../contract/program.ts';
import type { TransferCall, TransferReply } from '../../../../contract/transfer.ts';
import type { Answers } from '../../../../machines/run/protocol.ts';
import { type EffectWorld, effectWorld, RUN } from './effect-world.ts';

type Statement = Extract<ProgramStatement, { kind: 'download' | 'upload' }>;

const DOWNLOAD: Statement = {
  kind: 'download',
  target: 'sat1',
  component: 'files',
  file: { value: 7 },
  priority: 5,
};
const HASH = 'ab'.repeat(32);
let world: EffectWorld;
let asked: TransferCall[];

beforeEach(async () => {
  world = await effectWorld();
  asked = [];
});

async function serve(reply: TransferReply | undefined): Promise<void> {
  world.open('transfers').serve(subject.transferRequest, async (message) => {
    asked.push(JSON.parse(Buffer.from(message.data).toString()));
    if (reply === undefined) throw new Error('no answer');
    return Buffer.from(JSON.stringify(reply));
  });
  await world.settle();
}

const transfer = (statement: Statement, answers: Answers = {}) =>
  world.begin(createTransfer(world.services), {
    type: 'effect.transfer',
    ticket: 2,
    path: 'fetch',
    statement,
    answers,
  });

describe('a transfer of a run', () => {
  it('MC-XFER-060 is asked for with the run as requester, and not waited for', async () => {
    await serve({ ok: true, value: { generation: 1 } });
    const { seen } = transfer(DOWNLOAD);
    await world.settle();
    const call = {
      run: RUN,
      target: 'sat1',
      direction: 'download',
      file: '7',
      priority: 5,
      by: `run ${RUN}`,
    };
    expect(asked).toEqual([call]);
    expect(seen.event).toMatchObject({ type: 'done', ticket: 2 });
  });

  it('names the content of an upload, and files given in answers', async () => {
    await serve({ ok: true, value: { generation: 1 } });
    const { seen } = transfer(
      {
        kind: 'upload',
        target: 'sat1',
        component: 'files',
        file: { name: 'slot' },
        content: { name: 'patch' },
      },
      { slot: 12, patch: HASH },
    );
    await world.settle();
    expect(asked).toMatchObject([{ direction: 'upload', file: '12', content: HASH }]);
    expect(seen.event).toMatchObject({ type: 'done' });
  });

  it('MC-XFER-063 fails the step when the file is not in the directory', async () => {
    const message = 'file 7 of sat1 was never listed';
    await serve({ ok: false, faults: [{ code: 'transfer::not-listed', message }] });
    const { seen } = transfer(DOWNLOAD);
    await world.settle();
    expect(seen.event).toMatchObject({
      type: 'failed',
      ticket: 2,
      reason: `transfer::not-listed: ${message}`,
    });
  });

  it('fails when nobody manages transfers, and when nobody answers', async () => {
    const absent = transfer(DOWNLOAD).seen;
    await world.settle();
    expect(absent.event).toMatchObject({ type: 'failed', reason: 'no transfer manager runs' });
    await serve(undefined);
    const silent = transfer(DOWNLOAD).seen;
    await world.passes(11_000, 100);
    expect(silent.event).toMatchObject({ type: 'failed', reason: 'the transfer manager did not answer' });
  });

  it('fails when the answer that names the file was not given', async () => {
    const { seen } = transfer({ ...DOWNLOAD, file: { name: 'image' } });
    await world.settle();
    expect(seen.event).toMatchObject({ type: 'failed', reason: '$image has no value' });
  });

  it('is asked for once the bus is back', async () => {
    await serve({ ok: true, value: { generation: 1 } });
    world.server.turn(false);
    const { seen } = transfer(DOWNLOAD);
    await world.passes(15_000, 250);
    expect(seen.over).toBe(false);
    world.server.turn(true);
    await world.passes(2_000, 100);
    expect(seen.event).toMatchObject({ type: 'done' });
  });
});
