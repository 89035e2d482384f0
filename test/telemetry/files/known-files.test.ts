import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FileSample } from '../../../contract/batch.ts';
import { DIRECTORY_FILES } from '../../../contract/limits/transfer.ts';
import { decodeDirectory, encodeDirectory } from '../../../telemetry/files/directory-checkpoint.ts';
import { LISTED, PLACE_OF, WIDTH } from '../../../telemetry/files/file-columns.ts';
import { compareIds, KnownFiles } from '../../../telemetry/files/known-files.ts';
import { snapshotOf } from '../../../telemetry/files/snapshot.ts';

const T0 = Date.parse('2026-03-01T12:00:00Z');
const UNTIMED = Number.NaN;

type Said = Partial<Omit<FileSample, 'file' | 'ground' | 'onboard'>>;
const at = (ground: number, said: Said, onboard = UNTIMED, file = '7'): FileSample => ({
  file,
  ground: T0 + ground,
  onboard: Number.isNaN(onboard) ? onboard : T0 + onboard,
  ...said,
});

/** What is shown of a file: null where it is known that it is not known. */
function shownOf(known: KnownFiles, file = '7') {
  const slot = known.columns.slot(file);
  if (slot === undefined) return undefined;
  const value = (name: keyof typeof PLACE_OF) => {
    const place = slot * WIDTH + PLACE_OF[name];
    if (!known.columns.has(place)) return undefined;
    return known.columns.isKnown(place) ? (known.columns.text[place] ?? known.columns.value[place]) : null;
  };
  const { checksum, file_type, generation, size, transfer } = {
    checksum: value('checksum'),
    file_type: value('file_type'),
    generation: value('generation'),
    size: value('size'),
    transfer: value('transfer'),
  };
  return { checksum, file_type, generation, size, transfer };
}

/** Everything that is known, with times and links. */
function stateOf(known: KnownFiles) {
  const { columns, links } = known;
  const files = [...columns.slots()].sort(([a], [b]) => compareIds(a, b));
  return files.map(([file, slot]) => ({
    file,
    transferGeneration: columns.transferGeneration[slot],
    places: Array.from({ length: WIDTH }, (_, k) => {
      const place = slot * WIDTH + k;
      if (!columns.has(place)) return undefined;
      const { value, text, time, ground, link, deferred } = columns;
      return [value[place], text[place], time[place], ground[place], links[link[place]!], deferred[place]];
    }),
  }));
}

const known = (...samples: readonly FileSample[]): KnownFiles => {
  const files = new KnownFiles();
  for (const sample of samples) files.apply([sample], 'uhf', false);
  return files;
};

