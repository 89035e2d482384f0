/**
 * What every archive has when nothing goes wrong any more: asked of its owner at once and again when it has looked
 * after its segments, and read from its disk when nobody works on it.
 */

import { Archive } from '../../../archive/archive.ts';
import { workHere } from '../../../archive/workshop.ts';
import { type ArchiveState, readArchiveState } from '../../../contract/archive-wire.ts';
import { streams } from '../../../contract/bus/streams.ts';
import type { HistoryQuery } from '../../../contract/history.ts';
import { ARCHIVE_MAINTAIN_MS } from '../../../contract/limits/archive.ts';
import { accepted } from '../../../contract/result.ts';
import { HistoryAsker } from '../../../messaging/history-asker.ts';
import type { ArchiveBus } from '../../../messaging/known-archives.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import type { SimulatedProcess } from '../simulated-process.ts';
import { START_MS } from '../start.ts';
import { through, walked } from './asking.ts';
import type { Disks } from './disks.ts';
import type { Everything } from './history.ts';
import { ARCHIVE_TARGETS } from './mission.ts';
import type { QuestionsOptions } from './questions.ts';

interface FinalOptions extends QuestionsOptions {
  readonly archives: readonly string[];
  readonly disks: Disks;
}

const LOOK_MS = 1_000;
const PATIENCE_MS = 30_000;
const LIMIT = 1_000;
const POINTS = 40;
const ROUNDS = 2;
/** Rows may be older than the run. */
const BEFORE_MS = 6 * 3_600_000;

export class FinalQuestions {
  readonly #options: FinalOptions;
  readonly #found: Everything[] = [];
  #left: number;

  constructor(options: FinalOptions) {
    this.#options = options;
    this.#left = options.archives.length;
  }

  get areOver(): boolean {
    return this.#left === 0;
  }

  get found(): readonly Everything[] {
    return this.#found;
  }

  start(inMs: number): void {
    for (const archive of this.#options.archives)
      this.#options.clock.setTimeout(() => void this.#askAll(archive), inMs);
  }

  async #askAll(archive: string): Promise<void> {
    for (let round = 0; round < ROUNDS; round += 1) {
      if (round > 0) await this.#pause(ARCHIVE_MAINTAIN_MS + 2 * LOOK_MS);
      while (!(await this.#askedOnce(archive))) await this.#pause(LOOK_MS);
    }
    this.#left -= 1;
  }

  /** Whether the owner has read everything, and answered every question. */
  async #askedOnce(archive: string): Promise<boolean> {
    const owner = this.#owner(archive);
    if (owner === undefined) return false;
    const found: Everything[] = [];
    for (const target of ARCHIVE_TARGETS) {
      const { clock, processAt, server } = this.#options;
      const process = processAt(0);
      const query = this.#queryOf(target);
      const everything = await through({ clock, process, patienceMs: PATIENCE_MS }, (asked) =>
        asking(asked, archive, async (asker) => {
          const pages = await walked(asker, query, LIMIT);
          const buckets = await asker.buckets(query, POINTS);
          if (pages === undefined || !buckets.ok) return undefined;
          return {
            query,
            archive,
            from: 'owner' as const,
            at: server.now,
            ...pages,
            buckets: buckets.value.value,
          };
        }),
      );
      if (everything === undefined) return false;
      found.push(everything);
    }
    if (this.#owner(archive)?.epoch !== owner.epoch) return false;
    this.#options.tell(`${archive}: ${found.map(({ samples }) => samples.length)} samples in the end`);
    this.#found.push(...found);
    return true;
  }

  /** What the owner said last, where it has everything. */
  #owner(archive: string): ArchiveState | undefined {
    const { announced, server, clock } = this.#options;
    const said = announced.findLast(({ state }) => state.archive === archive);
    const stream = server.stream(streams.values);
    const isCurrent = said !== undefined && clock.now() - said.at < 3 * LOOK_MS;
    if (!isCurrent || said.state.trouble !== undefined || said.state.pending > 0) return undefined;
    return said.state.read === stream.lastSeq ? said.state : undefined;
  }

  /** What stands on the disks, when no process runs any more. */
  async readDisks(): Promise<void> {
    const { archives, disks, server } = this.#options;
    for (const archive of archives) {
      const opened = await Archive.open(workHere('', disks.of(archive)), {
        stream: async (archived) => ({ stream: archived.at(-1)?.stream ?? 'none' }),
        clock: new ManualClock(server.now),
      });
      for (const target of ARCHIVE_TARGETS) {
        const query = this.#queryOf(target);
        const asker = {
          samples: async (...[of, { cursor, limit }]: Parameters<HistoryAsker['samples']>) => {
            const page = await opened.samples(of, cursor === undefined ? { limit } : { cursor, limit });
            return accepted({ value: page, archive: { archive } as ArchiveState });
          },
        };
        const pages = await walked(asker, query, LIMIT);
        this.#found.push({ query, archive, from: 'disk', at: server.now, ...pages! });
      }
    }
  }

  #queryOf(target: string): HistoryQuery {
    const { measures, server } = this.#options;
    return { target, measures, from: START_MS - BEFORE_MS, to: server.now + 1, delivery: 'all' };
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.setTimeout(resolve, ms));
  }
}

/** Asks one archive alone. */
async function asking<Value>(
  { bus, clock, instance }: SimulatedProcess,
  archive: string,
  ask: (asker: HistoryAsker) => Promise<Value>,
): Promise<Value> {
  const only: ArchiveBus = {
    get connected() {
      return bus.connected;
    },
    onConnection: (listener) => bus.onConnection(listener),
    publish: (subject, data, headers) => bus.publish(subject, data, headers),
    request: (subject, data, options) => bus.request(subject, data, options),
    subscribe: (subject, handle, options) =>
      bus.subscribe(
        subject,
        (message) => {
          if (readArchiveState(message.data)?.archive === archive) handle(message);
        },
        options,
      ),
  };
  let asked = 0;
  const newId = (): string => {
    asked += 1;
    return `final-${instance}-${asked}`;
  };
  const asker = new HistoryAsker({ bus: only, clock, newId });
  try {
    return await ask(asker);
  } finally {
    await asker.stop();
  }
}
