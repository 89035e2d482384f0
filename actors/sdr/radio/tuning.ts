/**
 * The commands of the radio routes: frequency, gain, loopback, reset. RF Bench Service, section 4, rule 7.
 *
 * T1. What is out of reach is refused with its bound before anything is written; a mute alone is done first, whatever
 *     is asked beside it.
 * T2. A change by hand is noted before it is written: also one that the board breaks off may have happened.
 * T3. In a loopback the transmitter stays muted, whoever asks: the part goes on radiating there.
 * T4. A mute goes before everything (command-queue.K6), with every transmitter of the part. It ends what is fed over
 *     the air.
 */

import type { FrequencyBody, GainBody, RadioStatus, ResetScope } from '../../../contract/bench/radio.ts';
import { refused } from '../../../contract/result.ts';
import type { Answered, BenchRadio, Refusable } from '../../../ports/bench.ts';
import { PoweredDown } from '../../../radio/board/actions.ts';
import type { Late, Modem } from '../../../radio/board/modem.ts';
import { observe } from '../../../radio/board/observed.ts';
import { MUTED_DB, type Side } from '../../../radio/board/phy.ts';
import { occupiedHz } from '../../../radio/board/setup.ts';
import { type BoardBounds, outside } from '../../../radio/document/bounds.ts';
import { offsetFault } from '../../../radio/document/profile.ts';
import { errno, IioFailure } from '../../../radio/iio/context.ts';
import type { Board } from './board.ts';
import { boardFault, refuse } from './board-fault.ts';
import type { Asking, Work } from './board-work.ts';
import { type RadioParts, reading } from './parts.ts';
import { offsetOf, presentTarget, readStatus } from './status.ts';
import { capabilitiesOf, readAux, readClockStates } from './status-hardware.ts';

export const ROUTE = {
  frequency: 'POST /api/v1/radio/frequency',
  gain: 'POST /api/v1/radio/gain',
  loopback: 'POST /api/v1/radio/loopback',
  reset: 'POST /api/v1/radio/reset',
} as const;

export class Tuning implements BenchRadio {
  readonly #parts: RadioParts;

  constructor(parts: RadioParts) {
    this.#parts = parts;
  }

