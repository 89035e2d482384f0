/** Everything about archives in a simulated run that is not a process: what is received, who asks, disks, time. */

import type { PlatformColumns } from '../../../archive/platform-columns.ts';
import { readArchiveState } from '../../../contract/archive-wire.ts';
import { assertNever } from '../../../contract/assert.ts';
import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { ArchiveStorage } from '../../../supervision/archive/storage.ts';
import { Chance } from '../chance.ts';
import type { Published } from '../mission.ts';
import type { Asking } from '../persistence.ts';
import type { ProcessClock } from '../process-clock.ts';
import type { Slot } from '../scenario.ts';
import { Outbox } from '../transfers/outbox.ts';
import type { TwinServer } from '../twin/server.ts';
import { matcher } from '../twin/stored-stream.ts';
import { archiveOf, Disks, type Planted } from './disks.ts';
import { FinalQuestions } from './final-questions.ts';
import { type Announced, type ArchiveHistory, sentMessages } from './history.ts';
import type { Keeping, Received, Trouble } from './keeping.ts';
import { archivedPlatform } from './mission.ts';
import { Questions } from './questions.ts';
import { receivedBytes } from './receiving.ts';

interface ArchiveWorldOptions extends Asking {
  readonly seed: number;
  readonly server: TwinServer;
  readonly mission: Published;
  readonly keeping: Keeping;
  readonly places: readonly Slot[];
  /** ms since the start. */
  readonly calmAt: number;
  readonly planted: Planted;
  /** Streams have no leader. */
  readonly isSilent: () => boolean;
  readonly kill: (slot: number, why: string, backMs: number) => void;
  /** The time of day of everybody goes on. */
  readonly leap: (byMs: number) => void;
  readonly tell: (what: string) => void;
}

interface Life {
  readonly instance: string;
  readonly clock: ProcessClock;
  readonly isAlive: () => boolean;
  readonly reached: (what: string, phase: 'asked' | 'done') => void;
}

/** Behind the last fault: everything is up again, and has read what came. */
const FINAL_MS = 9_000;

export class ArchiveWorld {
  readonly #options: ArchiveWorldOptions;
  readonly #disks: Disks;
  readonly #platform: PlatformColumns;
  readonly #outbox: Outbox;
  readonly #announced: Announced[] = [];
  readonly #questions: Questions;
  readonly #finals: FinalQuestions;
  readonly #full = new Map<string, number>();

  constructor(options: ArchiveWorldOptions) {
    this.#options = options;
    this.#disks = new Disks(options.planted);
    this.#platform = archivedPlatform(options.mission);
    this.#outbox = new Outbox(options);
    const measures = this.#platform.measures.map(({ key }) => key);
    const asking = { ...options, measures, announced: this.#announced };
    this.#questions = new Questions(asking);
    this.#finals = new FinalQuestions({ ...asking, archives: this.#archives, disks: this.#disks });
  }

  /** Sets off everything at its time. */
  plan(): void {
    const { keeping, clock, calmAt, server } = this.#options;
    for (const each of keeping.received) clock.setTimeout(() => this.#receive(each), each.at);
    for (const each of keeping.troubles) clock.setTimeout(() => this.#strike(each), each.at);
    this.#questions.plan(keeping.questions);
    this.#finals.start(calmAt + FINAL_MS);
    this.#listen();
    server.onTurn((up) => {
      if (up) this.#listen();
    });
  }

  /** Whether every question has its answer. */
  get isOver(): boolean {
    return this.#questions.areOver && this.#finals.areOver;
  }

  /** When no process runs any more. */
  readDisks(): Promise<void> {
    return this.#finals.readDisks();
  }

  storage({ instance, clock, isAlive, reached }: Life): ArchiveStorage {
    const { seed, server } = this.#options;
    const chance = new Chance(seed, `${instance} disk`);
    return this.#disks.storage({ instance, clock, chance, isAlive, reached, now: () => server.now });
  }

  history(): ArchiveHistory {
    const { server, keeping, places } = this.#options;
    return {
      sent: sentMessages(server, this.#platform),
      announced: this.#announced,
      answered: this.#questions.answered,
      everything: this.#finals.found,
      done: this.#disks.done,
      archives: this.#archives,
      retains: keeping.retains,
      skewMs: Math.max(...places.map(({ skewMs }) => Math.abs(skewMs))),
    };
  }

  get #archives(): string[] {
    return [...new Set(this.#options.places.map(({ state }) => archiveOf(state!)))];
  }

  #receive(received: Received): void {
    const { seed, server, mission } = this.#options;
    this.#outbox.append(streams.values, {
      subject: subject.values(received.target),
      data: receivedBytes(received, { seed, now: server.now, platform: this.#platform }),
      headers: { [header.config]: mission.revision },
      id: `received-${received.number}`,
    });
  }

  #strike(trouble: Trouble): void {
    const { server, leap, tell } = this.#options;
    tell(`trouble: ${JSON.stringify(trouble)}`);
    switch (trouble.kind) {
      case 'discard':
        return server.discard(streams.values, trouble.left);
      case 'full':
        return this.#fill(trouble);
      case 'power':
        return this.#cutPower(trouble);
      case 'thread':
        return this.#endThreads(trouble.slot);
      case 'leap':
        return leap(trouble.byMs);
      default:
        return assertNever(trouble);
    }
  }

  #fill({ state, forMs }: Extract<Trouble, { kind: 'full' }>): void {
    const archive = archiveOf(state);
    const disk = this.#disks.of(archive);
    const change = (by: number): void => {
      const full = (this.#full.get(archive) ?? 0) + by;
      this.#full.set(archive, full);
      disk.room = full > 0 ? 0 : Number.POSITIVE_INFINITY;
    };
    change(1);
    this.#options.clock.setTimeout(() => change(-1), forMs);
  }

  #cutPower({ at, state, backMs }: Extract<Trouble, { kind: 'power' }>): void {
    const { places, kill, seed } = this.#options;
    for (const [slot, place] of places.entries())
      if (place.state === state) kill(slot, 'power cut', backMs + slot);
    const chance = new Chance(seed, `power ${at} ${state}`);
    this.#disks.of(archiveOf(state)).powerCut(() => chance.next());
  }

  #endThreads(slot: number): void {
    const process = this.#options.processAt(slot);
    if (process !== undefined) this.#disks.endThreads(process.instance);
  }

  /** What archives say of themselves; the server forgets who listens when it goes away. */
  #listen(): void {
    const { server, clock } = this.#options;
    server.subscribe({
      by: 'watch',
      matches: matcher(subject.archiveState()),
      queue: undefined,
      deliver: ({ data }) => {
        const state = readArchiveState(data);
        if (state !== undefined) this.#announced.push({ at: clock.now(), wall: server.now, state });
      },
    });
  }
}
