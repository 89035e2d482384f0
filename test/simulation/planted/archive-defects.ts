/**
 * Defects to be planted between an archive and its disk, its threads or its bus, each the mistake of one part. The
 * parts themselves are the real ones.
 */

import type { FileSystem } from '../../../archive/file-system.ts';
import type { Opened, Sealed, Summary } from '../../../archive/work.ts';
import type { Workshop } from '../../../archive/workshop.ts';
import { packAnswer, readSamples } from '../../../contract/archive-wire.ts';
import { streams } from '../../../contract/bus/streams.ts';
import type { SamplePage } from '../../../contract/history.ts';
import { accepted } from '../../../contract/result.ts';
import type { Bus } from '../../../ports/bus.ts';
import type { RunOptions } from '../world.ts';
import { altered } from './plant.ts';

type Do = Workshop['do'];

/** Work some of whose calls are done in another way. */
function working(
  wrong: (name: string, args: readonly unknown[], right: Do) => Promise<unknown> | undefined,
): RunOptions {
  return {
    archive: {
      wrapWork: (workshop) =>
        Object.assign({}, workshop, {
          do: (...call: Parameters<Do>) => {
            const [name, ...args] = call;
            return (
              wrong(name, args, workshop.do) ??
              (workshop.do as (...given: Parameters<Do>) => unknown)(...call)
            );
          },
        }),
    },
  };
}

function onDisk(wrong: (files: FileSystem) => Partial<FileSystem>): RunOptions {
  return { archive: { wrapDisk: (files) => Object.assign({}, files, wrong(files)) } };
}

function onBus(wrong: (bus: Bus) => Partial<Bus>): RunOptions {
  return { wrapBus: (bus) => altered(bus, wrong(bus)) };
}

/** Bytes are not on the disk when it says so. */
const lazySync = onDisk((files) => ({
  create: (path) => Object.assign({}, files.create(path), { sync: () => undefined }),
}));

/** Names are not on the disk when it says so. */
const lazyDirectories = onDisk(() => ({ syncDirectory: () => undefined }));

/** Whoever opens leaves the directory of the owner before where it is. */
const unfenced = onDisk((files) => ({
  rename: (from, to) => (to.includes('gone-') ? undefined : files.rename(from, to)),
}));

/** Whoever opens does not see the newest segment of each stream. */
const forgettingSegments = working((name, _args, right) =>
  name === 'open'
    ? right('open').then((opened: Opened) => ({
        ...opened,
        streams: opened.streams.map((each) => ({ ...each, segments: each.segments.slice(0, -1) })),
      }))
    : undefined,
);

/** What a segment has of targets cannot be found. */
const blindSegments = working((name, args, right) =>
  name === 'seal'
    ? right('seal', args[0] as Sealed).then((made: Summary) => ({ ...made, targets: {} }))
    : undefined,
);

/** A compaction leaves the last of its parts out. */
const wastefulCompaction = working((name, args, right) => {
  const [writing, stream, parts, level] = args as Parameters<CompactArguments>;
  if (name !== 'compact' || parts.length < 2) return undefined;
  return right('compact', writing, stream, parts.slice(0, -1), level);
});
type CompactArguments = (
  writing: string,
  stream: string,
  parts: readonly Summary[],
  level: 'hour' | 'day' | 'minutes',
) => void;

/** Days are thinned to minutes at once. */
const impatientRetention = working((name, args, right) => {
  const [writing, stream, parts, level] = args as Parameters<CompactArguments>;
  if (name !== 'compact' || level !== 'day' || parts.length !== 1) return undefined;
  return right('compact', writing, stream, parts, 'minutes');
});

/** A segment that the disk refuses is said to be written. */
const boastful = working((name, args, right) => {
  if (name !== 'seal') return undefined;
  const { stream, first, last, received } = args[0] as Sealed;
  return right('seal', args[0] as Sealed).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOSPC') throw error;
    return { bytes: 0, first, last, level: 'part', stream, received, samples: 0, targets: {}, gaps: [] };
  });
});

/** Gaps are not written. */
const silentAboutGaps = working((name, args, right) =>
  name === 'seal' ? right('seal', { ...(args[0] as Sealed), gaps: [] }) : undefined,
);

