/**
 * The radio: the one that owns the board, does what the routes and the runs ask of it, and records what happened. RF
 * Bench Service, sections 1, 3 and 4.
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
 * I1. Nobody else writes to the board, and one setting is done at a time (`machines/bench/radio.ts`); what stops the
 *     transmitter waits for none.
 * I2. Reading goes on beside every command; what it shows of the applies is durable (`durable-record.ts`).
 */

import type { ActiveProfile, Profile } from '../../../contract/bench/profile.ts';
import type { radioMachine } from '../../../machines/bench/radio.ts';
import type { Bench } from '../../../ports/bench.ts';
import type { Binding } from '../../../ports/entity.ts';
import type { Log } from '../../../ports/log.ts';
import { silence, silencedWords } from '../../../radio/board/silence.ts';
import { type Assembled, assemble, type RadioOptions } from './assembly.ts';
import { createAttaching } from './attaching.ts';
import { createRadioBinding, type RadioServices } from './binding.ts';
import type { BoardUser, EventSink } from './board-user.ts';
import type { Asking } from './board-work.ts';
import type { RadioCells } from './own-cell.ts';
import { leaveBoard } from './takeover.ts';

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
   * Another bench has its record: what waits is refused, what is under way radiates no more (`takeover.ts`), nothing
   * more is taken, and nothing wakes its cell, which would write to that record again.
   */
  replaced(): void;
  /**
   * Mutes the transmitter if it radiates, and takes no more commands but those of runs that end: the daemon is about
   * to.
   */
  silence(): Promise<void>;
  /** Ends everything that waits, gives the board back and writes what is to be recorded. */
  stop(): Promise<void>;
}

export function createRadio(options: RadioOptions): Radio {
  const made = assemble(options);
  const { profiles, user, events, log, durable, startedAt } = made;
  let left: Promise<void> | undefined;
  return {
    binding: createRadioBinding(durable, servicesOf(made, options)),
    bench: benchOf(made),
    boardUser: user,
    events,
    log,
    applied: () => profiles.known(),
    profiles: () => profiles.all,
    uptimeMs: () => options.clock.now() - startedAt,
    start: (cells) => start(made, cells, options),
    replaced: () => {
      left = leaveBoard(made);
    },
    silence: () => silenceAtEnd(made),
    stop: async () => {
      await left;
      await stop(made);
    },
  };
}

function servicesOf(made: Assembled, { clock }: RadioOptions): RadioServices {
  const { session, queue, user, attachment, log, late, note } = made;
  return {
    session,
    attach: createAttaching({ attachment, clock, log, late, note }),
    begin: (id) => queue.begin(id),
    answer: (id) => queue.answer(id),
    refuse: (id, fault) => queue.refuse(id, fault),
    holdAnswered: (request, fault) => user.held(request, fault),
    lost: (reason) => user.lost(reason),
  };
}

function benchOf({
  tuning,
  chain,
  datapath,
  packets,
  profiles,
  events,
  frames,
  feeds,
}: Assembled): RadioBench {
  return {
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
    events,
    frames,
    feeds,
  };
}

async function start(made: Assembled, cells: RadioCells, options: RadioOptions): Promise<void> {
  const { cell, events, note, session, watch } = made;
  cell.hosted(cells);
  await events.load();
  for (const words of options.silenced ?? []) note('transmitter.orphaned', 'warning', words);
  cell.tell({ type: 'daemon.started', session, at: options.clock.now() });
  watch.start();
}

async function silenceAtEnd({ queue, late, note }: Assembled): Promise<void> {
  queue.close();
  await queue.halt('the end of the daemon', {}, async ({ context: found, modem, buffers }) => {
    const silenced = await silence(found, modem, late);
    await buffers.endFeed('the daemon is stopping');
    if (silenced !== undefined)
      note('transmitter.muted', 'info', silencedWords(silenced, 'the daemon is stopping'));
    return { ok: true, value: undefined };
  });
}

async function stop({ watch, feeds, queue, user, attachment, measurer, records }: Assembled): Promise<void> {
  watch.stop();
  feeds.stop();
  queue.refuseAll('the daemon is stopping');
  user.refuseAll('the daemon is stopping');
  await attachment.stop();
  await measurer.stop();
  await records.stop();
}

function until(gone: AbortSignal | undefined): Asking {
  return gone === undefined ? {} : { signal: gone };
}
