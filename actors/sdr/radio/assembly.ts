/**
 * The parts of the radio, made and tied to each other. What each does is its own file's matter; what the radio is to
 * others is `radio.ts`.
 */

import { randomUUID } from 'node:crypto';
import type { ChainTarget } from '../../../contract/bench/chain.ts';
import type { Profile } from '../../../contract/bench/profile.ts';
import type { RadioContext } from '../../../machines/bench/radio-protocol.ts';
import type { Bucket } from '../../../ports/bus.ts';
import type { Clock, Random } from '../../../ports/clock.ts';
import type { Store } from '../../../ports/entity.ts';
import type { Log } from '../../../ports/log.ts';
import { lateBy } from '../../../radio/board/late.ts';
import { AD9361_BOUNDS, type BoardBounds } from '../../../radio/document/bounds.ts';
import { DatapathCommands } from '../datapath/datapath.ts';
import { Frames } from '../datapath/frames.ts';
import { Measurer } from '../datapath/measure.ts';
import { PacketCommands } from '../datapath/packets.ts';
import { Events, keptLines } from '../events/events.ts';
import { Feeds } from '../events/feeds.ts';
import { EventBucket } from '../events/record.ts';
import { Attachment, type BoardOption } from './attach.ts';
import type { Board } from './board.ts';
import { BoardWatch } from './board-watch.ts';
import { Chain } from './chain.ts';
import { CommandQueue } from './command-queue.ts';
import { DurableRecord } from './durable-record.ts';
import { OwnCell } from './own-cell.ts';
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

type Severity = 'info' | 'warning' | 'error';

/** What is noted of the board, and which events the chart gets of it. */
type Notes = ReturnType<typeof assembleNotes>;
type Commands = ReturnType<typeof assembleCommands>;
export type Assembled = Notes & Commands & ReturnType<typeof assembleUsers>;

export function assemble(options: RadioOptions): Assembled {
  const notes = assembleNotes(options);
  const commands = assembleCommands(options, notes);
  return { ...notes, ...commands, ...assembleUsers(options, notes, commands) };
}

function assembleNotes({ clock, log: daemon, eventRecords }: RadioOptions) {
  let heard: Events | undefined;
  const log = keptLines(daemon, () => heard);
  const frames = new Frames(clock, log);
  const records = new EventBucket(eventRecords, clock, log);
  const events = new Events({ clock, records, framesSince: (at) => frames.countSince(at) });
  heard = events;
  const note = (kind: string, severity: Severity, message: string): void => {
    events.record({ kind, source: 'radio', severity, message });
  };
  return {
    session: randomUUID(),
    startedAt: clock.now(),
    cell: new OwnCell(),
    log,
    frames,
    records,
    events,
    note,
  };
}

function assembleCommands(options: RadioOptions, { cell, session, log, events, frames, note }: Notes) {
  const { clock, wired = 'air', bounds = AD9361_BOUNDS, measurer = new Measurer() } = options;
  const attachment: Attachment = new Attachment({
    board: options.board,
    clock,
    log,
    lost: ({ attachment: number }, reason) => {
      note('board.lost', 'error', reason);
      packets.forget();
      cell.tell({ type: 'board.lost', attachment: number, reason, at: clock.now() });
    },
  });
  const board = (): Board | undefined => attachment.board;
  const queue = new CommandQueue({
    session,
    clock,
    log,
    context: () => cell.context,
    tell: (event) => cell.tell(event),
    board,
    refused: (route, fault) => {
      if (fault.code === 'board_busy') note('manual_interference', 'warning', fault.message);
      else log.info({ route, code: fault.code }, 'command refused');
    },
    dirtied: (profile, route) =>
      note('profile.dirty', 'warning', `profile ${profile} is no longer what is set: ${route}`),
    leavePath: (on, target, route) => packets.leavePath(on, target, route),
  });
  const durable = new DurableRecord(options.store);
  const late = lateBy(clock);
  const context = (): RadioContext => durable.shown(cell.context);
  const parts: RadioParts = { queue, clock, log, events, bounds, wired, context, board, late };
  const profiles: Profiles = new Profiles(parts, options.profiles, () => watch.look());
  const chain = new Chain(parts, profiles);
  const watch = new BoardWatch({ ...parts, chain, lostUnseen: () => lostUnseen(cell, board, clock) });
  const packets: PacketCommands = new PacketCommands(parts, chain);
  const datapath = new DatapathCommands({ ...parts, chain, frames, packets, measurer });
  const tuning = new Tuning(parts);
  return { attachment, queue, durable, late, profiles, chain, watch, packets, datapath, tuning, measurer };
}

function assembleUsers(options: RadioOptions, { cell, log, startedAt }: Notes, commands: Commands) {
  const { clock, random, wired = 'air' } = options;
  const { attachment, queue, tuning, chain, datapath, packets, profiles } = commands;
  const board = (): Board | undefined => attachment.board;
  const user = new RadioUser({
    clock,
    wired,
    board,
    tell: (event) => cell.tell(event),
    holder: () => cell.context.holder,
    holding: (holder) => queue.holding(holder),
    released: (holder) => queue.released(holder),
    tuning,
    chain,
    datapath,
    packets,
    profiles,
  });
  const feeds = new Feeds({
    clock,
    random,
    log,
    startedAt,
    board,
    sample: (names) => user.sample(names),
  });
  return { user, feeds };
}

/** The chart takes no loss before it knows that a board was found: one that came in between is reported again. */
function lostUnseen(cell: OwnCell, board: () => Board | undefined, clock: RadioOptions['clock']): void {
  const { board: known } = cell.context;
  if (known === undefined || board() !== undefined) return;
  const reason = 'it was lost at the moment it was found';
  cell.tell({ type: 'board.lost', attachment: known.attachment, reason, at: clock.now() });
}
