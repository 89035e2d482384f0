/** What the owner of a target makes of listings, and what is kept of them. */

import { describe, expect, it } from 'vitest';
import type { FileSample } from '../../../contract/batch.ts';
import { encodeBatch } from '../../../contract/batch.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { DIRECTORY_FILES } from '../../../contract/limits/transfer.ts';
import { VALUE_MESSAGE_BYTES } from '../../../contract/limits/value.ts';
import { decodeDirectory, encodeDirectory } from '../../../telemetry/files/directory-checkpoint.ts';
import { until } from '../../support/until.ts';
import { BARE, type FilesWorld, filesWorld, MISSION, platformOf, START } from './files-world.ts';

const many = (count: number, more: Partial<FileSample> = {}): FileSample[] =>
  Array.from({ length: count }, (_, id) => ({
    file: String(1_000_000 + id),
    ground: START,
    onboard: Number.NaN,
    file_type: 1,
    size: 1_000 + id,
    checksum: id.toString(16).padStart(8, '0'),
    generation: 1,
    ...more,
  }));
const directoryOf = async ({ bus, done }: FilesWorld) => {
  const entry = await done(bus.bucket(buckets.directories).get('sat'));
  return entry && { ...(await decodeDirectory(entry.value))!, revision: entry.revision };
};
const said = ({ log }: FilesWorld, what: string) =>
  log.said.filter(({ message }) => message.includes(what)).length;

describe('what cannot be read', () => {
  it('a message whose files are no list is left out as a whole, by the owner and by who follows values', async () => {
    const world = await filesWorld();
    const near = await world.process('near');
    await world.decoded({ files: 7 as never });
    expect(world.published()).toEqual([]);
    expect(said(world, 'malformed batch')).toBe(1);
    const { digest } = platformOf(MISSION);
    const broken = {
      platform: digest,
      link: 'uhf',
      deferred: false,
      blocks: [],
      reports: [],
      files: {} as never,
    };
    await world.done(world.bus.append(streams.values, subject.values('sat'), encodeBatch(broken)));
    await world.settle();
    expect(said(world, 'malformed batch of values')).toBe(1);
    await world.listed([{ file: '7', size: 3 }]);
    expect((await near.files()).files).toHaveLength(1);
  });

  it('MC-GEN-022 a sample that cannot be taken up is left out and said once; the others of its listing are not', async () => {
    const world = await filesWorld();
    const near = await world.process('near');
    const wrong: object[] = [
      { file: '7', generation: 2 ** 53 },
      { file: '7', size: -1 },
      { file: '7', size: 1.5 },
      { file: '007', size: 1 },
      { file: 'image', size: 1 },
      { file: 7, size: 1 },
      { file: '123456789012345678901', size: 1 },
      { file: '7', checksum: 'XYZ' },
      { file: '7', checksum: 'a'.repeat(66) },
      { file: '7', transfer: '' },
      { file: '7', transfer: 3 },
    ];
    for (const _ of [1, 2])
      await world.listed([
        { file: '8', size: 1 },
        ...(wrong as never[]),
        { file: '18446744073709551615', size: 2 },
      ]);
    expect((await near.files()).files).toMatchObject([
      { id: '8', size: 1 },
      { id: '18446744073709551615', size: 2 },
    ]);
    expect(said(world, 'its generation is not a whole number up to 2^53 - 1')).toBe(1);
    await world.decoded({
      files: [
        null,
        3,
        { file: '7' },
        { file: '7', ground: 'now', onboard: 1 },
        { file: '7', ground: Number.NaN, onboard: 1, size: 1 },
      ] as never,
    });
    expect((await near.files()).files).toHaveLength(2);
  });

  it('decision 17 a listing dated far ahead is dated by its storing', async () => {
    const world = await filesWorld();
    const near = await world.process('near');
    await world.listed([{ file: '7', size: 1 }], { ground: START + 3_600_000 });
    expect((await near.files()).files[0]?.listed_at).toBe('2026-03-01T12:00:00.000Z');
    await world.passes(1_000);
    await world.listed([{ file: '7', size: 2 }]);
    expect((await near.files()).files[0]).toMatchObject({ size: 2 });
  });

  it('MC-FILE-005 files of a target without a directory are left out, and said once', async () => {
    const world = await filesWorld(BARE);
    const near = await world.process('near');
    await world.listed([{ file: '7', size: 1 }]);
    await world.listed([{ file: '7', size: 1 }]);
    expect(said(world, 'without on-board directory')).toBe(1);
    expect(world.published().map(({ files }) => files)).toEqual([undefined, undefined]);
    expect(await near.files()).toMatchObject({ ok: false, faults: [{ code: 'files::no-directory' }] });
    await world.passes(5_000);
    expect(await directoryOf(world)).toBeUndefined();
  });
});

