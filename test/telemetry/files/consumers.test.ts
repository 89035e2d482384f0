/**
 * One listing, every reader: what is known of a file on board is the same for the values routes, the directory, the
 * conditions and texts of runs, and the requirements and verification of telecommands.
 */

import { beforeEach, describe, expect, it } from 'vitest';
import {
  type FilesWorld,
  filesWorld,
  LATER,
  type Listed,
  MISSION,
  type Process,
  START,
} from './files-world.ts';

const IMAGE: Listed = { file: '7', file_type: 1, size: 4_096, checksum: '1c291ca3', generation: 2 };
const SHORT: Listed = { file: '10', size: 12 };
const MINUTE_MS = 60_000;

let world: FilesWorld;
let near: Process;

beforeEach(async () => {
  world = await filesWorld();
  near = await world.process('near');
});

/** What every reader of a process says of file 7. */
async function saidOf({ current, files, check, text, unmet, watch }: Process, component = 'files') {
  const followed = await watch('');
  await followed.stop();
  const of = (measure: string) => `sat.${component}[7].${measure}`;
  const named = (measure: string) => `sat.${component}[$image].${measure}`;
  const held = async (condition: string) => (await check(condition))?.ok;
  const mine = (await current()).filter(({ instance }) => instance === '7');
  return {
    values: Object.fromEntries(mine.map(({ measure, sample }) => [measure, sample.value])),
    watched: Object.fromEntries(
      followed.got
        .filter(({ key }) => key.startsWith(`${component}[7].`))
        .map(({ key, value }) => [key.slice(component.length + 4), value]),
    ),
    directory: (await files()).files.find(({ id }) => id === '7'),
    checks: {
      size: await held(`${of('size')} == 4096 B`),
      file_type: await held(`${of('file_type')} == 1`),
      checksum: await held(`${of('checksum')} == "1c291ca3"`),
      generation: await held(`${named('generation')} == 2`),
      transfer: await held(`${named('transfer')} in ["COMPLETE", "VERIFIED"]`),
    },
    texts: {
      size: await text('size', component),
      checksum: await text('checksum', component),
      transfer: await text('transfer', component),
    },
    mayBeRead: unmet('read') === undefined,
    mayBeKept: unmet('keep') === undefined,
  };
}

const KNOWN = { file_type: 1, size: 4_096, checksum: '1c291ca3', generation: 2, transfer: 'VERIFIED' };
const AGREED = {
  values: KNOWN,
  watched: KNOWN,
  directory: { id: '7', ...KNOWN, listed_at: '2026-03-01T12:00:00.000Z' },
  checks: { size: true, file_type: true, checksum: true, generation: true, transfer: true },
  texts: { size: '4096 B', checksum: '1c291ca3', transfer: 'VERIFIED' },
  mayBeRead: true,
  mayBeKept: true,
};

async function listAndTransfer(): Promise<void> {
  await world.listed([SHORT, IMAGE]);
  await world.listed([{ file: '7', transfer: 'VERIFIED', transfer_generation: 2 }]);
}

describe('MC-FILE-001 MC-FILE-004 MC-VAL-001 MC-XFER-032 a listing means the same to every reader', () => {
  it('of a process that was there', async () => {
    await listAndTransfer();
    expect(await saidOf(near)).toEqual(AGREED);
  });

  it('MC-VAL-016 and an older listing changes nobody', async () => {
    await listAndTransfer();
    const followed = await near.watch('');
    followed.got.length = 0;
    const before = world.published().length;
    await world.listed([{ ...IMAGE, size: 1, checksum: '00', generation: 1 }], { ground: START - MINUTE_MS });
    await world.listed([{ ...IMAGE, size: 1 }], { ground: START + 1, onboard: START - 10_000 });
    await world.listed([{ file: '7', transfer: 'PARTIAL' }], { ground: START - MINUTE_MS });
    expect(await saidOf(near)).toEqual(AGREED);
    expect(followed.got).toEqual([]);
    expect(
      world
        .published()
        .slice(before)
        .map(({ files }) => files),
    ).toEqual([undefined, undefined, undefined]);
    expect(world.log.said.some(({ message }) => message.includes('left out'))).toBe(true);
  });

  it('of a process that joins later, with the stream alone', async () => {
    await listAndTransfer();
    expect(await saidOf(await world.process('late'))).toEqual(AGREED);
  });

  it('and after both the owner and the process have begun again', async () => {
    await listAndTransfer();
    await world.kept();
    await world.stopOwner();
    await near.stop();
    await world.startOwner();
    const again = await world.process('again');
    expect(await saidOf(again)).toEqual(AGREED);
    // The new owner goes by what the one before knew.
    await world.listed([{ ...IMAGE, size: 1 }], { ground: START - 1 });
    expect(await saidOf(again)).toEqual(AGREED);
    await world.listed([{ ...IMAGE, size: 8_192 }]);
    expect((await again.files()).files[0]).toMatchObject({
      id: '7',
      size: 8_192,
      listed_at: new Date(world.clock.now()).toISOString(),
    });
  });

  it('under another revision of the catalogue, also with the directory under another name', async () => {
    await listAndTransfer();
    world.missions.publish(LATER);
    await world.passes(3_000);
    const said = await saidOf(near, 'memory');
    expect({ ...said, mayBeRead: true, mayBeKept: true }).toEqual(AGREED);
    expect((await near.files()).component).toBe('memory');
    // Decoded by the catalogue before, and by one that nobody knows: files are files.
    await world.decoded(
      { files: [{ ...IMAGE, size: 5, ground: START + 3_000, onboard: Number.NaN }] },
      MISSION,
    );
    expect((await near.files()).files[0]).toMatchObject({ size: 5 });
    await world.decoded({
      platform: 'unknown',
      files: [{ ...IMAGE, size: 6, ground: START + 3_001, onboard: Number.NaN }],
    });
    await world.passes(5_000);
    expect((await near.files()).files[0]).toMatchObject({ size: 6 });
    expect((await (await world.process('late')).files()).files[0]).toMatchObject({ size: 6 });
  });
});

