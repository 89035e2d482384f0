import { expect, it } from 'vitest';
import {
  GATEWAY_SENT_KEYS,
  GATEWAY_SENT_KEYS_LEAST,
  GATEWAY_SENT_MS,
} from '../../../contract/limits/link.ts';
import { CLOCK_SKEW_MS } from '../../../contract/limits/membership.ts';
import type { SendCall, SendReply } from '../../../contract/link.ts';
import { SentFrames } from '../../../links/gateway/sent-frames.ts';

const STARTED = 1_000;

function call(key: string, epoch = 1, since?: number): SendCall {
  const asked = { target: 'sat1', key, epoch, frame: '00', notAfter: Number.MAX_SAFE_INTEGER };
  return { ...asked, ...(since !== undefined && { recovering: { since } }) };
}

function memory() {
  const sent: string[] = [];
  const frames = new SentFrames(STARTED);
  const ask = (asked: SendCall, nowMs = 2_000, reply: SendReply = { outcome: 'sent', at: nowMs }) =>
    frames.once(asked, nowMs, async () => {
      sent.push(asked.key);
      return reply;
    });
  return { sent, ask };
}

it('sent-frames.I1 sends a key once and answers it as before', async () => {
  const { sent, ask } = memory();
  const first = await ask(call('a'), 2_000);
  expect(await ask(call('a'), 9_000)).toEqual(first);
  expect(sent).toEqual(['a']);
});

it('sent-frames.I1 sends a key once when it is asked again while under way', async () => {
  const frames = new SentFrames(STARTED);
  let done: (reply: SendReply) => void = () => undefined;
  let sendings = 0;
  const send = () => {
    sendings += 1;
    return new Promise<SendReply>((resolve) => {
      done = resolve;
    });
  };
  const both = [frames.once(call('a'), 1, send), frames.once(call('a'), 2, send)];
  done({ outcome: 'sent', at: 3 });
  expect(await Promise.all(both)).toEqual([
    { outcome: 'sent', at: 3 },
    { outcome: 'sent', at: 3 },
  ]);
  expect(sendings).toBe(1);
});

it('sent-frames.I1 remembers a refusal too', async () => {
  const { sent, ask } = memory();
  const refusal: SendReply = { outcome: 'refused', detail: 'no' };
  await ask(call('a'), 2_000, refusal);
  expect(await ask(call('a'))).toEqual(refusal);
  expect(sent).toEqual(['a']);
});

it('sent-frames.I2 reports a recovering owner what it knows, and sends what provably never left', async () => {
  const { sent, ask } = memory();
  await ask(call('a'), 2_000);
  expect(await ask(call('a', 2, 500))).toEqual({ outcome: 'sent', at: 2_000 });
  // Up since before the earlier owner could ask: it never asked.
  expect(await ask(call('b', 2, STARTED + CLOCK_SKEW_MS + 1))).toMatchObject({ outcome: 'sent' });
  // Started when the earlier owner may have asked already.
  for (const since of [STARTED + CLOCK_SKEW_MS, STARTED, STARTED - 1]) {
    expect(await ask(call(`c${since}`, 2, since))).toMatchObject({ outcome: 'unknown' });
  }
  expect(sent).toEqual(['a', 'b']);
});

it('sent-frames.I2 an unknown key stays unknown and is not sent by asking again', async () => {
  const { sent, ask } = memory();
  await ask(call('a', 2, 0));
  expect(await ask(call('a', 2, 0))).toMatchObject({ outcome: 'unknown' });
  expect(sent).toEqual([]);
});

it('sent-frames.I2 a first call that comes after its repetition was answered sends nothing', async () => {
  const { sent, ask } = memory();
  expect(await ask(call('a', 2, STARTED))).toMatchObject({ outcome: 'unknown' });
  expect(await ask(call('a', 2))).toMatchObject({ outcome: 'unknown' });
  expect(sent).toEqual([]);
});

it('sent-frames.I2 does not claim to know what it had to forget', async () => {
  const { ask } = memory();
  // Long after its start, so that only what it had to forget is in question.
  const first = STARTED + 10 * CLOCK_SKEW_MS;
  for (let index = 0; index <= GATEWAY_SENT_KEYS; index += 1) await ask(call(`k${index}`), first + index);
  // k0 is forgotten; k1 is not.
  expect(await ask(call('k0', 2, first - 1))).toMatchObject({ outcome: 'unknown' });
  expect(await ask(call('k0', 3, first + CLOCK_SKEW_MS + 1))).toMatchObject({ outcome: 'unknown' });
  expect(await ask(call('k1', 3, first))).toMatchObject({ outcome: 'sent', at: first + 1 });
  // A key that nobody asked for: known to be new only behind what was forgotten, by more than two clocks differ.
  expect(await ask(call('new', 3, first + CLOCK_SKEW_MS))).toMatchObject({ outcome: 'unknown' });
  expect(await ask(call('newer', 3, first + CLOCK_SKEW_MS + 1))).toMatchObject({ outcome: 'sent' });
});

