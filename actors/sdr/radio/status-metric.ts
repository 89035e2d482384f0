/** Readings by name, as samplers ask for them; what a board cannot report is null. */

import type { Measurement } from '../../../contract/bench/datapath.ts';
import type { MetricName } from '../../../contract/bench/metric.ts';
import { mapped, type Observed, observe } from '../../../radio/board/observed.ts';
import type { Side } from '../../../radio/board/phy.ts';
import { statusBit } from '../../../radio/board/registers.ts';
import { modelOf } from './attach.ts';
import type { Board } from './board.ts';
import { filterWidth, offsetOf, word } from './status.ts';

type Reading = number | boolean | null;

/** What is known beside the board. */
export interface MetricSources {
  readonly measured: () => Measurement | undefined;
}

/** Reads only what is asked; of no board everything is null. */
export async function readMetrics(
  names: readonly MetricName[],
  board: Board | undefined,
  sources: MetricSources,
): Promise<Partial<Record<MetricName, Reading>>> {
  const readings: Partial<Record<MetricName, Reading>> = {};
  for (const name of names)
    readings[name] = board === undefined ? null : await readMetric(name, board, sources);
  return readings;
}

async function readMetric(name: MetricName, board: Board, { measured }: MetricSources): Promise<Reading> {
  const seen = await observed(name, board, measured());
  return 'value' in seen ? seen.value : null;
}

function observed(
  name: MetricName,
  board: Board,
  measured: Measurement | undefined,
): Promise<Observed<number | boolean>> | Observed<number | boolean> {
  const { phy } = board;
  const side: Side = name.startsWith('tx.') ? 'tx' : 'rx';
  switch (name) {
    case 'rx.ratio':
      return reported(measured?.overall_ratio);
    case 'rx.ber':
      return reported(measured && 1 - measured.overall_ratio ** (1 / 8));
    case 'rx.ebn0_db':
      return reported(ebN0Db(board));
    case 'rx.timing_lock':
      return bit(board, statusBit.timingLock);
    case 'rx.carrier_lock':
      return bit(board, statusBit.carrierLock);
    case 'rx.frame_sync':
      return bit(board, statusBit.frameSync);
    case 'tx.running':
      return bit(board, statusBit.transmitting);
    case 'rx.lo_hz':
    case 'tx.lo_hz':
      return observe(phy.oscillatorHz(side));
    case 'rx.nco_offset_hz':
    case 'tx.nco_offset_hz':
      return offsetOf(board, side);
    case 'rx.gain_db':
    case 'tx.gain_db':
      return observe(phy.gainDb(side));
    case 'rx.bandwidth_hz':
    case 'tx.bandwidth_hz':
      return filterWidth(board, side);
    case 'rx.overflow':
      return word(board, 'overflow');
    case 'tx.underflow':
      return word(board, 'underflow');
    case 'ad9361.sample_rate_sps':
      return observe(phy.sampleRate('rx'));
    case 'ad9361.temp_c':
      return observe(phy.temperatureC());
    case 'ad9361.rssi_db':
      return observe(phy.strengthDb());
  }
}

/** Only a model knows it. */
function ebN0Db({ context }: Board): number | undefined {
  const truth = modelOf(context)?.truth();
  return truth?.signal === true && truth.transmitting ? truth.ebN0Db : undefined;
}

async function bit(board: Board, mask: number): Promise<Observed<boolean>> {
  return mapped(await word(board, 'status'), (status) => (status & mask) !== 0);
}

function reported(value: number | undefined): Observed<number> {
  return value === undefined ? { error: 'not available' } : { value };
}
