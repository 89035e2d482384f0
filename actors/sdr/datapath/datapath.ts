/**
 * The datapath of the modem by its routes: capture, loopback, measurement, enable and disable. RF Bench Service,
 * section 4, rules 8 and 10. Packets are in `packets.ts`.
 *
 * J1. The devices are held from enable, a conditioning or a transmission on, until disable or a capture with `release`.
 *     What captures takes them for nobody: without them there is no datapath, and that is answered at once.
 * J2. A measurement begins with an empty receive queue and discards what came before its payload.
 * J3. Where nothing correlates, the phases of the constellation are tried: a carrier that is found in a wrong one is
 *     another fault than noise, and is reported as such. The verdict stays what it is.
 * J4. Blocks are waited for beside the settings of the board. A setting that changes the chain ends what is fed.
 * J5. Disable goes before everything (command-queue.K6).
 */

import type { Acquired, CaptureBody, Enabled, Measurement } from '../../../contract/bench/datapath.ts';
import { BLOCK_BYTES } from '../../../contract/bench/datapath.ts';
import { changesOf } from '../../../machines/bench/radio-record.ts';
import type { Answered, LoopbackTerms, Refusable } from '../../../ports/bench.ts';
import { observe } from '../../../radio/board/observed.ts';
import { measure } from '../../../radio/measure/measure.ts';
import { bitsPerSymbol } from '../../../radio/modulation.ts';
import { PAD_BYTE } from '../../../radio/packet/blocks.ts';
import { turned } from '../../../radio/phase-rotation.ts';
import { refuse } from '../radio/board-fault.ts';
import type { Asking, Work } from '../radio/board-work.ts';
import type { Chain } from '../radio/chain.ts';
import { passGate } from '../radio/emission-gate.ts';
import type { RadioParts } from '../radio/parts.ts';
import { presentTarget } from '../radio/status.ts';
import type { Feed } from './buffers.ts';
import { Capture, type Captured } from './capture.ts';
import type { Frames } from './frames.ts';
import type { Measurer } from './measure.ts';
import type { PacketCommands } from './packets.ts';
import { captureTerms, ENABLE, loopbackTerms, NOT_HELD, type Terms } from './terms.ts';

/** Blocks captured to find a phase, and the longest payload it is looked for in: the event loop waits meanwhile. */
const PHASE_BLOCKS = 2;
const PHASE_PAYLOAD_BYTES = 16 * BLOCK_BYTES;
/** Beside settings, and beside what is transmitted. */
const RECEIVER = ['receiver'] as const;
const BOTH = ['receiver', 'transmitter'] as const;

const route = (name: string): string => `POST /api/v1/datapath/${name}`;

export interface DatapathParts extends RadioParts {
  readonly chain: Chain;
  readonly frames: Frames;
  readonly packets: PacketCommands;
  readonly measurer: Pick<Measurer, 'prepare' | 'measure'>;
}

export class DatapathCommands {
  readonly #parts: DatapathParts;
  readonly #capture: Capture;
  #measured: Measurement | undefined;

  constructor(parts: DatapathParts) {
    this.#parts = parts;
    this.#capture = new Capture(parts.clock, parts.events);
  }

  /** Of the last measurement that was made. */
  get measured(): Measurement | undefined {
    return this.#measured;
  }

