/**
 * What can be sampled while a scenario runs, by name. RF Bench Service, section 2 (metric samples; their names are not
 * shown there).
 *
 * A metric of the link says how the link is; one of the board says what the board is set to or how it fares, and proves
 * nothing about the link: a report whose assertions read only those is not verified. What a board cannot report is
 * null.
 */

export interface Metric {
  readonly type: 'number' | 'boolean';
  readonly of: 'link' | 'board';
  readonly doc: string;
}

const number = (of: Metric['of'], doc: string): Metric => ({ type: 'number', of, doc });
const boolean = (of: Metric['of'], doc: string): Metric => ({ type: 'boolean', of, doc });

export const METRICS = {
  'rx.ratio': number('link', 'share of bytes equal to the payload, of the last measurement'),
  'rx.ber': number('link', 'bit error rate estimated from it'),
  'rx.ebn0_db': number('link', 'Eb/N0 in dB'),
  'rx.timing_lock': boolean('link', 'the receiver follows the symbols'),
  'rx.carrier_lock': boolean('link', 'the receiver follows the carrier'),
  'rx.frame_sync': boolean('link', 'the receiver finds frames'),
  'rx.lo_hz': number('board', 'oscillator of the receiver, as read back'),
  'tx.lo_hz': number('board', 'oscillator of the transmitter, as read back'),
  'rx.nco_offset_hz': number('board', 'digital offset of the receiver'),
  'tx.nco_offset_hz': number('board', 'digital offset of the transmitter'),
  'rx.gain_db': number('board', 'gain of the receiver, as read back'),
  'tx.gain_db': number('board', 'attenuation of the transmitter as a number of at most 0, as read back'),
  'rx.bandwidth_hz': number('board', 'analog filter of the receiver, as quantised'),
  'tx.bandwidth_hz': number('board', 'analog filter of the transmitter, as quantised'),
  'rx.overflow': number('board', 'blocks lost by the receiver since cleared'),
  'tx.underflow': number('board', 'blocks that came late to the transmitter since cleared'),
  'tx.running': boolean('board', 'the transmit chain runs'),
  'ad9361.sample_rate_sps': number('board', 'sample rate of the data port'),
  'ad9361.temp_c': number('board', 'temperature of the part in degrees Celsius'),
  'ad9361.rssi_db': number('board', 'received strength relative to full scale: the larger, the weaker'),
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof METRICS;

export function isMetric(name: string): name is MetricName {
  return Object.hasOwn(METRICS, name);
}