describe('what is kept of the directory', () => {
  it('MC-VAL-010 says of a deferred listing that it is, and of which link each value is', async () => {
    const world = await filesWorld();
    const near = await world.process('near');
    await world.decoded(
      { link: 'sband', files: [{ file: '7', size: 1, ground: START, onboard: START - 60_000 }] },
      MISSION,
      { [header.delivery]: 'deferred' },
    );
    const sample = {
      value: 1,
      time: '2026-03-01T11:59:00.000Z',
      ground_time: '2026-03-01T12:00:00.000Z',
      link: 'sband',
      delivery: 'deferred',
    };
    const shown = { component: 'files', instance: '7', measure: 'size', sample };
    expect(await near.current()).toEqual([shown]);
    await world.kept();
    await world.stopOwner();
    await world.startOwner();
    expect(await (await world.process('late')).current()).toEqual([shown]);
  });

  it('is written at most once a second, before the values that cover it, and only when it has changed', async () => {
    const world = await filesWorld();
    const writes: string[] = [];
    for (const { name } of [buckets.directories, buckets.values])
      world.server.stream({ name: `KV_${name}`, dedupeMs: 120_000 }).onStored(() => writes.push(name));
    const column = { onboard: Float64Array.of(Number.NaN), raw: Float64Array.of(3) };
    const telemetry = () =>
      world.decoded({
        blocks: [{ ordinals: Uint32Array.of(0), ground: Float64Array.of(world.clock.now()), ...column }],
      });
    /** What was written since, once the values were. */
    const written = async (): Promise<string[]> => {
      await until(async () => {
        await world.passes(1_100);
        return writes.at(-1) === buckets.values.name;
      });
      return writes.splice(0);
    };
    await telemetry();
    expect(await written()).toEqual(['mcs_values']);
    for (let n = 0; n < 5; n += 1) await world.listed([{ file: String(n), size: 1 }]);
    let all = await written();
    while ((await directoryOf(world))?.parts[0]?.samples.length !== 5) all = [...all, ...(await written())];
    // A write at once, and one for all that came within the second behind it.
    expect(all).toEqual(['mcs_directories', 'mcs_values', 'mcs_directories', 'mcs_values']);
    await telemetry();
    expect(await written()).toEqual(['mcs_values']);
  });

  it('directory-checkpoint.D1 a process that joins has it from what was written, and reads nothing of it again', async () => {
    const world = await filesWorld();
    await world.listed([{ file: '7', size: 1, generation: 3 }]);
    await world.kept();
    const late = await world.process('late');
    const before = world.published().length;
    await world.done(late.feeds.upToDate('sat'));
    expect(late.feeds.position('sat')).toBe(before);
    expect((await late.files()).files[0]).toMatchObject({ id: '7', size: 1, generation: 3 });
    expect(await directoryOf(world)).toMatchObject({
      epoch: 1,
      parts: [{ link: 'uhf', samples: [{ file: '7' }] }],
    });
  });

  it('one that cannot be read is none: the stream says it again', async () => {
    const world = await filesWorld();
    await world.stopOwner();
    await world.done(world.bus.bucket(buckets.directories).overwrite('sat', Buffer.from('nonsense')));
    await world.listed([{ file: '7', size: 1 }]);
    await world.startOwner();
    expect(said(world, 'on-board directory unreadable')).toBe(1);
    expect((await (await world.process('late')).files()).files[0]).toMatchObject({ size: 1 });
  });

  it('fenced-entry.E1 an owner that was overtaken writes no directory over that of the later one', async () => {
    const world = await filesWorld();
    await world.listed([{ file: '7', size: 1 }]);
    await world.kept();
    const later = await encodeDirectory({ epoch: 99, parts: [] });
    await world.done(world.bus.bucket(buckets.directories).overwrite('sat', later));
    await world.listed([{ file: '7', size: 2 }]);
    await until(async () => {
      await world.passes(1_100);
      return said(world, 'a later owner took over') > 0;
    });
    expect(await directoryOf(world)).toMatchObject({ epoch: 99 });
    expect(said(world, 'a later owner took over')).toBe(1);
  });

  it('telemetry-owner.O7 a store that was put back: the directory goes on from what is there', async () => {
    const world = await filesWorld();
    const near = await world.process('near');
    await world.listed([{ file: '7', size: 1, generation: 1 }]);
    await world.kept();
    const kept = world.clock.now();
    await world.passes(1_000);
    await world.listed([{ file: '7', size: 2, generation: 2 }]);
    await world.listed([{ file: '9', size: 9 }]);
    await world.kept();
    await world.stopOwner();
    await world.putBack(kept);
    await world.startOwner();
    await world.listed([{ file: '7', size: 3, generation: 3 }]);
    const late = await world.process('late');
    expect((await late.files()).files).toMatchObject([{ id: '7', size: 3, generation: 3 }]);
    expect((await near.files()).files[0]).toMatchObject({ id: '7', size: 3, generation: 3 });
    // Both go on alike from here.
    await world.listed([{ file: '9', size: 10 }]);
    expect((await near.files()).files).toEqual((await late.files()).files);
  });
});