  state(): Acquired {
    return { acquired: this.#parts.board()?.buffers.isHeld ?? false };
  }

  enable(asking: Asking = {}): Answered<Enabled> {
    return this.#parts.queue.ask(route('enable'), asking, async (work): Promise<Refusable<Enabled>> => {
      const held = await hold(work);
      if (!held.ok) return held;
      await work.actions.takeBack();
      await this.#parts.chain.openWhereReady(work);
      return { ok: true, value: { enabled: true } };
    });
  }

  disable(asking: Asking = {}): Answered<Enabled> {
    const { queue, packets } = this.#parts;
    return queue.halt(route('disable'), asking, async (board, note): Promise<Refusable<Enabled>> => {
      if (!board.buffers.areThere) return noDatapath();
      board.buffers.pause();
      // A logic that does not answer keeps its egress: then the part is silenced instead.
      const closing = await observe(board.modem.closeEgress(this.#parts.late));
      if ('error' in closing) {
        note({ type: 'manual.changed', route: route('disable') });
        await board.urgentPhy.mute();
      }
      const blocks = await board.buffers.release(`${route('disable')} gave the devices back`);
      const lost = packets.lostBlocks(blocks, route('disable'));
      if ('error' in closing)
        return refuse('board_failed', `the egress is not closed, the transmitter is muted: ${closing.error}`);
      return { ok: true, value: { enabled: false, ...(lost > 0 && { dropped_bytes: lost }) } };
    });
  }

  capture(body: CaptureBody, asking: Asking = {}): Answered<Uint8Array> {
    const { blocks, warmup = 0, timeout_ms: timeoutMs, release = false } = body;
    return this.#parts.queue.ask(
      route('capture'),
      asking,
      async (work): Promise<Refusable<Uint8Array>> => {
        const held = heldBy(work);
        if (!held.ok) return held;
        try {
          const captured = await this.#take(work, captureTerms({ blocks, warmup, timeoutMs }, work.record));
          return captured.ok ? { ok: true, value: captured.value.bytes } : captured;
        } finally {
          if (release) await work.board.buffers.release(`${route('capture')} gave the devices back`);
        }
      },
      RECEIVER,
    );
  }

  loopback(payload: Uint8Array, terms: LoopbackTerms, asking: Asking = {}): Answered<Uint8Array> {
    return this.#parts.queue.ask(
      route('loopback'),
      asking,
      async (work): Promise<Refusable<Uint8Array>> => {
        const captured = await this.#fed(payload, terms, work);
        return captured.ok ? { ok: true, value: captured.value.bytes } : captured;
      },
      BOTH,
    );
  }

  measure(payload: Uint8Array, terms: LoopbackTerms, asking: Asking = {}): Answered<Measurement> {
    return this.#parts.queue.ask(
      route('measure'),
      asking,
      async (work): Promise<Refusable<Measurement>> => {
        const { warmup, blocks } = loopbackTerms(payload.length, terms, work.record);
        const changes = changesOf(work.record);
        this.#parts.measurer.prepare(payload.length + blocks * BLOCK_BYTES);
        const captured = await this.#fed(payload, terms, work);
        if (!captured.ok) return captured;
        const { measurement, ambiguous } = await this.#parts.measurer.measure(
          payload,
          captured.value.bytes,
          warmup,
        );
        if (ambiguous) this.#reportAmbiguous();
        const detail = this.#phaseOf(measurement, payload, captured.value.bytes, work);
        this.#measured = measurement;
        const target = await presentTarget(work.board);
        if (target !== undefined)
          work.note({ type: 'link.measured', target, verdict: measurement.verdict, changes });
        return { ok: true, value: detail === undefined ? measurement : { ...measurement, detail } };
      },
      BOTH,
    );
  }

  /** Whether a carrier found in a wrong phase is why nothing correlates (J3), in words. */
  #phaseOf(
    { verdict }: Measurement,
    payload: Uint8Array,
    captured: Uint8Array,
    { record }: Work,
  ): string | undefined {
    const modulation = record.applied?.profile.modulation;
    if (verdict !== 'NoCorrelation' || modulation === undefined) return undefined;
    if (payload.length > PHASE_PAYLOAD_BYTES) return undefined;
    const bits = bitsPerSymbol(modulation);
    const first = captured.subarray(0, PHASE_BLOCKS * BLOCK_BYTES);
    for (let phase = 1; phase < 2 ** bits; phase += 1) {
      const { measurement } = measure(payload, turned(first, bits, phase), { warmup: 0 });
      if (measurement.verdict === 'NoCorrelation') continue;
      const share = (measurement.overall_ratio * 100).toFixed(1);
      const detail =
        `phase ambiguity: with the carrier ${(360 * phase) / 2 ** bits} degrees on, ${share} % of the bytes are correct; ` +
        'a sync word or differential coding in the profile resolves the phase, and recovering the chain reacquires the carrier';
      this.#parts.events.record({
        kind: 'measure.phase_ambiguity',
        source: 'datapath',
        severity: 'warning',
        message: detail,
      });
      return detail;
    }
    return undefined;
  }

  /** What is captured while the payload is fed round and round (J2). */
  async #fed(payload: Uint8Array, asked: LoopbackTerms, work: Work): Promise<Refusable<Captured>> {
    if (payload.length === 0)
      return refuse('validation_failed', 'the payload is empty: nothing would be fed');
    const held = heldBy(work);
    if (!held.ok) return held;
    const terms = loopbackTerms(payload.length, asked, work.record);
    const passed = await passGate(work, this.#parts.chain, { force: asked.force, isMeasurement: true });
    if (!passed.ok) return passed;
    const { buffers } = work.board;
    await buffers.queueLeft();
    await buffers.rearm();
    return this.#take(work, terms, () => buffers.feed(wholeBlocks(payload), passed.value));
  }

  async #take(work: Work, terms: Terms, feed?: () => Promise<Feed>): Promise<Refusable<Captured>> {
    const captured = await this.#capture.take(work, terms, feed);
    if (captured.ok)
      this.#parts.frames.add(captured.value.bytes, {
        fecStatus: captured.value.fecStatus,
        profile: work.record.applied?.profile.name,
      });
    return captured;
  }

  #reportAmbiguous(): void {
    this.#parts.events.record({
      kind: 'measure.ambiguous_payload',
      source: 'datapath',
      severity: 'warning',
      message:
        'the payload repeats within itself: its rotation is known up to its period only, and no slip can be detected',
    });
  }
}

/** Holds the devices of the modem; refused with `unavailable` on a board that has none. */
async function hold({ board }: Work): Promise<Refusable<void>> {
  if (!board.buffers.areThere) return noDatapath();
  await board.buffers.hold();
  return { ok: true, value: undefined };
}

/** The devices as they were taken before (J1). */
function heldBy({ board }: Work): Refusable<void> {
  if (!board.buffers.areThere) return noDatapath();
  if (board.buffers.isHeld) return { ok: true, value: undefined };
  return refuse('unavailable', NOT_HELD, { help: ENABLE });
}

function noDatapath(): Refusable<never> {
  return refuse('unavailable', 'no datapath: the board has no capture and output device of a modem', {
    help: 'load the programmable logic with the modem, and its drivers',
  });
}

function wholeBlocks(payload: Uint8Array): Uint8Array {
  const blocks = new Uint8Array(Math.ceil(payload.length / BLOCK_BYTES) * BLOCK_BYTES).fill(PAD_BYTE);
  blocks.set(payload);
  return blocks;
}
