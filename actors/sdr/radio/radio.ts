/**
 * The radio: the one that owns the board, does what the routes and the runs ask of it, and records what happened. RF Bench Service,
 * sections 1, 3 and 4.
 *
 * How it is assembled: the role of the process makes it with `createRadio`, hosts its binding, whose only
 * cell it is (`supervision/cells/host.ts`), and then starts it:
 *
 *     const radio = createRadio({ … });
 *     const { cells } = hostCells(radio.binding, …);
 *     const stored = await radio.binding.store.load(RADIO_ID);
 *     stored ? cells.restore(RADIO_ID, stored, epoch) : cells.start(RADIO_ID, undefined, epoch);
 *     await radio.start(cells);
 *
 * I1. Nobody else writes to the board, and one setting is done at a time (`machines/bench/radio.ts`); what stops the transmitter waits
 *     for none.
 * I2. Reading goes on beside every command; what it shows of the applies is durable (`durable-record.ts`).
 */

import { randomUUID } from 'node:crypto';
import type { ChainTarget } from '../../../contract/bench/chain.ts';
import type { ActiveProfile, Profile } from '../../../contract/bench/profile.ts';
import type { radioMachine } from '../../../machines/bench/radio.ts';
import type { RadioContext, RadioEvent } from '../../../machines/bench/radio-protocol.ts';
import { NOTHING_APPLIED } from '../../../machines/bench/radio-record.ts';
import type { Bench } from '../../../ports/bench.ts';
import type { Bucket } from '../../../ports/bus.ts';
import type { Cells } from '../../../ports/cells.ts';
import type { Clock, Random } from '../../../ports/clock.ts';
import type { Binding, Store } from '../../../ports/entity.ts';
import type { Log } from '../../../ports/log.ts';
import { lateBy } from '../../../radio/board/late.ts';
import { silence, silencedWords } from '../../../radio/board/silence.ts';
import { AD9361_BOUNDS, type BoardBounds } from '../../../radio/document/bounds.ts';
import { DatapathCommands } from '../datapath/datapath.ts';
import { Frames } from '../datapath/frames.ts';
import { Measurer } from '../datapath/measure.ts';
import { PacketCommands } from '../datapath/packets.ts';
import { Events, keptLines } from '../events/events.ts';
import { Feeds } from '../events/feeds.ts';
import { EventBucket } from '../events/record.ts';
import { Attachment, type BoardOption } from './attach.ts';
import { createRadioBinding, RADIO_ID, type RadioServices } from './binding.ts';
import type { Board } from './board.ts';
import type { BoardHolder, BoardUser, EventSink } from './board-user.ts';
import { BoardWatch } from './board-watch.ts';
import type { Asking } from './board-work.ts';
import { Chain } from './chain.ts';
import { CommandQueue } from './command-queue.ts';
import { DurableRecord } from './durable-record.ts';
import type { RadioParts } from './parts.ts';
import { Profiles } from './profiles.ts';
import { Tuning } from './tuning.ts';
import { RadioUser } from './user.ts';