  status(): ReturnType<BenchRadio['status']> {
    return reading(this.#parts, (board) => readStatus(board, this.#parts.context().record));
  }

  capabilities(): ReturnType<BenchRadio['capabilities']> {
    return reading(this.#parts, async (board) => capabilitiesOf(board, this.#parts.bounds));
  }

  aux(): ReturnType<BenchRadio['aux']> {
    return reading(this.#parts, readAux);
  }

  clocks(): ReturnType<BenchRadio['clocks']> {
    return reading(this.#parts, readClockStates);
  }

  tune(body: FrequencyBody, asking: Asking = {}): Answered<RadioStatus> {
    const { center_frequency_hz: hertz, channel = 'both', tune_lo = true } = body;
    const sides: readonly Side[] = channel === 'both' ? ['rx', 'tx'] : [channel];
    return this.#change(ROUTE.frequency, asking, (work) =>
      tune_lo ? this.#tuneOscillators(sides, hertz, work) : this.#moveOffsets(sides, hertz, work),
    );
  }

  async gain(body: GainBody, asking: Asking = {}): Answered<RadioStatus> {
    const { rx_gain_db, tx_gain_db } = body;
    if (typeof tx_gain_db !== 'number' || tx_gain_db > MUTED_DB) return this.#setGains(body, asking);
    const off = outside(tx_gain_db, this.#parts.bounds.transmitterGain, 'dB');
    if (off !== undefined) return refuse('validation_failed', transmitterFault(off));
    const muted = await this.#mute(tx_gain_db, asking);
    if (!muted.ok || typeof rx_gain_db !== 'number') return muted;
    const set = await this.#setGains({ rx_gain_db }, asking);
    if (set.ok) return set;
    const [{ message, ...fault }] = set.faults;
    return refused({ ...fault, message: `the transmitter is muted, the receiver is not set: ${message}` });
  }

  /** T4 */
  #mute(db: number, asking: Asking): Answered<RadioStatus> {
    const { queue, late, events, context } = this.#parts;
    return queue.halt(ROUTE.gain, asking, async (board, note) => {
      note({ type: 'manual.changed', route: ROUTE.gain });
      await board.urgentPhy.mute(db);
      const status = await readStatus(besides(board, late), context().record);
      if (!status.loopback) await board.buffers.endFeed(`${ROUTE.gain} has muted the transmitter`);
      events.record({
        kind: 'transmitter.muted',
        source: 'radio',
        severity: 'info',
        message: `muted by ${asking.by === undefined ? 'hand' : `${asking.by.kind} ${asking.by.id}`}: ${db} dB`,
      });
      return { ok: true, value: status };
    });
  }

  #setGains({ rx_gain_db, tx_gain_db }: GainBody, asking: Asking): Answered<RadioStatus> {
    return this.#change(ROUTE.gain, asking, async (work) => {
      const wanted = { rx: rx_gain_db ?? undefined, tx: tx_gain_db ?? undefined };
      const fault = await gainFault(wanted, work, this.#parts.bounds);
      if (fault !== undefined) return refuse('validation_failed', fault);
      const radiating = await radiatesFault(wanted.tx, work);
      if (radiating !== undefined) return radiating;
      if (wanted.rx === undefined && wanted.tx === undefined) return DONE;
      work.note({ type: 'manual.changed', route: ROUTE.gain });
      const { actions } = work;
      return asWanted(async () => {
        if (wanted.rx !== undefined) await actions.setGain('rx', wanted.rx);
        if (wanted.tx !== undefined) await actions.setGain('tx', wanted.tx);
      });
    });
  }

  loopback(enabled: boolean, asking: Asking = {}): Answered<RadioStatus> {
    return this.#change(ROUTE.loopback, asking, async (work) => {
      work.note({ type: 'manual.changed', route: ROUTE.loopback });
      await work.actions.switchTo(enabled ? 'device-loopback' : 'air');
      return DONE;
    });
  }

  reset(scope: ResetScope, asking: Asking = {}): Answered<RadioStatus> {
    return this.#change(ROUTE.reset, asking, async (work) => {
      work.note({ type: 'manual.changed', route: ROUTE.reset });
      await work.actions.reset(scope);
      return DONE;
    });
  }

  /** Does it and answers with the status behind it; a profile that it makes dirty is recorded. */
  #change(
    route: string,
    asking: Asking,
    change: (work: Work) => Promise<Refusable<void>>,
  ): Answered<RadioStatus> {
    const { queue } = this.#parts;
    return queue.ask(route, asking, async (work): Promise<Refusable<RadioStatus>> => {
      const done = await change(work);
      if (!done.ok) return done;
      return { ok: true, value: { ...(await readStatus(work.board, work.record)), ...work.droppedBytes } };
    });
  }

  async #tuneOscillators(sides: readonly Side[], hertz: number, work: Work): Promise<Refusable<void>> {
    const { bounds } = this.#parts;
    const places: { side: Side; offset: number | undefined; oscillator: number }[] = [];
    for (const side of sides) {
      const offset = await wantedOffset(side, work);
      const oscillator = hertz - (offset ?? 0);
      const off = outside(oscillator, bounds.oscillator[side], 'Hz');
      if (off !== undefined)
        return refuse('validation_failed', `center_frequency_hz: the oscillator of ${side} ${off}`);
      places.push({ side, offset, oscillator });
    }
    work.note({ type: 'manual.changed', route: ROUTE.frequency });
    return asWanted(async () => {
      for (const { side, offset, oscillator } of places) {
        await work.actions.tune(side, oscillator);
        if (offset !== undefined) await work.actions.offset(side, offset);
      }
    });
  }

  async #moveOffsets(sides: readonly Side[], hertz: number, work: Work): Promise<Refusable<void>> {
    const { board } = work;
    const offsets: [Side, number][] = [];
    for (const side of sides) {
      const offset = hertz - (await board.phy.oscillatorHz(side));
      const fault = await this.#offsetFault(side, offset, work);
      if (fault !== undefined)
        return refuse('validation_failed', `center_frequency_hz: the digital offset of ${side} ${fault}`, {
          help: 'with tune_lo true the analog oscillator is driven too, and reaches further',
        });
      offsets.push([side, offset]);
    }
    work.note({ type: 'manual.changed', route: ROUTE.frequency });
    for (const [side, offset] of offsets) await work.actions.offset(side, offset);
    return DONE;
  }

  async #offsetFault(side: Side, offset: number, { board, record }: Work): Promise<string | undefined> {
    const profile = record.applied?.profile;
    return offsetFault(offset, {
      occupiedHz: profile === undefined ? 0 : occupiedHz(profile),
      bandwidthHz: await board.phy.bandwidthHz(side),
      leastBandwidthHz: this.#parts.bounds.bandwidth[side].least,
      sampleRateSps: await board.phy.sampleRate(side),
    });
  }
}

