/** Messages that are appended behind what their writer knows, of a stream that loses some (append-behind.A1, A2). */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { appendBehind, appendOwn } from '../../messaging/append-behind.ts';
import { loseMessages } from '../support/lose-messages.ts';
import { startNats, type TestNats } from '../support/nats.ts';

let nats: TestNats;
let bus: NatsBus;
beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
}, 60_000);
afterAll(() => nats.stop());

const body = Buffer.from('{}');
const to = (run: string): string => subject.runEvents(run);
const append = (run: string, expected = 0, content = body) =>
  appendBehind(bus, streams.runs, to(run), content, { id: `${run}-1`, expected, headers: {} });

describe('a message that is appended behind the last one known', () => {
  it('append-behind.A1 is appended under another id where the stream lost it, however often it does', async () => {
    let before = 0;
    for (let losses = 0; losses < 4; losses += 1) {
      const appended = await append('again');
      if (appended.outcome !== 'stored') return expect.fail(appended.outcome);
      expect(appended.seq).toBeGreaterThan(before);
      before = appended.seq;
      await loseMessages(nats, streams.runs, [appended.seq]);
    }
  });

  it('append-behind.A1 is given up on where a stream loses it again and again', async () => {
    const outcomes: string[] = [];
    for (let losses = 0; losses < 12; losses += 1) {
      const appended = await append('always');
      outcomes.push(appended.outcome);
      if (appended.outcome === 'stored') await loseMessages(nats, streams.runs, [appended.seq]);
    }
    expect([outcomes[8], outcomes[9], outcomes[11]]).toEqual(['stored', 'refused', 'refused']);
  });

  it('append-behind.A1 is not appended again by whoever goes by what was lost', async () => {
    const first = await append('stops');
    if (first.outcome !== 'stored') return expect.fail(first.outcome);
    await loseMessages(nats, streams.runs, [first.seq]);
    const how = { id: 'stops-1', expected: 0, headers: {}, stopsAtLoss: true };
    expect(await appendBehind(bus, streams.runs, to('stops'), body, how)).toEqual({ outcome: 'lost' });
    expect(await bus.last(streams.runs, to('stops'))).toBeUndefined();
  });

  it('append-behind.A2 is taken for its own where it stands there already, and for that of another where it differs', async () => {
    const how = { id: 'own-1', expected: 0, headers: {} };
    const first = await appendOwn(bus, streams.runs, to('own'), body, how);
    expect(first).toMatchObject({ outcome: 'stored' });
    expect(await appendOwn(bus, streams.runs, to('own'), body, how)).toEqual(first);
    const other = Buffer.from('{"other":true}');
    expect(await appendOwn(bus, streams.runs, to('own'), other, how)).toEqual({ outcome: 'refused' });
    const refused = await append('own', 0, other);
    expect(refused.outcome === 'refused' && Buffer.from(refused.last!.data).equals(body)).toBe(true);
  });
});