export interface RadioOptions {
  readonly board: BoardOption;
  /** What the board is wired for; default `air`. */
  readonly wired?: ChainTarget;
  /** Those of the mission. */
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly bounds?: BoardBounds;
  /** Of the cell. */
  readonly store: Store;
  /** `buckets.benchEvents`. */
  readonly eventRecords: Bucket;
  /** Compares what was captured; default: small payloads at once, others on a thread. */
  readonly measurer?: Pick<Measurer, 'prepare' | 'measure' | 'stop'>;
  /** What was silenced before there was a radio, in words. */
  readonly silenced?: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** The cell that hosts the chart. */
export type RadioCells = Pick<Cells<unknown, RadioEvent, RadioContext>, 'tell' | 'context'>;

export type RadioBench = Pick<
  Bench,
  'radio' | 'chain' | 'datapath' | 'profiles' | 'events' | 'frames' | 'feeds'
>;

export interface Radio {
  readonly binding: Binding<typeof radioMachine>;
  readonly bench: RadioBench;
  readonly boardUser: BoardUser;
  readonly events: EventSink;
  /** The log whose lines the logs route shows; everything of the daemon logs to it. */
  readonly log: Log;
  /** The applied profile, as it is known without a look at the board. */
  applied(): ActiveProfile;
  /** Those of the mission and those registered, as they are now. */
  profiles(): ReadonlyMap<string, Profile>;
  uptimeMs(): number;
  /** Reads the events of earlier lives and looks for the board; its cell is among these by then. */
  start(cells: RadioCells): Promise<void>;
  /**
   * Another bench has its record: what waits is refused, nothing more is taken, and nothing wakes its cell, which would write to that
   * record again.
   */
  replaced(): void;
  /** Mutes the transmitter if it radiates, and takes no more commands but those of runs that end: the daemon is about to. */
  silence(): Promise<void>;
  /** Ends everything that waits, gives the board back and writes what is to be recorded. */
  stop(): Promise<void>;
}

export function createRadio(options: RadioOptions): Radio {
  const { clock, wired = 'air', bounds = AD9361_BOUNDS, measurer = new Measurer() } = options;
  const startedAt = clock.now();
  const session = randomUUID();
  let isReplaced = false;
  let cells: RadioCells | undefined;
  const tell = (event: RadioEvent): boolean => !isReplaced && cells?.tell(RADIO_ID, event) === 'accepted';
  let last: RadioContext = NO_CONTEXT;
  const context = (): RadioContext => {
    last = cells?.context(RADIO_ID) ?? last;
    return last;
  };

  let events: Events | undefined;
  const log = keptLines(options.log, () => events);
  const frames = new Frames(clock, log);
  const records = new EventBucket(options.eventRecords, clock, log);
  const kept = new Events({ clock, records, framesSince: (at) => frames.countSince(at) });
  events = kept;

  const attachment: Attachment = new Attachment({
    ...{ board: options.board, clock, log },
    lost: (board, reason) => lost(board, reason),
  });
  const board = (): Board | undefined => attachment.board;
  const queue = new CommandQueue({
    ...{ session, clock, log, context, tell, board },
    refused: (route, fault) => {
      if (fault.code === 'board_busy') note('manual_interference', 'warning', fault.message);
      else log.info({ route, code: fault.code }, 'command refused');
    },
    dirtied: (profile, route) =>
      note('profile.dirty', 'warning', `profile ${profile} is no longer what is set: ${route}`),
    leavePath: (on, target, route) => packets.leavePath(on, target, route),
  });
  const durable = new DurableRecord(options.store);
  const shown = (): RadioContext => durable.shown(context());
  const late = lateBy(clock);
  const parts: RadioParts = { queue, clock, log, events: kept, bounds, wired, context: shown, board, late };
  const profiles: Profiles = new Profiles(parts, options.profiles, () => watch.look());
  const chain = new Chain(parts, profiles);
  const watch = new BoardWatch({ ...parts, chain, lostUnseen: () => lostUnseen() });
  const tuning = new Tuning(parts);
  const packets: PacketCommands = new PacketCommands(parts, chain);
  const datapath = new DatapathCommands({ ...parts, chain, frames, packets, measurer });
  const holding = (holder: BoardHolder): void => queue.holding(holder);
  const released = (holder: BoardHolder): void => queue.released(holder);
  const user = new RadioUser({
    ...{ clock, wired, board, tell, holding, released, tuning, chain, datapath, packets, profiles },
  });
  const feeds = new Feeds({
    ...{ clock, random: options.random, log, startedAt, board },
    sample: (names) => user.sample(names),
  });

  function note(kind: string, severity: 'info' | 'warning' | 'error', message: string): void {
    kept.record({ kind, source: 'radio', severity, message });
  }

  function lost({ attachment: number }: Board, reason: string): void {
    note('board.lost', 'error', reason);
    packets.forget();
    tell({ type: 'board.lost', attachment: number, reason, at: clock.now() });
  }

  /** The chart takes no loss before it knows that a board was found: one that came in between is reported again. */
  function lostUnseen(): void {
    const { board: known } = context();
    if (known === undefined || board() !== undefined) return;
    const reason = 'it was lost at the moment it was found';
    tell({ type: 'board.lost', attachment: known.attachment, reason, at: clock.now() });
  }

  function noteSilenced(words: string): void {
    log.warn({}, words);
    note('transmitter.orphaned', 'warning', words);
  }

  let missing: string | undefined;
  const services: RadioServices = {
    session,
    attach: async () => {
      const outcome = await attachment.attach();
      if ('missing' in outcome) {
        if (missing !== outcome.missing) note('board.missing', 'warning', outcome.missing);
        missing = outcome.missing;
        return { type: 'board.missed', reason: outcome.missing, at: clock.now() };
      }
      missing = undefined;
      const { attachment: number, context: found, modem } = outcome.board;
      // Nothing is done with a board before that: whoever set it is gone, or was this daemon before it lost it.
      const silenced = await silence(found, modem, late);
      if (silenced !== undefined) noteSilenced(silencedWords(silenced, 'found without an owner'));
      if (board() !== outcome.board)
        return { type: 'board.missed', reason: 'it was lost while it was silenced', at: clock.now() };
      note('board.attached', 'info', found.name);
      const attached = { attachment: number, name: found.name };
      return { type: 'board.attached', board: attached, at: clock.now() };
    },
    begin: (id) => queue.begin(id),
    answer: (id) => queue.answer(id),
    refuse: (id, fault) => queue.refuse(id, fault),
    holdAnswered: (request, fault) => user.held(request, fault),
    lost: (reason) => user.lost(reason),
  };

  return {
    binding: createRadioBinding(durable, services),
    bench: {
      radio: tuning,
      chain,
      datapath: {
        state: () => datapath.state(),
        capture: (body, gone) => datapath.capture(body, until(gone)),
        enable: () => datapath.enable(),
        disable: () => datapath.disable(),
        flush: (body) => packets.flush(body),
        loopback: (payload, terms, gone) => datapath.loopback(payload, terms, until(gone)),
        measure: (payload, terms, gone) => datapath.measure(payload, terms, until(gone)),
        transmit: (body) => packets.transmit(body),
        feed: (packet, framing) => packets.feed(packet, framing),
      },
      profiles,
      events: kept,
      frames,
      feeds,
    },
    boardUser: user,
    events: kept,
    log,
    applied: () => profiles.known(),
    profiles: () => profiles.all,
    uptimeMs: () => clock.now() - startedAt,
    start: async (hosting) => {
      cells = hosting;
      await kept.load();
      for (const words of options.silenced ?? []) note('transmitter.orphaned', 'warning', words);
      tell({ type: 'daemon.started', session, at: clock.now() });
      watch.start();
    },
    replaced: () => {
      isReplaced = true;
      queue.refuseAll('another bench has taken the records of this one');
    },
    silence: async () => {
      queue.close();
      await queue.halt('the end of the daemon', {}, async ({ context: found, modem, buffers }) => {
        const silenced = await silence(found, modem, late);
        await buffers.endFeed('the daemon is stopping');
        if (silenced !== undefined)
          note('transmitter.muted', 'info', silencedWords(silenced, 'the daemon is stopping'));
        return { ok: true, value: undefined };
      });
    },
    stop: async () => {
      watch.stop();
      feeds.stop();
      queue.refuseAll('the daemon is stopping');
      user.stop();
      await attachment.stop();
      await measurer.stop();
      await records.stop();
    },
  };
}

function until(gone: AbortSignal | undefined): Asking {
  return gone === undefined ? {} : { signal: gone };
}

const NO_CONTEXT: RadioContext = {
  ...{
    record: NOTHING_APPLIED,
    session: '',
    board: undefined,
    trouble: 'the daemon has not looked for it yet',
  },
  ...{ failures: 0, holder: undefined, running: [], waiting: [] },
};