/** Every twentieth message is not handed over. */
const hardOfHearing = onBus((bus) => {
  let heard = 0;
  return {
    follow: (stream, subject, from, handle, options) =>
      bus.follow(
        stream,
        subject,
        from,
        (message) => {
          if (stream.name !== streams.values.name) return handle(message);
          heard += 1;
          return heard % 20 === 0 ? undefined : handle(message);
        },
        options,
      ),
  };
});

/** Reads on one message too late. */
const skipping = onBus((bus) => ({
  follow: (stream, subject, from, handle, options) => {
    const isLate = stream.name === streams.values.name && from.from === 'seq';
    return bus.follow(stream, subject, isLate ? { from: 'seq', seq: from.seq + 1 } : from, handle, options);
  },
}));

/** Takes every stream for the one that it knows. */
const credulous = onBus((bus) => ({
  stillHolds: () => Promise.resolve(true),
  follow: (stream, subject, from, handle) => bus.follow(stream, subject, from, handle, {}),
}));

/** Takes every stream for another one. */
const suspicious = onBus((bus) => ({
  stillHolds: (stream, known) =>
    stream.name === streams.values.name ? Promise.resolve(false) : bus.stillHolds(stream, known),
}));

/** Answers of archives are something else. */
function answering(wrong: (page: SamplePage) => SamplePage): RunOptions {
  return onBus((bus) => ({
    serve: (subject, answer, options) =>
      bus.serve(
        subject,
        async (message) => {
          const bytes = await answer(message);
          if (!subject.includes('archive')) return bytes;
          const read = readSamples(bytes);
          return read?.ok ? packAnswer(accepted(wrong(read.value))) : bytes;
        },
        options,
      ),
  }));
}

/** The first sample of the next page ends this one, too. */
const overlapping = answering((page) => ({
  ...page,
  samples: [...page.samples, ...page.samples.slice(0, 1)],
}));

/** The last sample of a page is left out. */
const curt = answering((page) => ({ ...page, samples: page.samples.slice(0, -1) }));

interface PlantedDefect {
  readonly what: string;
  readonly options: RunOptions;
  readonly checker: string;
  /** A seed that finds it. */
  readonly seed: number;
  /** So many seeds from 1 on find it (docs/simulation.md). */
  readonly within: number;
}

const planted = (
  what: string,
  options: RunOptions,
  checker: string,
  seed: number,
  within: number,
): PlantedDefect => ({
  what,
  options,
  checker,
  seed,
  within,
});

/** Each with the checker that finds it. */
export const PLANTED_IN_ARCHIVES: readonly PlantedDefect[] = [
  planted('bytes that are not on the disk', lazySync, 'durable-stays', 3, 30),
  planted('names that are not on the disk', lazyDirectories, 'durable-stays', 10, 60),
  planted('two owners at a time', unfenced, 'archived-once', 177, 400),
  planted('a segment that is not seen', forgettingSegments, 'archived-once', 6, 30),
  planted('a segment whose targets are not found', blindSegments, 'nothing-missing-unsaid', 1, 10),
  planted('a compaction that leaves a part out', wastefulCompaction, 'deletes-only-old', 1, 10),
  planted('samples that are deleted early', impatientRetention, 'deletes-only-old', 4, 30),
  planted('a disk that is full and said to write', boastful, 'nothing-missing-unsaid', 6, 30),
  planted('gaps that are not said', silentAboutGaps, 'nothing-missing-unsaid', 4, 30),
  planted('messages that are not heard', hardOfHearing, 'gaps-are-true', 2, 10),
  planted('a message that is skipped', skipping, 'gaps-are-true', 1, 10),
  planted('a stream taken for the one before', credulous, 'nothing-missing-unsaid', 4, 30),
  planted('a stream taken for another one', suspicious, 'gaps-are-true', 1, 10),
  planted('pages that overlap', overlapping, 'archived-once', 1, 10),
  planted('pages that leave something out', curt, 'nothing-missing-unsaid', 1, 10),
  planted('an answer without what was read', curt, 'answers-have-what-was-read', 1, 10),
  planted('buckets of other samples', curt, 'buckets-are-of-samples', 1, 10),
];
