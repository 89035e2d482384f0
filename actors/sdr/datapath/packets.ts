/**
 * Packets on their way to the modem: transmitted, fed, flushed. RF Bench Service, section 4, rules 9 and 11.
 *
 * L1. In this order: are the packets right, is there a datapath, does the framing hold, can the chain carry it. `force`
 *     overrides the last alone.
 * L2. Bytes that wait for their block are lost with the board, with an event.
 * L3. They are for the path they were accepted for: when that has changed, by whatever hand, they are dropped and
 *     counted, with an event.
 */

import type { ChainTarget } from '../../../contract/bench/chain.ts';
import type {
  FlushBody,
  FlushReply,
  TransmitBody,
  TransmitPacket,
  TransmitReply,
} from '../../../contract/bench/datapath.ts';
import { BLOCK_BYTES } from '../../../contract/bench/datapath.ts';
import type { BenchFault } from '../../../contract/bench/errors.ts';
import { refusedAll } from '../../../contract/result.ts';
import type { Answered, Refusable } from '../../../ports/bench.ts';
import { framingBit } from '../../../radio/board/registers.ts';
import { frameBytes } from '../../../radio/board/setup.ts';
import { BlockAssembler } from '../../../radio/packet/blocks.ts';
import { type FramedPackets, framePackets } from '../../../radio/packet/framing.ts';
import { type SequenceCounts, writePackets } from '../../../radio/packet/packet.ts';
import type { PacketRefusal } from '../../../radio/packet/refusal.ts';
import type { Board } from '../radio/board.ts';
import { refuse } from '../radio/board-fault.ts';
import type { Asking, Work } from '../radio/board-work.ts';
import type { Chain } from '../radio/chain.ts';
import { type Passed, passGate } from '../radio/emission-gate.ts';
import type { RadioParts } from '../radio/parts.ts';
import { egressState, word } from '../radio/status.ts';
import { ENABLE, NOT_HELD, queueTerms } from './terms.ts';

const TRANSMIT = 'POST /api/v1/datapath/transmit';
const FLUSH = 'POST /api/v1/datapath/flush';

/** Beside settings, and beside what is captured. */
const TRANSMITTER = ['transmitter'] as const;

type Framing = TransmitBody['framing'];

export class PacketCommands {
  readonly #parts: RadioParts;
  readonly #chain: Chain;
  readonly #blocks = new BlockAssembler();
  /** Where the path led when what waits was accepted (L3). */
  #path: ChainTarget | null = null;
  #counts: SequenceCounts = new Map();

  constructor(parts: RadioParts, chain: Chain) {
    this.#parts = parts;
    this.#chain = chain;
  }

