/**
 * Packets on their way to the modem: transmitted, fed, flushed. RF Bench Service, section 4, rules 9 and 11.
 *
 * L1. In this order: are the packets right, is there a datapath, does the framing hold, can the chain carry it. `force`
 *     overrides the last alone.
 * L2. Bytes that wait for their block are lost with the board, and told.
 */

import type {
  FlushBody,
  FlushReply,
  TransmitBody,
  TransmitPacket,
  TransmitReply,
} from '../../contract/bench/datapath.ts';
import { BLOCK_BYTES } from '../../contract/bench/datapath.ts';
import type { BenchFault } from '../../contract/bench/errors.ts';
import { refusedAll } from '../../contract/result.ts';
import type { Answered, Refusable } from '../../ports/bench.ts';
import { framingBit } from '../../radio/board/registers.ts';
import { frameBytes } from '../../radio/board/setup.ts';
import { BlockAssembler } from '../../radio/packet/blocks.ts';
import { type FramedPackets, framePackets } from '../../radio/packet/framing.ts';
import { type SequenceCounts, writePackets } from '../../radio/packet/packet.ts';
import type { PacketRefusal } from '../../radio/packet/refusal.ts';
import type { Asking, Work } from './board-desk.ts';
import { refuse } from './board-fault.ts';
import type { Chain } from './chain.ts';
import { ENABLE, NOT_HELD } from './datapath.ts';
import { queueTerms } from './datapath-terms.ts';
import type { RadioParts } from './radio-parts.ts';
import { egressState, word } from './status.ts';

const TRANSMIT = 'POST /api/v1/datapath/transmit';
const FLUSH = 'POST /api/v1/datapath/flush';

type Framing = TransmitBody['framing'];

export class PacketCommands {
  readonly #parts: RadioParts;
  readonly #chain: Chain;
  readonly #blocks = new BlockAssembler();
  #counts: SequenceCounts = new Map();

  constructor(parts: RadioParts, chain: Chain) {
    this.#parts = parts;
    this.#chain = chain;
  }

  async transmit(body: TransmitBody, asking: Asking = {}): Answered<TransmitReply> {
    const { packets, framing, force = false } = body;
    // L1: what is wrong in itself is told whatever the board does.
    const written = writePackets(packets, this.#counts);
    if (!written.ok) return refusedAll(written.faults.map(packetFault));
    const { desk, board } = this.#parts;
    if (board() === undefined) return noDatapath();
    return desk.ask(TRANSMIT, asking, async (work): Promise<Refusable<TransmitReply>> => {
      if (!work.board.buffers.areThere) return noDatapath();
      const framed = await this.#frame(packets, framing, work);
      if (!framed.ok) return framed;
      const chain = await this.#chain.present(work);
      if (!chain.ready && !force)
        return refuse(
          'conflict',
          `the chain cannot carry it: ${chain.next?.condition ?? 'unknown'} is missing`,
          {
            ...(chain.next !== null && { next: chain.next, help: chain.next.command }),
            state: chain,
          },
        );
      await this.#queue(framed.value, work);
      const { usefulBytes, wireBytes, boundariesPreserved } = framed.value;
      return {
        ok: true,
        value: {
          packets: packets.length,
          ...{ useful_bytes: usefulBytes, wire_bytes: wireBytes, block_useful_bytes: BLOCK_BYTES },
          boundaries_preserved: boundariesPreserved,
          tx_chain_running: await egressState(work.board),
          chain,
        },
      };
    });
  }

  async feed(packet: TransmitPacket, framing: Framing): Answered<{ readonly pendingBytes: number }> {
    const written = writePackets([packet], this.#counts);
    if (!written.ok) return refusedAll(written.faults.map(packetFault));
    if (this.#parts.board() === undefined) return noDatapath();
    type Fed = Refusable<{ readonly pendingBytes: number }>;
    return this.#parts.desk.ask(TRANSMIT, {}, async (work): Promise<Fed> => {
      if (!work.board.buffers.areThere) return noDatapath();
      const framed = await this.#frame([packet], framing, work);
      if (!framed.ok) return framed;
      await this.#queue(framed.value, work);
      return { ok: true, value: { pendingBytes: this.#blocks.pendingBytes } };
    });
  }

  async flush({ blocks = 1 }: FlushBody, asking: Asking = {}): Answered<FlushReply> {
    if (this.#parts.board() === undefined) return noDatapath();
    return this.#parts.desk.ask(FLUSH, asking, async (work): Promise<Refusable<FlushReply>> => {
      if (!work.board.buffers.areThere) return noDatapath();
      // A datapath that was switched off stays off.
      if (!work.board.buffers.isHeld) return refuse('not_found', NOT_HELD, { help: ENABLE });
      const made = this.#blocks.flush(blocks);
      await work.board.buffers.write(made.blocks, queueTerms(made.blocks.length, work.record));
      const reply = { useful_bytes: made.usefulBytes, tx_chain_running: await egressState(work.board) };
      return { ok: true, value: reply };
    });
  }

  /** The board is gone, and what waited for a block with it (L2). */
  forget(): void {
    const lost = this.#blocks.discard();
    if (lost === 0) return;
    this.#parts.events.record({
      ...{ kind: 'transmit.lost', source: 'datapath', severity: 'warning' },
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
    { board, record }: Work,
  ): Promise<void> {
    await board.buffers.hold();
    this.#counts = counts;
    const whole = this.#blocks.push(bytes);
    await board.buffers.write(whole, queueTerms(whole.length, record));
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