describe('MC-GEN-022 MC-FILE-002 generations of a file', () => {
  const first = at(0, { generation: 1, size: 100, checksum: 'aa', file_type: 1 });
  const state = at(1, { transfer: 'VERIFIED', transfer_generation: 1 });
  const whole = { generation: 1, size: 100, checksum: 'aa', file_type: 1 };

  it('a rewritten file has nothing of the one before that its listing does not say', () => {
    const files = known(first, state);
    expect(shownOf(files)).toEqual({ ...whole, transfer: 'VERIFIED' });
    const [taken] = files.apply([at(2, { generation: 2, size: 50 })], 'uhf', false);
    expect(taken).toMatchObject({ generation: 2, size: 50, unknown: ['checksum', 'file_type', 'transfer'] });
    expect(shownOf(files)).toEqual({
      generation: 2,
      size: 50,
      checksum: null,
      file_type: null,
      transfer: null,
    });
  });

  it('a listing of the same generation, or that does not say one, leaves what it does not say', () => {
    expect(shownOf(known(first, state, at(2, { generation: 1, size: 100 })))).toEqual({
      ...whole,
      transfer: 'VERIFIED',
    });
    expect(shownOf(known(first, at(2, { size: 101 })))).toEqual({ ...whole, size: 101, transfer: undefined });
  });

  it('MC-XFER-032 the state of a transfer of the generation before is not that of the file', () => {
    const files = known(first, state, at(2, { generation: 2, size: 50 }));
    expect(files.apply([at(3, { transfer: 'PROCESSED', transfer_generation: 1 })], 'uhf', false)).toEqual([]);
    expect(shownOf(files)?.transfer).toBeNull();
    files.apply([at(3, { transfer: 'REQUESTED', transfer_generation: 2 })], 'uhf', false);
    expect(shownOf(files)?.transfer).toBe('REQUESTED');
    expect(files.apply([at(9, { transfer: 'SUPERSEDED', transfer_generation: 1 })], 'uhf', false)).toEqual(
      [],
    );
    expect(files.apply([at(2, { transfer: 'PARTIAL', transfer_generation: 2 })], 'uhf', false)).toEqual([]);
    files.apply([at(4, { transfer: 'VERIFIED', transfer_generation: 2 })], 'uhf', false);
    expect(shownOf(files)?.transfer).toBe('VERIFIED');
  });

  it('a memory whose generations begin again is followed', () => {
    const files = known(
      at(0, { generation: 5, size: 5 }),
      at(1, { transfer: 'VERIFIED', transfer_generation: 5 }),
    );
    files.apply([at(2, { generation: 1, size: 1 })], 'uhf', false);
    expect(shownOf(files)).toMatchObject({ generation: 1, size: 1, transfer: null });
    files.apply([at(3, { transfer: 'REQUESTED', transfer_generation: 1 })], 'uhf', false);
    expect(shownOf(files)?.transfer).toBe('REQUESTED');
  });

  it('MC-XFER-061 an upload is followed by its own state, and keeps it once its generation is listed', () => {
    const files = known(first, at(1, { transfer: 'COMPLETE', transfer_generation: 2 }));
    expect(shownOf(files)).toEqual({ ...whole, transfer: 'COMPLETE' });
    files.apply([at(2, { generation: 2, size: 50, checksum: 'bb', file_type: 1 })], 'uhf', false);
    expect(shownOf(files)).toEqual({
      generation: 2,
      size: 50,
      checksum: 'bb',
      file_type: 1,
      transfer: 'COMPLETE',
    });
  });

  it('of an older listing nothing is taken up, also not what the newer one did not say', () => {
    const files = known(at(10, { generation: 2, size: 50 }));
    expect(files.apply([at(5, { generation: 1, checksum: 'aa' })], 'uhf', false)).toEqual([]);
    expect(files.apply([at(20, { checksum: 'aa' }, -30_000)], 'uhf', false)).toEqual([]);
    expect(shownOf(files)).toMatchObject({ generation: 2, checksum: undefined });
  });

  it('sample-order.V5 a clock that was set on board does not stop the directory', () => {
    const files = known(at(0, { size: 1 }, 0), at(1_000, { size: 2 }, -3_600_000));
    expect(shownOf(files)?.size).toBe(2);
  });
});

describe('MC-FILE-009 what is not listed any more', () => {
  it('keeps its values, dated by its last listing', () => {
    const files = known(
      at(0, { size: 1 }),
      at(0, { size: 2 }, UNTIMED, '8'),
      at(60_000, { size: 2 }, UNTIMED, '8'),
    );
    expect(shownOf(files)?.size).toBe(1);
    expect(files.columns.ground[files.columns.slot('7')! * WIDTH + LISTED]).toBe(T0);
  });

  it('is forgotten first, past the bound, the one whose listing is longest ago before the others', () => {
    const files = new KnownFiles();
    const ids = Array.from({ length: DIRECTORY_FILES }, (_, id) => String(id));
    files.apply([at(-5_000, { size: 1 }, UNTIMED, '77777777')], 'uhf', false);
    files.apply([at(10_000, { transfer: 'REQUESTED' }, UNTIMED, '88888888')], 'uhf', false);
    expect(files.columns.count).toBe(2);
    files.apply(
      ids.slice(1).map((id) => at(0, { size: 1 }, UNTIMED, id)),
      'uhf',
      false,
    );
    expect(files.columns.count).toBe(DIRECTORY_FILES);
    expect([files.columns.slot('88888888'), files.columns.slot('77777777')]).toEqual([
      undefined,
      expect.any(Number),
    ]);
    files.apply([at(1, { size: 1 }, UNTIMED, '0')], 'uhf', false);
    expect(files.columns.slot('77777777')).toBeUndefined();
    // The place is another file's, with nothing of the one that was forgotten.
    expect(shownOf(files, '0')).toMatchObject({ size: 1, transfer: undefined });
  });
});

