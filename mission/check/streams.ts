/**
 * What the config document states of streams: how long they keep, and how much they are made for. Mission Control
 * Service, section 6.
 */

import { streams } from '../../contract/bus/streams.ts';
import {
  STREAM_BYTES_LEAST,
  STREAM_RETENTION_LEAST_MS,
  STREAM_RETENTION_MOST_MS,
  STREAM_SAMPLES_LEAST_MS,
} from '../../contract/limits/bus.ts';
import type { StreamSettings } from '../configuration.ts';
import type { ConfigDocument } from '../document/config.ts';
import type { FaultsAt } from '../document/fault.ts';
import { durationIn, numberIn } from './quantity.ts';

type Stated = NonNullable<NonNullable<ConfigDocument['nats']>['streams']>[string];

/** Made for a rate, or of a size. */
const SIZED: readonly string[] = [streams.frames, streams.decoded, streams.values, streams.fileChunks].map(
  ({ name }) => name,
);
/** As large as what happens in their time. */
const TIMED: readonly string[] = [
  streams.telecommands,
  streams.telecommandEvents,
  streams.runs,
  streams.events,
].map(({ name }) => name);

const BITS_PER_BYTE = 8;

/** Undefined where nothing is stated. */
export function checkStreams(
  stated: Readonly<Record<string, Stated>> | undefined,
  faults: FaultsAt,
): Readonly<Record<string, StreamSettings>> | undefined {
  if (stated === undefined) return undefined;
  const settings = Object.entries(stated).flatMap(([name, each]) =>
    isKnown(name, faults.in(name)) ? [[name, settingsOf(name, each, faults.in(name))] as const] : [],
  );
  return Object.fromEntries(settings);
}

function isKnown(name: string, faults: FaultsAt): boolean {
  if (SIZED.includes(name) || TIMED.includes(name)) return true;
  if (name === streams.alarms.name)
    faults.fault('the retention of alarm events has a key of its own', 'write alarms: { retention: 90 d }');
  else faults.fault(`no stream "${name}" has settings`, `streams are ${[...SIZED, ...TIMED].join(', ')}`);
  return false;
}

function settingsOf(name: string, { retention, rate, size }: Stated, faults: FaultsAt): StreamSettings {
  if (TIMED.includes(name) && (rate !== undefined || size !== undefined))
    faults.fault(`${name} has no size of its own: it holds what happens in its time`, 'give retention alone');
  if (rate !== undefined && size !== undefined)
    faults.fault('rate and size are two ways to say the same', 'give one of them');
  const maxAgeMs = retention === undefined ? undefined : age(name, retention, faults.in('retention'));
  const bits = rate === undefined ? undefined : numberIn(rate, 'bit/s', faults.in('rate'));
  if (bits !== undefined && bits <= 0)
    faults.in('rate').fault('a rate is above zero', 'write one like 1.6 Mbit/s');
  const bytes = size === undefined ? undefined : numberIn(size, 'B', faults.in('size'));
  if (bytes !== undefined && bytes < STREAM_BYTES_LEAST)
    faults.in('size').fault(`${size} is less than ${STREAM_BYTES_LEAST} B`, 'give a size like 4 GB');
  return {
    ...(maxAgeMs !== undefined && { maxAgeMs }),
    ...(bits !== undefined && { bytesPerS: bits / BITS_PER_BYTE }),
    ...(bytes !== undefined && { maxBytes: Math.floor(bytes) }),
  };
}

function age(name: string, text: string, faults: FaultsAt): number | undefined {
  const read = durationIn(text, faults);
  const least = SIZED.includes(name) ? STREAM_SAMPLES_LEAST_MS : STREAM_RETENTION_LEAST_MS;
  if (read !== undefined && (read < least || read > STREAM_RETENTION_MOST_MS))
    faults.fault(
      `${text} is not between ${least / 60_000} min and ${STREAM_RETENTION_MOST_MS / 86_400_000} d`,
      'give as long as readers may be away, like 24 h',
    );
  return read;
}
