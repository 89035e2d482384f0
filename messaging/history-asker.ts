/**
 * Questions about the past to the archives of the cell, over the bus: what routes and commands ask with.
 *
 * Q1. The archive with the longest past is asked first (known-archives.A3); where it does not answer, or cannot, the
 *     next one is. What it cannot understand no other one is asked.
 * Q2. An answer comes whole from one archive, and says from which: what is not in it stands in what that one says of
 *     itself (`pending`, `trouble`) and in the reservations of the answer.
 * Q3. Who waits no more says so: the promise rejects at once with the reason of the signal, and the archive, which is
 *     informed, gives the question up.
 * Q4. While the bus is away it throws `Outage`, as everybody who asks does.
 * Q5. A cursor of the log of events is of the archive that gave it. That one is asked first, and what one archive
 *     cannot understand of it the next one may: it is invalid where none of them can.
 * Q6. A question that names an archive is answered by that one, or not at all.
 */

import {
  type ArchiveAnswer,
  type ArchiveState,
  type HistoryCall,
  type HistoryFault,
  type Retrievable,
  readBuckets,
  readEvents,
  readSamples,
} from '../contract/archive-wire.ts';
import { assertNever } from '../contract/assert.ts';
import { subject } from '../contract/bus/subjects.ts';
import type { ArchivedEvents, EventPlace, EventQuery } from '../contract/event-query.ts';
import type { Buckets, Cursor, Damage, Gap, HistoryQuery, SamplePage } from '../contract/history.ts';
import { ARCHIVE_FOUND_MS, HISTORY_ANSWER_MS, HISTORY_ANSWER_POINTS } from '../contract/limits/archive.ts';
import { accepted, type Result, refused } from '../contract/result.ts';
import type { Stoppable } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import { type Asked, ask } from './ask.ts';
import { type ArchiveBus, type KnownArchive, KnownArchives } from './known-archives.ts';

/** What an archive had, and which one it was (Q2). */
export interface Retrieved<Value> {
  readonly value: Value;
  readonly archive: ArchiveState;
}

type Retrieval<Value> = Promise<Result<Retrieved<Value>, HistoryFault>>;

interface HistoryTools {
  readonly bus: ArchiveBus;
  readonly clock: Clock;
  /** A name for each question, its own: that of this process with a number, or a ULID. */
  readonly newId: () => string;
}

type Step<Value> = (archive: string) => Promise<Asked<ArchiveAnswer<Value & Retrievable>>>;

export class HistoryAsker implements Stoppable {
  readonly #tools: HistoryTools;
  readonly #known: KnownArchives;

  constructor(tools: HistoryTools) {
    this.#tools = tools;
    this.#known = new KnownArchives(tools.bus, tools.clock);
  }

  /** Those of the cell, in the order in which they are asked. */
  archives(): readonly KnownArchive[] {
    return this.#known.list();
  }

