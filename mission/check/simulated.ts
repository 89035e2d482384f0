/** The radio channel of simulated gateways. Everything else in their settings is checked by what they stand for. */

import { bounded } from '../../contract/bounded.ts';
import { CHANNEL_DELAY_MS } from '../../contract/limits/simulation.ts';
import { checkShape } from '../../contract/shape.ts';
import type { FaultsAt } from '../document/fault.ts';
import { ChannelDocument } from '../document/simulated.ts';
import { durationIn } from './quantity.ts';

const CHANNEL = bounded(ChannelDocument);

/** Reports a channel that cannot be. */
export function checkChannel(settings: Readonly<Record<string, unknown>>, faults: FaultsAt): void {
  const { channel } = settings;
  const at = faults.in('channel');
  if (channel === undefined || !checkShape(CHANNEL, channel, at)) return;
  for (const [way, { delay }] of Object.entries(channel as ChannelDocument)) {
    const ms = delay === undefined ? 0 : durationIn(delay, at.in(way, 'delay'));
    if (ms !== undefined && ms > CHANNEL_DELAY_MS)
      at.in(way, 'delay').fault(
        `"${delay}" is longer than ${CHANNEL_DELAY_MS / 1_000} s`,
        'write a shorter one',
      );
  }
}