it('sent-frames.I6 keeps what was sent in the last ten minutes, and does not claim to know what was before', async () => {
  const { sent, ask } = memory();
  const first = STARTED + 10 * CLOCK_SKEW_MS;
  const later = first + GATEWAY_SENT_MS;
  await ask(call('old'), first);
  await ask(call('young'), first + 1);
  for (let index = 0; index < GATEWAY_SENT_KEYS_LEAST; index += 1) await ask(call(`k${index}`), later);
  expect(await ask(call('old', 2, first), later)).toMatchObject({ outcome: 'sent', at: first });
  await ask(call('one more', 2), later + 1);
  expect(await ask(call('young', 3, first), later + 1)).toMatchObject({ at: first + 1 });
  expect(await ask(call('old', 3, first), later + 1)).toMatchObject({ outcome: 'unknown' });
  expect(sent.slice(0, 3)).toEqual(['old', 'young', 'k0']);
});

it('sent-frames.I6 keeps the last 256 however old they are', async () => {
  const { ask } = memory();
  const first = STARTED + 10 * CLOCK_SKEW_MS;
  for (let index = 0; index < GATEWAY_SENT_KEYS_LEAST; index += 1)
    await ask(call(`k${index}`), first + index);
  const later = first + 100 * GATEWAY_SENT_MS;
  expect(await ask(call('k0', 2, first), later)).toMatchObject({ outcome: 'sent', at: first });
  await ask(call('one more', 2), later);
  expect(await ask(call('k0', 3, first), later)).toMatchObject({ outcome: 'unknown' });
  expect(await ask(call('k1', 3, first), later)).toMatchObject({ outcome: 'sent', at: first + 1 });
});

it('sent-frames.I3 refuses an epoch below one seen for the target, of that target only', async () => {
  const { sent, ask } = memory();
  await ask(call('a', 5));
  expect(await ask(call('b', 4))).toMatchObject({
    outcome: 'refused',
    detail: expect.stringMatching(/epoch 4/),
  });
  expect(await ask(call('c', 5))).toMatchObject({ outcome: 'sent' });
  expect(await ask({ ...call('d', 1), target: 'sat2' })).toMatchObject({ outcome: 'sent' });
  expect(sent).toEqual(['a', 'c', 'd']);
});

it('sent-frames.I3 fences from the first call of a new owner, also when that sent nothing', async () => {
  const { sent, ask } = memory();
  await ask(call('a', 7, 0));
  expect(await ask(call('a', 6))).toMatchObject({ outcome: 'refused' });
  expect(sent).toEqual([]);
});

it('sent-frames.I4 sends nothing after its time, says so, and sends it when it is asked again in time', async () => {
  const { sent, ask } = memory();
  const late = await ask({ ...call('a'), notAfter: 5_000 }, 5_001);
  expect(late).toMatchObject({ outcome: 'refused', detail: expect.stringContaining('00:00:05.000Z') });
  expect(sent).toEqual([]);
  expect(await ask({ ...call('a', 1, 6_000), notAfter: 9_000 }, 6_001)).toMatchObject({ outcome: 'sent' });
  // What left is answered for, however late it is asked.
  expect(await ask({ ...call('a'), notAfter: 5_000 }, 20_000)).toMatchObject({ outcome: 'sent' });
  expect(sent).toEqual(['a']);
});

it('sent-frames.I5 begun again it answers for what left before, and for nothing else', async () => {
  const frames = new SentFrames(STARTED);
  const sent: string[] = [];
  const ask = (asked: SendCall, nowMs: number) =>
    frames.once(asked, nowMs, async () => {
      sent.push(asked.key);
      return { outcome: 'sent', at: nowMs };
    });
  const first = await ask(call('a', 7), 2_000);
  await expect(
    frames.once(call('lost', 7), 2_100, () => Promise.reject(new Error('another process may run it'))),
  ).rejects.toThrow('another process');
  frames.beginAnew(90_000);
  // Of a lane that knows nothing of the first, and of another epoch.
  expect(await ask(call('a', 3), 91_000)).toEqual(first);
  expect(await ask(call('b', 3, 50_000), 91_000)).toMatchObject({ outcome: 'unknown' });
  expect(await ask(call('lost', 3), 91_000)).toMatchObject({ outcome: 'sent' });
  expect(sent).toEqual(['a', 'lost']);
});