const POWERED_DOWN =
  'find out what keeps it powered down (ad9361-phy altvoltage0 or 1, powerdown), or reload the driver of the part';
const DONE: Refusable<void> = { ok: true, value: undefined };
/** What a board says of a value that it cannot take, where its bounds are narrower than those known here. */
const OF_THE_VALUE: readonly number[] = [errno.EINVAL, errno.ERANGE];

/** Writes values that somebody named: what the board does not take of them is refused as such. */
async function asWanted(write: () => Promise<void>): Promise<Refusable<void>> {
  try {
    await write();
    return DONE;
  } catch (error) {
    if (error instanceof PoweredDown) return refuse('conflict', error.message, { help: POWERED_DOWN });
    if (!(error instanceof IioFailure) || !OF_THE_VALUE.includes(error.errno)) throw error;
    return refuse('validation_failed', boardFault(error).message);
  }
}

/** T3 */
async function radiatesFault(
  levelDb: number | undefined,
  { board }: Work,
): Promise<Refusable<void> | undefined> {
  if (levelDb === undefined || levelDb <= MUTED_DB) return undefined;
  const target = await presentTarget(board);
  if (target === 'air') return undefined;
  const where = target ?? 'a path that cannot be read';
  return refuse('conflict', `tx_gain_db: is ${levelDb}, which radiates at the connector in ${where}`, {
    help: 'condition the chain to air first: POST /api/v1/chain/condition {"target": "air"}',
  });
}

/**
 * That of the profile, else as it is; undefined on a board without a modem, where there is no digital oscillator. One
 * that cannot be read is not 0: the tune is refused as the board refuses, since nobody could say where it led to.
 */
async function wantedOffset(side: Side, { board, record }: Work): Promise<number | undefined> {
  if (!board.hasModem) return undefined;
  const seen = await offsetOf(board, side);
  if ('error' in seen) throw new IioFailure(errno.EIO, seen.error);
  const profile = record.applied?.profile;
  return profile === undefined ? seen.value : (profile[side].nco_offset_hz ?? 0);
}

function transmitterFault(off: string): string {
  return `tx_gain_db: ${off}; it is an attenuation, 0 dB is the strongest`;
}

/**
 * The board as it is read beside whatever is under way; a register that does not answer in time is an error of that
 * register.
 */
function besides({ urgentPhy, modem, hasModem }: Board, late: Late): Parameters<typeof readStatus>[0] {
  let isLate = false;
  const overdue = (): never => {
    isLate = true;
    throw new IioFailure(errno.ETIMEDOUT, 'another access to the registers is under way');
  };
  const read: Modem['read'] = async (at) => {
    if (isLate) overdue();
    const reading = modem.read(at);
    return Promise.race([reading, late(reading).then(overdue)]);
  };
  return { phy: urgentPhy, modem: { read }, hasModem };
}

async function gainFault(
  wanted: { readonly rx: number | undefined; readonly tx: number | undefined },
  { board }: Work,
  bounds: BoardBounds,
): Promise<string | undefined> {
  const faults: string[] = [];
  if (wanted.rx !== undefined) {
    const oscillator = await observe(board.phy.oscillatorHz('rx'));
    // In which band it is it is not known where the oscillator does not answer: the board decides then.
    const off =
      'value' in oscillator ? outside(wanted.rx, bounds.receiverGain(oscillator.value), 'dB') : undefined;
    const where = 'value' in oscillator ? ` with the oscillator at ${oscillator.value} Hz` : '';
    if (off !== undefined) faults.push(`rx_gain_db: ${off}${where}`);
  }
  if (wanted.tx !== undefined) {
    const off = outside(wanted.tx, bounds.transmitterGain, 'dB');
    if (off !== undefined) faults.push(transmitterFault(off));
  }
  return faults.length === 0 ? undefined : faults.join('; ');
}
