/** Leaders of alarms over a bus in memory, whose time a test moves. */

import type { StoredAlarm } from '../../../contract/alarm.ts';
import { alarmKey } from '../../../contract/alarm-name.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { Outage } from '../../../contract/outage.ts';
import { readStoredAlarm } from '../../../contract/stored-alarm.ts';
import type { Bus } from '../../../ports/bus.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { LogBus } from '../telecommand/log-bus.ts';
import { type Leader, type LeaderOptions, lead, NOON, nameOf } from './alarm-world.ts';

type Answer = Parameters<Bus['serve']>[1];

/** One serves requests at a time. */
export class AskedBus extends LogBus {
  serving: Answer | undefined;

  override serve(_filter?: string, answer?: Answer): never {
    this.serving = answer;
    const stop = async (): Promise<void> => {
      this.serving = undefined;
    };
    return { stop } as never;
  }

  override async request(to: string, data: Uint8Array): Promise<Uint8Array> {
    if (this.serving === undefined) throw new Outage('bus.no-responder', to);
    return this.serving({ subject: to, data, headers: {} });
  }
}

export type World = Leader & { readonly bus: AskedBus; readonly clock: ManualClock };

export async function leader(
  options: Partial<LeaderOptions> = {},
  bus = new AskedBus(),
  clock = new ManualClock(NOON),
): Promise<World> {
  bus.now = () => clock.now();
  const led = await lead({ bus, clock, epoch: 10, ...options });
  return Object.assign(led, { bus, clock });
}

export async function pass({ clock }: Pick<World, 'clock'>, ms = 1_000): Promise<void> {
  await settled();
  await clock.run(ms, 100);
}

export const recordOf = ({ bus }: World, alarm: string): StoredAlarm | undefined => {
  const entry = bus.bucket(buckets.alarms).entries.get(alarmKey(nameOf(alarm)));
  return entry && readStoredAlarm(entry.value);
};
export const stateOf = (led: World, alarm: string): string | undefined => recordOf(led, alarm)?.record.state;