describe('MC-FILE-003 large directories', () => {
  it('a listing of 5,000 files is one message, and is read back whole', async () => {
    const world = await filesWorld();
    const near = await world.process('near');
    await world.decoded({ files: many(5_000) });
    expect(world.published()).toHaveLength(1);
    expect((await near.files()).files).toHaveLength(5_000);
    expect(await near.current()).toHaveLength(20_000);
    await world.kept();
    await world.stopOwner();
    await world.startOwner();
    await world.decoded({ files: many(5_000, { ground: START - 1, size: 0 }) });
    const late = await world.process('late');
    expect((await late.files()).files[4_999]).toMatchObject({ id: '1004999', size: 5_999 });
  });

  it('published-tail.U2 more than a message holds is in several; what an owner left out of them the next one makes', async () => {
    const world = await filesWorld();
    const near = await world.process('near');
    const files = many(DIRECTORY_FILES, { checksum: 'ab'.repeat(32) });
    await world.decoded({ files });
    const messages = world.server.stream(streams.values).messages;
    expect(messages.length).toBeGreaterThan(1);
    for (const { data } of messages) expect(data.length).toBeLessThanOrEqual(VALUE_MESSAGE_BYTES);
    expect((await near.files()).files).toHaveLength(DIRECTORY_FILES);
    // Only the first of them was stored: the owner died behind it.
    const [first] = messages;
    const other = await filesWorld();
    await other.stopOwner();
    await other.decoded({ files });
    const { data, headers } = first!;
    await other.done(
      other.bus.append(streams.values, subject.values('sat'), data, { headers, id: 'sat-1.0' }),
    );
    await other.startOwner();
    for (let round = 0; round < 20; round += 1) await other.settle();
    expect((await (await other.process('late')).files()).files).toHaveLength(DIRECTORY_FILES);
    expect(other.server.stream(streams.values).messages).toHaveLength(messages.length);
  });

  it('the largest directory there can be fits an entry of a bucket', async () => {
    // What no compression makes smaller.
    let seed = 1;
    const random = (): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed;
    };
    const hex = (): string => random().toString(16).padStart(8, '0');
    const samples = many(DIRECTORY_FILES).map((sample) => ({
      ...sample,
      size: random() * 1_000,
      generation: random(),
      checksum: Array.from({ length: 8 }, hex).join(''),
    }));
    const bytes = await encodeDirectory({ epoch: 1, parts: [{ link: 'uhf', deferred: false, samples }] });
    expect(bytes.length).toBeLessThan(1024 * 1024);
  });
});
