/** What is done to the segments of an archive about once a minute: made wider, or removed by age. */

import type { SegmentName } from '../contract/history.ts';
import type { Clock } from '../ports/clock.ts';
import { codeOf } from './error-code.ts';
import { type Job, nextJob, type Retention } from './maintenance.ts';
import { nameOf } from './manifest.ts';
import type { Owner } from './owner.ts';
import type { StreamSegments } from './stream-segments.ts';
import { ThreadEnded, type Workshop } from './workshop.ts';

interface UpkeepOptions {
  readonly work: Workshop;
  readonly streams: StreamSegments;
  /** The directory that only this owner has (writing-place.ts). */
  readonly writing: string;
  readonly clock: Clock;
  readonly log: (message: string) => void;
  /** When the questions that were asked before have their answers (archive/archive.V5). */
  readonly settled: () => Promise<unknown>;
  readonly owner: Owner;
}

export class Upkeep {
  readonly #options: UpkeepOptions;
  /** Segments that could not be compacted, for they cannot be read. */
  readonly #left = new Set<string>();
  retention: Retention;
  #maintaining: Promise<unknown> = Promise.resolve();

  constructor(options: UpkeepOptions, retention: Retention) {
    this.#options = options;
    this.retention = retention;
  }

  /** Does one thing that is to be done (maintenance.ts) and says what; undefined where there is none, or trouble. */
  maintain(): Promise<string | undefined> {
    const done = this.#maintaining.then(() => this.#maintain());
    this.#maintaining = done.catch(() => undefined);
    return done;
  }

  /** When what is under way is over. */
  async idle(): Promise<void> {
    await this.#maintaining;
  }

  async #maintain(): Promise<string | undefined> {
    const { clock, streams } = this.#options;
    const { retention } = this;
    for (const [stream, segments] of streams.all) {
      const left = (segment: SegmentName): boolean => this.#left.has(`${stream}/${nameOf(segment)}`);
      const isOpen = stream === streams.stream;
      const job = nextJob(segments, { isOpen, nowMs: clock.now(), retention, left });
      if (job !== undefined) return await this.#run(stream, job);
    }
    return undefined;
  }

  async #run(stream: string, job: Job): Promise<string | undefined> {
    const { work, streams, writing, settled, owner, log } = this.#options;
    const { parts } = job;
    const range = `${parts[0]!.first} to ${parts.at(-1)!.last} of ${stream}`;
    try {
      const made =
        job.kind === 'remove' ? undefined : await work.do('compact', writing, stream, parts, job.level);
      streams.replace(stream, parts, made);
      await settled();
      await work.do('remove', writing, stream, parts);
      return job.kind === 'remove' ? `removed ${range}` : `${range} are one ${job.level}`;
    } catch (error) {
      if (owner.isShutOutBy(error)) return undefined;
      // What the system refuses may be taken later; what cannot be read stays so, and is left as it is.
      if (codeOf(error) === undefined && !(error instanceof ThreadEnded))
        for (const part of parts) this.#left.add(`${stream}/${nameOf(part)}`);
      log(`archive: ${range} could not be compacted: ${(error as Error).message}`);
      return undefined;
    }
  }
}