  async transmit(body: TransmitBody, asking: Asking = {}): Answered<TransmitReply> {
    const { packets, framing, force = false } = body;
    // L1: what is wrong in itself is refused whatever the board does.
    const written = writePackets(packets, this.#counts);
    if (!written.ok) return refusedAll(written.faults.map(packetFault));
    const { queue, board } = this.#parts;
    if (board() === undefined) return noDatapath();
    return queue.ask(
      TRANSMIT,
      asking,
      async (work): Promise<Refusable<TransmitReply>> => {
        if (!work.board.buffers.areThere) return noDatapath();
        const framed = await this.#frame(packets, framing, work);
        if (!framed.ok) return framed;
        const passed = await passGate(work, this.#chain, { force });
        if (!passed.ok) return passed;
        await this.#queue(framed.value, passed.value, work);
        const { usefulBytes, wireBytes, boundariesPreserved } = framed.value;
        return {
          ok: true,
          value: {
            packets: packets.length,
            useful_bytes: usefulBytes,
            wire_bytes: wireBytes,
            block_useful_bytes: BLOCK_BYTES,
            boundaries_preserved: boundariesPreserved,
            tx_chain_running: passed.value.egressOpen,
            chain: passed.value.chain,
            ...work.droppedBytes,
          },
        };
      },
      TRANSMITTER,
    );
  }

  async feed(packet: TransmitPacket, framing: Framing): Answered<{ readonly pendingBytes: number }> {
    const written = writePackets([packet], this.#counts);
    if (!written.ok) return refusedAll(written.faults.map(packetFault));
    if (this.#parts.board() === undefined) return noDatapath();
    type Fed = Refusable<{ readonly pendingBytes: number }>;
    return this.#parts.queue.ask(
      TRANSMIT,
      {},
      async (work): Promise<Fed> => {
        if (!work.board.buffers.areThere) return noDatapath();
        const framed = await this.#frame([packet], framing, work);
        if (!framed.ok) return framed;
        const passed = await passGate(work, this.#chain, {});
        if (!passed.ok) return passed;
        await this.#queue(framed.value, passed.value, work);
        return { ok: true, value: { pendingBytes: this.#blocks.pendingBytes } };
      },
      TRANSMITTER,
    );
  }

  async flush({ blocks = 1, force }: FlushBody, asking: Asking = {}): Answered<FlushReply> {
    if (this.#parts.board() === undefined) return noDatapath();
    return this.#parts.queue.ask(
      FLUSH,
      asking,
      async (work): Promise<Refusable<FlushReply>> => {
        if (!work.board.buffers.areThere) return noDatapath();
        // A datapath that was switched off stays off.
        if (!work.board.buffers.isHeld) return refuse('not_found', NOT_HELD, { help: ENABLE });
        if (this.#blocks.pendingBytes === 0)
          return { ok: true, value: { useful_bytes: 0, tx_chain_running: await egressState(work.board) } };
        const passed = await passGate(work, this.#chain, { force });
        if (!passed.ok) return passed;
        this.#keepPath(passed.value, work);
        passed.value.check();
        const made = this.#blocks.flush(blocks);
        const terms = queueTerms(made.blocks.length, work.record);
        await work.board.buffers.write(made.blocks, { ...terms, pass: passed.value });
        const reply = { useful_bytes: made.usefulBytes, tx_chain_running: passed.value.egressOpen };
        return { ok: true, value: { ...reply, ...work.droppedBytes } };
      },
      TRANSMITTER,
    );
  }

  /** The path is about to change: what waits is not for the other one (L3). The bytes that are lost, at most. */
  async leavePath({ buffers }: Board, target: ChainTarget, route: string): Promise<number> {
    const why = `${route} changes the path to ${target}`;
    await buffers.leavePath(why);
    if (this.#path === target) return 0;
    const blocks = await buffers.drop(why);
    return this.#lose(blocks * BLOCK_BYTES + this.#blocks.discard(), why);
  }

  /** The buffers were given back with blocks in them. */
  lostBlocks(blocks: number, route: string): number {
    return this.#lose(blocks * BLOCK_BYTES, `${route} gives the devices back`);
  }

  /** The board is gone, and what waited for a block with it (L2). */
  forget(): void {
    const lost = this.#blocks.discard();
    if (lost === 0) return;
    this.#parts.events.record({
      kind: 'transmit.lost',
      source: 'datapath',
      severity: 'warning',
      message: `${lost} bytes that waited for their block are lost with the board`,
    });
  }

  async #frame(
    packets: readonly TransmitPacket[],
    framing: Framing,
    work: Work,
  ): Promise<Refusable<FramedPackets & { readonly counts: SequenceCounts }>> {
    const written = writePackets(packets, this.#counts);
    if (!written.ok) return refusedAll(written.faults.map(packetFault));
    const place = { frameBytes: await slotBytes(work), pendingBytes: this.#blocks.pendingBytes };
    const framed = framePackets(written.value.packets, framing, place);
    if (!framed.ok) return refusedAll(framed.faults.map(packetFault));
    return { ok: true, value: { ...framed.value, counts: written.value.counts } };
  }

  async #queue(
    { bytes, counts }: { readonly bytes: Buffer; readonly counts: SequenceCounts },
    pass: Passed,
    work: Work,
  ): Promise<void> {
    const { board, record } = work;
    await board.buffers.hold();
    this.#keepPath(pass, work);
    pass.check();
    this.#counts = counts;
    const whole = this.#blocks.push(bytes);
    await board.buffers.write(whole, { ...queueTerms(whole.length, record), pass });
  }

  /** Another hand may have changed the path since bytes were accepted for it (L3). */
  #keepPath({ chain: { current_target: path } }: Passed, work: Work): void {
    if (this.#path !== path) {
      const lost = this.#blocks.discard();
      work.dropped(this.#lose(lost, `the path was ${this.#path ?? 'unknown'} and is ${path ?? 'unknown'}`));
    }
    this.#path = path;
  }

  #lose(bytes: number, why: string): number {
    if (bytes === 0) return 0;
    this.#parts.events.record({
      kind: 'transmit.dropped',
      source: 'datapath',
      severity: 'warning',
      message: `${bytes} bytes that waited for the transmitter are dropped: ${why}`,
    });
    return bytes;
  }
}

/** Length of the frames that the modem cuts, as it says, else as the profile says; undefined when it cuts none. */
async function slotBytes({ board, record }: Work): Promise<number | undefined> {
  const framing = await word(board, 'framing');
  const length = await word(board, 'frameLength');
  if ('value' in framing && 'value' in length)
    return (framing.value & framingBit.slots) === 0 ? undefined : length.value;
  const profile = record.applied?.profile;
  return profile?.framing?.kind === 'slot' ? frameBytes(profile) : undefined;
}

function packetFault({ path, message }: PacketRefusal): BenchFault {
  return { code: 'validation_failed', path, message };
}

/** Of no board, too. */
function noDatapath(): Refusable<never> {
  return refuse('not_found', 'no datapath: there is no board, or it has no output device of a modem', {
    help: 'load the programmable logic with the modem, and its drivers',
  });
}