  /** About so many points of each measure; the bounds are those of `HISTORY_POINTS` and `HISTORY_POINTS_OF_ALL`. */
  buckets(query: HistoryQuery, points: number, signal?: AbortSignal): Retrieval<Buckets> {
    return this.#first<Buckets>(signal, async (archive) => {
      const most = Math.max(1, Math.floor(HISTORY_ANSWER_POINTS / (points + 1)));
      let whole: Buckets | undefined;
      for (let from = 0; from === 0 || from < query.measures.length; from += most) {
        const part = Object.assign({}, query, { measures: query.measures.slice(from, from + most) });
        const call = { ask: 'buckets', id: this.#tools.newId(), query: part, points } as const;
        const read = (bytes: Uint8Array) => readBuckets(bytes, part.measures.length);
        const asked = await this.#ask(archive, call, read, signal);
        if (asked.outcome !== 'answered' || !asked.answer.ok) return asked;
        whole = whole === undefined ? asked.answer.value : joined(whole, asked.answer.value);
      }
      return { outcome: 'answered', answer: accepted(whole!) };
    });
  }

  /**
   * A page of samples behind the cursor: at most `limit`, fewer where they are long, and where there are more, `next`.
   */
  samples(
    query: HistoryQuery,
    { cursor, limit }: { readonly cursor?: Cursor | undefined; readonly limit: number },
    signal?: AbortSignal,
  ): Retrieval<SamplePage> {
    return this.#first<SamplePage>(signal, (archive) => {
      const asked = { ask: 'samples', id: this.#tools.newId(), query, limit } as const;
      const call = cursor === undefined ? asked : Object.assign(asked, { cursor });
      return this.#ask(archive, call, readSamples, signal);
    });
  }

  /** A page of the log of events, the newest first; fewer than `limit` where they are long, or far between (Q6). */
  events(
    query: EventQuery,
    {
      before,
      limit,
      of,
    }: {
      readonly before?: EventPlace | undefined;
      readonly limit: number;
      readonly of?: string | undefined;
    },
    signal?: AbortSignal,
  ): Retrieval<ArchivedEvents> {
    const step: Step<ArchivedEvents> = (archive) => {
      const asked = { ask: 'events', id: this.#tools.newId(), query, limit } as const;
      const call = before === undefined ? asked : Object.assign(asked, { before });
      return this.#ask(archive, call, readEvents, signal);
    };
    return this.#first(signal, step, { before, of });
  }

  stop(): Promise<void> {
    return this.#known.stop();
  }

  /** Q1, Q6; behind a cursor Q5 */
  async #first<Value>(
    signal: AbortSignal | undefined,
    step: Step<Value>,
    { before, of }: { readonly before?: EventPlace | undefined; readonly of?: string | undefined } = {},
  ): Retrieval<Value> {
    signal?.throwIfAborted();
    await this.#known.some(ARCHIVE_FOUND_MS);
    const faults: HistoryFault[] = [];
    for (const archive of this.#known.list(before)) {
      if (of !== undefined && archive.archive !== of) continue;
      const asked = await step(archive.archive);
      const { answer, fault } = outcomeOf(asked, archive);
      if (answer?.ok) return accepted({ value: answer.value as Value, archive });
      if (fault.code === 'archive::invalid' && before === undefined) return refused(fault);
      faults.push(fault);
    }
    return refused(...(faults.length === 0 ? ([NONE] as const) : ([summary(faults)] as const)));
  }

  /** Q3 */
  async #ask<Value extends Retrievable>(
    archive: string,
    call: HistoryCall,
    read: (bytes: Uint8Array) => ArchiveAnswer<Value> | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Asked<ArchiveAnswer<Value>>> {
    signal?.throwIfAborted();
    const { bus } = this.#tools;
    const to = subject.archiveAsk(archive);
    const asked = ask(bus, { to, call, read, timeoutMs: HISTORY_ANSWER_MS });
    if (signal === undefined) return await asked;
    let giveUp = (): void => undefined;
    const given = new Promise<never>((_, reject) => {
      giveUp = () => {
        const { id } = call;
        bus.publish(subject.archiveCancel(archive), Buffer.from(JSON.stringify({ id })));
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
    });
    try {
      return await Promise.race([asked, given]);
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }
}

const NONE: HistoryFault = {
  code: 'archive::none',
  message: 'no archive is there: start a process with role archive',
};

function outcomeOf<Value extends Retrievable>(
  asked: Asked<ArchiveAnswer<Value>>,
  { archive, instance }: ArchiveState,
): { readonly answer?: ArchiveAnswer<Value>; readonly fault: HistoryFault } {
  const unanswered = (what: string): { readonly fault: HistoryFault } => ({
    fault: { code: 'archive::unanswered', message: `archive ${archive} (${instance}) ${what}` },
  });
  switch (asked.outcome) {
    case 'answered':
      return asked.answer.ok ? { answer: asked.answer, fault: NONE } : { fault: asked.answer.faults[0] };
    case 'unserved':
      return unanswered('is not there any more');
    case 'unanswered':
      return unanswered(`did not answer within ${HISTORY_ANSWER_MS / 1_000} s`);
    case 'unreadable':
      return unanswered('gave a malformed reply');
    default:
      return assertNever(asked);
  }
}

/**
 * Of several archives that gave none, all are said; one that is only busy is the reason that passes, and the question
 * is at fault where all of them say so (Q5).
 */
function summary(faults: readonly HistoryFault[]): HistoryFault {
  const worst =
    faults.find(({ code }) => code === 'archive::busy') ??
    faults.find(({ code }) => code !== 'archive::invalid') ??
    faults[0]!;
  return { code: worst.code, message: faults.map(({ message }) => message).join('; ') };
}

function joined(one: Buckets, other: Buckets): Buckets {
  return {
    start: one.start,
    width: one.width,
    measures: [...one.measures, ...other.measures],
    gaps: distinct<Gap>([...one.gaps, ...other.gaps]),
    damaged: distinct<Damage>([...one.damaged, ...other.damaged]),
    thinned: one.thinned || other.thinned,
  };
}

function distinct<Each>(list: readonly Each[]): Each[] {
  return [...new Map(list.map((each) => [JSON.stringify(each), each])).values()];
}
