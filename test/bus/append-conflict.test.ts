/** append.W4: a server that looks at the expectation before the id, by hand; nats-server 2.9 is none. */

import { describe, expect, it } from 'vitest';
import { type Write, write } from '../../bus/append.ts';
import { ApiError } from '../../bus/fault.ts';
import type { JetStream, PublishAck } from '../../bus/jetstream.ts';
import { WRITER_HEADER } from '../../bus/message.ts';
import type { Headers } from '../../ports/bus.ts';

interface Sent {
  readonly bytes: number;
  readonly headers: Headers;
}

/** Has a message of this id at position 6, and the last one of the subject behind it. */
function serverWith(known: string, { replicas = 1, lostAnswers = 0 } = {}) {
  const sent: Sent[] = [];
  let stored: Headers = { [WRITER_HEADER]: 'somebody else' };
  let lost = 0;
  const jetstream = {
    retrying: async (_: unknown, attempt: (left: () => number) => Promise<unknown>) => {
      for (;;) {
        try {
          return await attempt(() => 1_000);
        } catch (error) {
          if (!(error instanceof Error && error.message === 'answer lost')) throw error;
        }
      }
    },
    publish: async (_: string, data: Uint8Array, headers: Headers): Promise<PublishAck> => {
      sent.push({ bytes: data.length, headers });
      if (lost < lostAnswers) {
        lost += 1;
        stored = headers;
        throw new Error('answer lost');
      }
      if ('Nats-Expected-Last-Subject-Sequence' in headers)
        throw new ApiError(400, 10071, 'wrong last sequence: 7');
      if (headers['Nats-Msg-Id'] === known) return { stream: 'S', seq: 6, duplicate: true } as PublishAck;
      throw new ApiError(400, 10070, 'wrong last msg ID: x');
    },
    read: async () => {
      throw new Error('not read');
    },
    ask: async (_: string, { seq }: { seq?: number }) => ({
      message: {
        subject: 's',
        seq: seq ?? 7,
        time: '2026-01-01T00:00:00Z',
        hdrs: Buffer.from(
          `NATS/1.0\r\n${WRITER_HEADER}: ${seq === 6 ? stored[WRITER_HEADER] : 'somebody else'}\r\n\r\n`,
        ).toString('base64'),
      },
    }),
  } as unknown as JetStream;
  const asset = {
    name: 'S',
    ensure: async () => ({ stream: 'S', identity: 'once' }),
    look: async () => ({ replicas }),
    forget: () => undefined,
  } as unknown as Write['asset'];
  const append = (more: Partial<Write>) =>
    write(jetstream, { asset, subject: 's', data: Buffer.from('x'), expect: 5, ...more });
  return { append, sent };
}

describe('append.W4 behind a conflict', () => {
  it('an id that the server knows is a duplicate, found by a message that it cannot store', async () => {
    const { append, sent } = serverWith('a-1');
    expect(await append({ id: 'a-1' })).toEqual({ outcome: 'duplicate', seq: 6 });
    const [, probe] = sent;
    expect(probe!.bytes).toBe(0);
    expect(probe!.headers).toMatchObject({ 'Nats-Msg-Id': 'a-1', 'Nats-Expected-Last-Msg-Id': 'no message' });
    expect(probe!.headers).not.toHaveProperty('Nats-Expected-Last-Subject-Sequence');
    expect(sent).toHaveLength(2);
  });

  it('an id that it does not know is a conflict', async () => {
    expect(await serverWith('a-1').append({ id: 'b-1' })).toEqual({ outcome: 'conflict' });
  });

  it('its own earlier attempt is a success, though another message stands behind it', async () => {
    const { append } = serverWith('s@5', { lostAnswers: 1 });
    expect(await append({})).toEqual({ outcome: 'stored', seq: 6 });
  });

  it('nothing more is asked for a first attempt without an id', async () => {
    const { append, sent } = serverWith('a-1');
    expect(await append({})).toEqual({ outcome: 'conflict' });
    expect(sent).toHaveLength(1);
  });

  it('a stream with copies is never sent that message', async () => {
    const { append, sent } = serverWith('a-1', { replicas: 3 });
    expect(await append({ id: 'a-1' })).toEqual({ outcome: 'conflict' });
    expect(sent).toHaveLength(1);
  });
});
