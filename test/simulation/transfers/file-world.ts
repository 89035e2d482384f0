/** Everything about files in a simulated run that is not a process: spacecraft, the way to them, runs, people. */

import { assertNever } from '../../../contract/assert.ts';
import { buckets, objectStores } from '../../../contract/bus/buckets.ts';
import {
  isOpenTransfer,
  readStoredTransfer,
  type Transfer,
  transferKey,
} from '../../../contract/transfer.ts';
import type { Bus } from '../../../ports/bus.ts';
import { seededRandom } from '../../../ports/seeded-random.ts';
import type { HeapClock } from '../../../supervision/clock.ts';
import { Chance } from '../chance.ts';
import { type Asking, persist } from '../persistence.ts';
import { START_MS } from '../start.ts';
import type { TwinServer } from '../twin/server.ts';
import { type Held, kept } from '../twin/stored-stream.ts';
import { Board } from './board.ts';
import { type AskedPart, busSide, type StoreTrouble } from './bus-side.ts';
import { CfdpDriver } from './cfdp-driver.ts';
import { Decoders } from './decoders.ts';
import type { FileRequest } from './files-api.ts';
import { Ground } from './ground.ts';
import { type FileHistory, type LinkSpan, storedFiles } from './history.ts';
import { HoldingRuns } from './holding-runs.ts';
import { FILE_TARGET_NAMES, type FileTarget, filesMission, STATION } from './mission.ts';
import type { FileAct, Moving, Radio, Trouble } from './moving.ts';
import { Outbox } from './outbox.ts';
import { Reports } from './reports.ts';

interface FileWorldOptions extends Asking {
  readonly seed: number;
  readonly clock: HeapClock;
  readonly server: TwinServer;
  readonly moving: Moving;
  /** ms since the start. */
  readonly calmAt: number;
  /** Streams have no leader. */
  readonly isSilent: () => boolean;
  /** Puts a planted defect between a process of the far side and its bus. */
  readonly wrapBus: ((bus: Bus, instance: string) => Bus) | undefined;
  readonly tell: (what: string) => void;
}

/** One process is waited for so long. */
const PATIENCE_MS = 6_000;
/** Behind the last fault: a run gives its target back. */
const RUNS_END_MS = 60_000;
/** While nothing goes wrong: files that went up are verified by listings. */
const LIST_EVERY_MS = 5_000;
const LOOK_EVERY_MS = 250;

export class FileWorld {
  readonly #options: FileWorldOptions;
  readonly #boards = new Map<FileTarget, Board>();
  readonly #outbox: Outbox;
  readonly #ground: Ground;
  readonly #driver: CfdpDriver;
  readonly #decoders: Decoders | undefined;
  readonly #reports: Reports;
  readonly #runs: HoldingRuns;
  readonly #asked: AskedPart[] = [];
  readonly #links: LinkSpan[] = [];
  readonly #down = new Map<FileTarget, { spoken: number; silent: number }>();
  readonly #store = new Map<string, StoreTrouble[]>();
  readonly #slept: { instance: string; at: number }[] = [];
  readonly #lied = new Set<FileTarget>();
  readonly #mislisted = new Set<FileTarget>();
  #open = 0;