describe('known-files.K5 what is known of files', () => {
  const said = fc.record(
    {
      size: fc.nat(3),
      checksum: fc.constantFrom('aa', 'bb'),
      file_type: fc.nat(2),
      transfer: fc.constantFrom('REQUESTED', 'VERIFIED'),
    },
    { requiredKeys: [] },
  );
  const sample = fc
    .record({
      file: fc.constantFrom('1', '2', '30'),
      ground: fc.nat(50).map((seconds) => T0 + seconds * 1_000),
      onboard: fc.oneof(
        fc.constant(Number.NaN),
        fc.nat(50).map((seconds) => T0 + seconds * 1_000),
      ),
      generation: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
      of: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
      link: fc.constantFrom('uhf', 'sband'),
      said,
    })
    .map(({ said: values, generation, of, link, ...times }) => ({
      link,
      sample: {
        ...times,
        ...values,
        ...(generation !== undefined && { generation }),
        ...(of !== undefined && values.transfer !== undefined && { transfer_generation: of }),
      } as FileSample,
    }));
  // No two are received in the same millisecond.
  const history = fc
    .array(sample, { maxLength: 40 })
    .map((steps) =>
      steps.map(({ link, sample: each }, n) => ({ link, sample: { ...each, ground: each.ground + n } })),
    );

  it('directory-checkpoint.D1 is the same after it was written and read back', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const files = new KnownFiles();
        for (const { sample: each, link } of steps) files.apply([each], link, false);
        const read = await decodeDirectory(await encodeDirectory({ epoch: 3, parts: snapshotOf(files) }));
        const again = new KnownFiles();
        again.restore(read!.parts);
        expect(stateOf(again)).toEqual(stateOf(files));
      }),
    );
  });

  it('is the same for whoever takes in what the owner published, from any position on', () => {
    fc.assert(
      fc.property(history, fc.nat(40), fc.nat(40), (steps, cut, from) => {
        const owner = new KnownFiles();
        const snapshots = [snapshotOf(owner)];
        const published = steps.map(({ sample: each, link }) => {
          const taken = owner.apply([each], link, false);
          snapshots.push(snapshotOf(owner));
          return { taken, link };
        });
        const follower = new KnownFiles();
        for (const { taken, link } of published) follower.apply(taken, link, false);
        expect(stateOf(follower)).toEqual(stateOf(owner));
        // A directory may hold more than the position from which the stream is read.
        const late = new KnownFiles();
        const [first, kept] = [
          Math.min(cut, from, steps.length),
          Math.min(Math.max(cut, from), steps.length),
        ];
        late.restore(snapshots[kept]!);
        for (const { taken, link } of published.slice(first)) late.apply(taken, link, false);
        expect(stateOf(late)).toEqual(stateOf(owner));
      }),
      { numRuns: 300 },
    );
  });

  it('MC-GEN-022 shows nothing of two generations, whatever comes late', () => {
    // What is said of a generation names it.
    const honest = fc
      .record({
        ground: fc.nat(50),
        onboard: fc.oneof(fc.constant(Number.NaN), fc.nat(50)),
        generation: fc.integer({ min: 1, max: 4 }),
        says: fc.subarray(['size', 'checksum', 'file_type'] as const),
        isTransfer: fc.boolean(),
      })
      .map(({ ground, onboard, generation, says, isTransfer }) => {
        if (isTransfer) return at(ground, { transfer: `T${generation}`, transfer_generation: generation });
        const values = { size: generation, checksum: `0${generation}`, file_type: generation };
        const listed = Object.fromEntries(says.map((name) => [name, values[name]]));
        return at(ground, { generation, ...listed }, onboard);
      });
    fc.assert(
      fc.property(fc.array(honest, { maxLength: 30 }), (samples) => {
        const files = new KnownFiles();
        for (const each of samples) {
          files.apply([each], 'uhf', false);
          const shown = shownOf(files);
          if (typeof shown?.generation !== 'number') continue;
          const { generation } = shown;
          for (const value of [shown.size, shown.file_type, shown.checksum])
            if (value !== undefined && value !== null) expect(Number(value)).toBe(generation);
          if (typeof shown.transfer === 'string')
            expect(Number(shown.transfer.slice(1))).toBeGreaterThanOrEqual(generation);
        }
      }),
      { numRuns: 500 },
    );
  });
});