describe('MC-VAL-012 MC-VAL-013 watching files', () => {
  const all = ['checksum', 'file_type', 'generation', 'size'].map((measure) => `files[7].${measure}`);
  const cases: Record<string, readonly string[]> = {
    'files[7].size': ['files[7].size'],
    'files.size': ['files[10].size', 'files[7].size'],
    size: ['files[10].size', 'files[7].size'],
    'files[8].size': [],
    'files[7].size,files.checksum': ['files[7].checksum', 'files[7].size'],
    '': ['files[10].size', ...all],
    'memory.size': [],
  };
  for (const [selectors, keys] of Object.entries(cases)) {
    it(`"${selectors}" gives what is known, and a file that appears while it is watched`, async () => {
      const before = await near.watch(selectors);
      await world.listed([SHORT, IMAGE]);
      const after = await near.watch(selectors);
      expect(before.got.map(({ key }) => key).sort()).toEqual(keys);
      // What is known comes in key order.
      expect(after.got.map(({ key }) => key)).toEqual(keys);
      await before.stop();
      await after.stop();
    });
  }

  it('MC-VAL-001 values are in the order of keys, between the components beside the directory', async () => {
    const { measures } = world.missions.current!.targets.get('sat')!.platform!;
    expect(measures.map(({ key }) => key)).toEqual(['apples.count', 'zebras.size']);
    const column = {
      ground: Float64Array.of(START),
      onboard: Float64Array.of(Number.NaN),
      raw: Float64Array.of(3, 4),
    };
    await world.decoded({
      blocks: [{ ordinals: Uint32Array.of(0, 1), ...column }],
      files: [{ ...SHORT, ground: START, onboard: Number.NaN }],
    });
    const keys = (await near.current()).map(({ component, instance, measure }) => [
      component,
      instance,
      measure,
    ]);
    expect(keys).toEqual([
      ['apples', undefined, 'count'],
      ['files', '10', 'size'],
      ['zebras', undefined, 'size'],
    ]);
  });
});

describe('MC-XFER-061 conditions on files are waited for', () => {
  for (const kind of ['expect', 'wait_until'] as const) {
    it(`${kind} holds when the transfer of the file gets there, and reports the sample`, async () => {
      await world.listed([IMAGE]);
      const condition = 'sat.files[$image].transfer == "VERIFIED"';
      const { seen } = near.judge({ kind, condition, withinMs: MINUTE_MS });
      await world.settle();
      await world.passes(1_000);
      await world.listed([{ file: '7', transfer: 'PARTIAL' }]);
      await world.listed([{ file: '8', transfer: 'VERIFIED' }]);
      expect(seen.event).toBeUndefined();
      await world.passes(1_000);
      await world.listed([{ file: '7', transfer: 'VERIFIED' }]);
      expect(seen.event).toMatchObject({
        ok: true,
        samples: [
          { target: 'sat', component: 'files', instance: '7', measure: 'transfer', value: 'VERIFIED' },
        ],
      });
    });
  }

  it('expect goes by what comes after it began; wait_until by what is known too', async () => {
    await listAndTransfer();
    await world.passes(1_000);
    const condition = 'sat.files[7].transfer == "VERIFIED"';
    const expecting = near.judge({ kind: 'expect', condition, withinMs: 10_000 });
    const waiting = near.judge({ kind: 'wait_until', condition, withinMs: 10_000 });
    await world.settle();
    expect(waiting.seen.event).toMatchObject({ ok: true });
    await world.passes(11_000);
    expect(expecting.seen.event).toMatchObject({ ok: false });
    expect(expecting.seen.event?.reason).toContain('no sample of sat files[7].transfer since it began');
  });

  it('a check says which measure of which file is not known', async () => {
    expect((await near.check('sat.files[7].size > 0 B'))?.reason).toBe('no sample of sat files[7].size');
  });
});

describe('MC-TC-038 telecommands on files', () => {
  it('a requirement says what is known of the file it is for', async () => {
    expect(near.unmet('read')).toBe('requires generation >= 1: unknown (files[7].generation has no value)');
    await world.listed([{ file: '7', generation: 0 }]);
    expect(near.unmet('read')).toBe('requires generation >= 1: it does not hold (files[7].generation is 0)');
    await world.listed([IMAGE]);
    expect(near.unmet('read')).toBeUndefined();
    await world.passes(2 * MINUTE_MS);
    expect(near.unmet('read')).toContain('files[7].generation is 120 s old');
  });

  it('are verified by what comes behind the sending', async () => {
    await listAndTransfer();
    await world.passes(1_000);
    const { seen, stop } = near.verify();
    await world.settle();
    expect(seen).toEqual({});
    await world.passes(1_000);
    await world.listed([{ file: '7', transfer: 'VERIFIED', transfer_generation: 2 }]);
    expect(seen.verdict).toBe('verification.satisfied');
    await stop();
  });

  it('fail by a condition on another file', async () => {
    const { seen, stop } = near.verify();
    await world.settle();
    await world.passes(1_000);
    await world.listed([{ file: '9', size: 0 }]);
    expect(seen).toEqual({});
    await world.listed([{ file: '9', size: 3 }]);
    expect(seen).toEqual({ verdict: 'verification.failed', detail: 'files[9].size > 0 B holds' });
    await stop();
  });
});
