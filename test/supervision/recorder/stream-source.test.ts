/** A stream whose messages are recorded, without a bus: what is a fault of a message, and what is not. */

import { expect, it } from 'vitest';
import { streams } from '../../../contract/bus/streams.ts';
import { Outage } from '../../../contract/outage.ts';
import type { StreamMessage } from '../../../ports/bus.ts';
import { type ReadMessage, StreamSource } from '../../../supervision/recorder/stream-source.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const MESSAGE = { subject: 'mcs.run.evt.r', seq: 1, at: 0, pending: 0, data: Buffer.from('{}') };

/** What becomes of a message that is read so. */
async function takenBy(read: ReadMessage) {
  let take!: (message: StreamMessage) => Promise<void>;
  const became = { recorded: [] as unknown[], letters: 0, failures: [] as unknown[] };
  const source = new StreamSource({
    bus: {
      follow: async (_stream: unknown, _subject: unknown, _from: unknown, each: typeof take) => {
        take = each;
        return { caughtUp: Promise.resolve(0), stop: async () => undefined };
      },
    } as never,
    clock: new ManualClock(0),
    stream: streams.runs,
    writer: {
      open: async () => undefined,
      add: (events: readonly unknown[]) => became.recorded.push(...events),
      flush: async () => undefined,
    } as never,
    read,
    deadLetters: { add: () => (became.letters += 1) } as never,
    failed: (error) => became.failures.push(error),
  });
  await source.start();
  await take(MESSAGE as never);
  await source.stop();
  return became;
}

it.each<[string, ReadMessage]>([
  ['is malformed', () => undefined],
  ['breaks its reader', () => Promise.reject(new TypeError('not a text'))],
])('stream-source.S2 a message that %s is a note and a dead letter', async (_what, read) => {
  const note = expect.objectContaining({ kind: 'log', text: 'Message 1 of RUNS cannot be read.' });
  expect(await takenBy(read)).toEqual({ recorded: [note], letters: 1, failures: [] });
});

it('stream-source.S2 a message that cannot be read since the bus is away is read again', async () => {
  const away = new Outage('bus.unavailable', 'away');
  expect(await takenBy(() => Promise.reject(away))).toEqual({ recorded: [], letters: 0, failures: [away] });
});
