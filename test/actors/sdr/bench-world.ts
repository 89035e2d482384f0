/**
 * The radio of the bench as the daemon has it: its cell in the real runtime, its board the real model. A test owns the
 * board, the store and, where it asks for it, the clock; `restart` is another life of the daemon over the same records.
 */

import type { BoardOption } from '../../../actors/sdr/radio/attach.ts';
import { RADIO_ID } from '../../../actors/sdr/radio/binding.ts';
import type { BoardUser, EventSink } from '../../../actors/sdr/radio/board-user.ts';
import { createRadio, type Radio, type RadioBench } from '../../../actors/sdr/radio/radio.ts';
import type { ChainTarget } from '../../../contract/bench/chain.ts';
import type { Profile } from '../../../contract/bench/profile.ts';
import type { radioMachine } from '../../../machines/bench/radio.ts';
import type { RadioContext } from '../../../machines/bench/radio-protocol.ts';
import type { Refusable } from '../../../ports/bench.ts';
import type { Clock } from '../../../ports/clock.ts';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { type IioContext, IioFailure } from '../../../radio/iio/context.ts';
import { createStub, type StubBoard } from '../../../radio/stub/stub.ts';
import { createDeadLetters } from '../../../supervision/cells/dead-letters.ts';
import { cellsOf } from '../../../supervision/cells/host.ts';
import { Kind } from '../../../supervision/cells/kind.ts';
import { realClock } from '../../../supervision/clock.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { keptLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';
import { KeptBucket } from './kept-bucket.ts';

/** Fast, so that blocks take two milliseconds: QPSK at 7.68 MBd. */
export const FAST: Profile = {
  name: 'fast',
  display_name: 'QPSK 7.68 MBd',
  modulation: 'qpsk',
  symbol_rate_baud: 7_680_000,
  center_frequency_hz: 2_400_000_000,
  rx: { gain_db: 40, bandwidth_hz: 14_000_000 },
  tx: { gain_db: -10, bandwidth_hz: 14_000_000 },
  framing: { kind: 'slot', frame_len: 256, sync_word_hex: '1acffc1d', scrambler: 'ccsds' },
};
export const OTHER: Profile = {
  name: 'other',
  modulation: 'bpsk',
  symbol_rate_baud: 1_000_000,
  center_frequency_hz: 2_245_000_000,
  rx: { gain_db: 30, nco_offset_hz: 2_000 },
  tx: { gain_db: -20 },
};

/** Of the time between two looks so much counts at most. */
const COUNTED_MS = 50;
const LOOK_MS = 10;

/**
 * The time of this process: that of the machine without what it stood still for, since blocks have a second to come and
 * none come meanwhile. Ends with `stop`.
 */
function ownClock(): Clock & { stop(): void } {
  let [own, lookedAt] = [realClock.now(), performance.now()];
  const now = (): number => {
    const at = performance.now();
    own += Math.min(at - lookedAt, COUNTED_MS);
    lookedAt = at;
    return Math.floor(own);
  };
  const looks = setInterval(now, LOOK_MS).unref();
  return {
    now,
    monotonic: now,
    setTimeout(fire, delayMs) {
      const due = now() + delayMs;
      const arm = (leftMs: number): NodeJS.Timeout =>
        setTimeout(() => {
          const left = due - now();
          if (left > 0) handle.timer = arm(left);
          else fire();
        }, leftMs);
      const handle = { timer: arm(delayMs) };
      return handle;
    },
    clearTimeout: ({ timer }) => clearTimeout(timer as NodeJS.Timeout),
    stop: () => clearInterval(looks),
  };
}

export interface WorldOptions {
  /** Default: the time of this process. */
  readonly clock?: Clock;
  readonly wired?: ChainTarget;
  readonly board?: BoardOption;
  readonly profiles?: readonly Profile[];
  readonly seed?: number;
  /** Wait for the board; default true. */
  readonly attached?: boolean;
}

export interface BenchWorld {
  readonly bench: RadioBench;
  readonly user: BoardUser;
  readonly events: EventSink;
  readonly radio: Radio;
  readonly kind: Kind;
  readonly log: ReturnType<typeof keptLog>;
  readonly store: MemoryStore;
  readonly bucket: KeptBucket;
  /** The model that is there now, or was last. */
  board(): StubBoard;
  /** While true no board is found. */
  away: boolean;
  context(): RadioContext;
  /** Ends this life of the daemon; the world of the next one over the same records. */
  restart(): Promise<BenchWorld>;
  /** Another daemon over the same records, while this one goes on. */
  beside(): Promise<BenchWorld>;
  stop(): Promise<void>;
}

interface Records {
  readonly store: MemoryStore;
  readonly bucket: KeptBucket;
}

export async function startBenchWorld(options: WorldOptions = {}): Promise<BenchWorld> {
  return begin(options, { store: new MemoryStore(), bucket: new KeptBucket() });
}

async function begin(options: WorldOptions, records: Records): Promise<BenchWorld> {
  const own = options.clock === undefined ? ownClock() : undefined;
  const { clock = own!, seed = 1, profiles = [FAST, OTHER], attached = true } = options;
  const boards: StubBoard[] = [];
  const log = keptLog();
  const state = { away: false };
  const given: BoardOption = {
    kind: 'given',
    open: async (): Promise<IioContext> => {
      if (state.away) throw new IioFailure(19, 'no board on the bench');
      const board = createStub({ seed, clock });
      boards.push(board);
      return board;
    },
  };
  const radio = createRadio({
    board: options.board ?? given,
    profiles: new Map(profiles.map((each) => [each.name, each])),
    ...(options.wired !== undefined && { wired: options.wired }),
    store: records.store,
    eventRecords: records.bucket,
    clock,
    log,
    random: seededRandom(seed),
  });
  const kind = new Kind({
    binding: radio.binding,
    clock,
    log,
    random: seededRandom(seed),
    deadLetters: createDeadLetters(undefined, log),
    onGone: (_, why) => {
      if (why === 'fenced') radio.replaced();
    },
    onEscalated: (reason) => {
      throw new Error(reason);
    },
  });
  const stored = await records.store.load(RADIO_ID);
  if (stored === undefined) kind.start(RADIO_ID, undefined, 1);
  else kind.restore(RADIO_ID, stored, 1);
  const cells = cellsOf<typeof radioMachine>(kind);
  await radio.start(cells);
  const stop = async (): Promise<void> => {
    await radio.stop();
    await kind.drain();
    own?.stop();
  };
  const world: BenchWorld = {
    bench: radio.bench,
    user: radio.boardUser,
    events: radio.events,
    radio,
    kind,
    log,
    ...records,
    board: () => boards.at(-1)!,
    get away() {
      return state.away;
    },
    set away(value) {
      state.away = value;
    },
    context: () => cells.context(RADIO_ID)!,
    restart: async () => {
      await stop();
      return begin(options, records);
    },
    beside: () => begin(options, records),
    stop,
  };
  if (attached) await until(() => cells.context(RADIO_ID)?.board !== undefined, { what: 'the board' });
  return world;
}

/** The value; a refusal is a failed test. */
export async function accepted<Value>(outcome: Promise<Refusable<Value>> | Refusable<Value>): Promise<Value> {
  const answered = await outcome;
  if (!answered.ok) throw new Error(JSON.stringify(answered.faults));
  return answered.value;
}

/** The first fault; an answer is a failed test. */
export async function refused(outcome: Promise<Refusable<unknown>> | Refusable<unknown>) {
  const answered = await outcome;
  if (answered.ok) throw new Error(`not refused: ${JSON.stringify(answered.value).slice(0, 400)}`);
  return answered.faults[0];
}