  constructor(options: FileWorldOptions) {
    this.#options = options;
    const { seed, moving, clock, server, isSilent, wrapBus, tell } = options;
    for (const [n, target] of FILE_TARGET_NAMES.entries())
      this.#boards.set(target, new Board(target, seed * 8 + n, moving));
    const boardOf = (target: FileTarget): Board => this.#boards.get(target)!;
    const isLinked = (target: FileTarget): boolean => this.#isLinked(target);
    this.#outbox = new Outbox({ clock, server, isSilent });
    this.#runs = new HoldingRuns({
      clock,
      outbox: this.#outbox,
      ask: (act, asked) => this.#askForRun(act, asked),
      isOver: (key) => this.#isOver(key),
      endsAt: START_MS + options.calmAt + RUNS_END_MS,
    });
    this.#ground = new Ground({
      clock,
      server,
      outbox: this.#outbox,
      mission: filesMission(),
      chance: new Chance(seed, 'radio'),
      radio: () => this.#radio(),
      boardOf,
      isLinked,
      holdersOf: (target) => this.#runs.holdersOf(target),
    });
    const contentOf = (sha256: string): Buffer | undefined => this.#uploaded(sha256);
    this.#driver = new CfdpDriver({ clock, server, ground: this.#ground, boardOf, isLinked, contentOf });
    this.#decoders =
      (moving.stored ?? []).length > 0
        ? new Decoders({ seed, clock, server, isSilent, wrapBus, tell })
        : undefined;
    this.#reports = new Reports({
      clock,
      server,
      isUp: (target) => this.#links.every((span) => span.target !== target || span.to !== undefined),
      isSilent: (target) => (this.#down.get(target)?.silent ?? 0) > 0,
      received: (target) => this.#ground.received.get(target) ?? 0,
    });
  }

  /** Sets off everything at its time. */
  plan(): void {
    const { moving, clock, calmAt } = this.#options;
    this.#reports.start();
    this.#decoders?.start();
    for (const act of [...moving.acts, ...moving.last]) {
      this.#open += 1;
      clock.setTimeout(() => this.#act(act), act.at);
    }
    for (const trouble of moving.troubles) clock.setTimeout(() => this.#strike(trouble), trouble.at);
    clock.setTimeout(() => this.#listAgain(), calmAt + LIST_EVERY_MS);
    this.#watchSleepers();
  }

  /** Puts what is seen of a process between it and its bus. */
  seen(bus: Bus, instance: string, slot: number): Bus {
    return busSide(bus, {
      instance,
      world: this.#options.clock,
      clock: () => this.#options.processAt(slot)?.clock ?? this.#options.clock,
      order: () => this.#options.server.order,
      asked: this.#asked,
      trouble: (of) => this.#store.get(`${slot} ${of}`)?.at(-1),
    });
  }

  /** Whether everybody has an answer and nothing is under way that can come to an end. */
  get isOver(): boolean {
    if (this.#open > 0 || this.#runs.open > 0) return false;
    const { unfinished, unsaid } = this.history();
    return unfinished.length === 0 && unsaid.length === 0;
  }

  history(store: Held = kept): FileHistory {
    const { server, moving, calmAt, clock } = this.#options;
    const around = {
      boards: this.#boards,
      asked: this.#asked,
      reports: this.#reports.all,
      links: this.#links,
      held: this.#runs.held,
      slept: this.#slept,
      lied: this.#lied,
      mislisted: this.#mislisted,
      undecodable: this.#decoders?.refused ?? new Set<string>(),
      passes: moving.acts.filter((act) => act.do === 'pass'),
      calmAt: START_MS + calmAt,
      endedAt: clock.now(),
    };
    return storedFiles(server, around, store);
  }

  /** What runs know of their targets is written again, as whoever holds them would. */
  rewound(): void {
    this.#runs.rewound();
  }

  // Acts -------------------------------------------------------------------------------------------------------------

  #act(act: FileAct): void {
    this.#open -= 1;
    const { clock, tell } = this.#options;
    tell(JSON.stringify(act));
    switch (act.do) {
      case 'download':
        this.#ask(act.slot, { ...act, kind: 'download' });
        return;
      case 'run':
        return this.#runs.plan(act);
      case 'rewrite':
        return this.#boards.get(act.target)!.rewrite(act.file, clock.now());
      case 'list':
        return this.#ground.list(act.target, act.lateMs);
      case 'pass':
        return this.#pass(act);
      default:
        return assertNever(act);
    }
  }

  #ask(slot: number, what: FileRequest, asked?: (key: string) => void): void {
    this.#open += 1;
    persist(this.#options, {
      slot,
      patienceMs: PATIENCE_MS,
      ask: (api) => api.file(what),
      answered: (reported, by) => {
        this.#open -= 1;
        const { kind, target, file, run = 'ada' } = what;
        const name = `${kind} of file ${file} of ${target} for ${run}`;
        if (reported.outcome === 'accepted') {
          const key = transferKey(reported.body as Transfer);
          this.#options.tell(`${name}: ${key} through ${by}`);
          asked?.(key);
        } else {
          this.#options.tell(`${name} refused: ${reported.codes.join(', ')}`);
          asked?.('');
        }
      },
    });
  }

  #askForRun(
    { slot, target, run, downloads, uploads, at }: Extract<FileAct, { do: 'run' }>,
    asked: (key: string) => void,
  ): void {
    for (const file of downloads)
      this.#ask(slot, { kind: 'download', target, file, priority: 1, run }, asked);
    for (const { file, size, of = at } of uploads) {
      const content = contentOf(of, file, size);
      this.#ask(slot, { kind: 'upload', target, file, content, run }, asked);
    }
  }

  #pass({ at, target, forMs, uplink, rate }: Extract<FileAct, { do: 'pass' }>): void {
    const id = `f-${at}`;
    const [aos, los] = [START_MS + at, START_MS + at + forMs].map((ms) => new Date(ms).toISOString());
    const window = { id, target, station: STATION, aos, los, max_elevation: '40 deg', source: 'fds' };
    const rates = rate === undefined ? {} : { rates: { downlink: `${rate} bit/s` } };
    const pass = { ...window, status: 'booked', uplink, ...rates };
    const stored = { ...pass, contributions: { fds: pass } };
    this.#outbox.overwrite(buckets.passes, `${target}.${id}`, Buffer.from(JSON.stringify(stored)));
  }

  /** O1: what went up is listed behind its end, so that it is verified. */
  #listAgain(): void {
    for (const target of FILE_TARGET_NAMES) this.#ground.list(target, 0);
    this.#options.clock.setTimeout(() => this.#listAgain(), LIST_EVERY_MS);
  }

  // Troubles ---------------------------------------------------------------------------------------------------------

  #strike(trouble: Trouble): void {
    const { clock, tell } = this.#options;
    tell(`trouble: ${JSON.stringify(trouble)}`);
    const end = this.#begin(trouble);
    if (trouble.kind === 'decoding') return;
    clock.setTimeout(() => {
      end();
      tell(`over: ${trouble.kind}`);
    }, trouble.forMs);
  }

  /** What ends it. */
  #begin(trouble: Trouble): () => void {
    switch (trouble.kind) {
      case 'link':
        return this.#linkDown(trouble);
      case 'executor':
      case 'decoder': {
        const { kind } = trouble;
        this.#ground.dies(kind);
        return () => this.#ground.lives(kind, trouble.kind === 'decoder' ? trouble.again : 0);
      }
      case 'store':
        return this.#troubleStore(trouble);
      case 'board': {
        const { faults } = this.#boards.get(trouble.target)!.files;
        faults.add(trouble.fault);
        if (trouble.fault === 'wrong_generation') this.#lied.add(trouble.target);
        if (trouble.fault === 'bad_checksum') this.#mislisted.add(trouble.target);
        return () => void faults.delete(trouble.fault);
      }
      case 'driver':
        if (trouble.how === 'restarts') this.#driver.restart();
        else this.#driver.how = trouble.how;
        return () => {
          this.#driver.how = undefined;
        };
      case 'decoding':
        this.#decoders?.strike(trouble);
        return () => undefined;
      default:
        return assertNever(trouble);
    }
  }

  #linkDown({ target, isSilent }: Extract<Trouble, { kind: 'link' }>): () => void {
    const span: LinkSpan = { target, from: this.#options.clock.now(), to: undefined, isSilent };
    const down = this.#down.get(target) ?? { spoken: 0, silent: 0 };
    this.#down.set(target, down);
    down[isSilent ? 'silent' : 'spoken'] += 1;
    this.#links.push(span);
    this.#reports.say(target);
    return () => {
      span.to = this.#options.clock.now();
      down[isSilent ? 'silent' : 'spoken'] -= 1;
      this.#reports.say(target);
    };
  }

  #troubleStore({ slot, of, how }: Extract<Trouble, { kind: 'store' }>): () => void {
    const key = `${slot} ${of}`;
    const troubles = this.#store.get(key) ?? [];
    this.#store.set(key, troubles);
    troubles.push(how);
    return () => void troubles.splice(troubles.indexOf(how), 1);
  }

  #isLinked(target: FileTarget): boolean {
    const down = this.#down.get(target);
    return down === undefined || down.spoken + down.silent === 0;
  }

  #radio(): Radio {
    const { moving, clock, calmAt } = this.#options;
    if (clock.now() < START_MS + calmAt) return moving.radio;
    return { ...moving.radio, loss: 0, doubling: 0, jitterMs: 0, failing: 0 };
  }

  // Looking ----------------------------------------------------------------------------------------------------------

  #watchSleepers(): void {
    const { slots, processAt, clock } = this.#options;
    for (let slot = 0; slot < slots; slot += 1) {
      const process = processAt(slot);
      if (process?.clock.paused === true) this.#slept.push({ instance: process.instance, at: clock.now() });
    }
    clock.setTimeout(() => this.#watchSleepers(), LOOK_EVERY_MS);
  }

  #isOver(key: string): boolean {
    if (key === '') return true;
    const message = this.#options.server
      .bucket(buckets.transfers)
      .last(`$KV.${buckets.transfers.name}.${key}`);
    const record = message && readStoredTransfer(key, message.data);
    return record !== undefined && !isOpenTransfer(record);
  }

  #uploaded(sha256: string): Buffer | undefined {
    const { name } = objectStores.uploads;
    const message = this.#options.server.bucket({ name }).last(`$KV.${name}.${sha256}`);
    return message && Buffer.from(message.data);
  }
}

/** Bytes that no other upload has by chance. */
function contentOf(at: number, file: string, size: number): Buffer {
  const random = seededRandom(at * 64 + Number(file) + size * 7_919);
  return Buffer.from(Uint8Array.from({ length: size }, () => Math.floor(random.next() * 256)));
}
