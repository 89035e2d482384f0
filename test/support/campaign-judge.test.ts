/** The judgement of a campaign: a verdict of each checker, however much there is and whatever cannot be read. */

import { expect, it } from 'vitest';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { Bus } from '../../ports/bus.ts';
import { type Asked, isOver, judge, readCampaign, stagesIn } from './campaign-judge.ts';
import { startNats } from './nats.ts';

const PASS = { verdict: 'pass' };
const at = '2026-01-01T00:00:00.000Z';
const field = (...frames: readonly [string, number][]) => ({
  frames: new Map(frames),
  stop: () => undefined,
});

const body = (content: object): Uint8Array => Buffer.from(JSON.stringify(content));

it('reads each stream once and says what is wrong with what, and what is not', async () => {
  const nats = await startNats();
  try {
    const bus = await nats.connected();
    const tell = (target: string, tc: string, ...states: readonly string[]) =>
      states.reduce(async (before, state) => {
        await before;
        await bus.append(streams.telecommandEvents, `mcs.tc.evt.${target}.${tc}`, body({ tc, state, at }));
      }, Promise.resolve());
    await tell('sat2', 'a', 'PENDING', 'ENCODED', 'SENT', 'VERIFIED', 'ECHO');
    await tell('field', 'b', 'PENDING', 'ENCODED', 'SENT', 'VERIFIED');
    await tell('field', 'c', 'PENDING', 'ENCODED', 'SEND_FAILED');
    await tell('sat2', 'd', 'PENDING', 'ENCODED');
    await bus.append(streams.telecommands, 'mcs.tc.submit.sat2', body({ target: 'sat2', id: 'd' }));
    await bus.append(streams.runs, 'mcs.run.evt.r', body({ seq: 2, at, event: 'finished', ok: true }));
    const asked: Asked = { telecommands: ['a'], field: ['b', 'c'], runs: [], answered: [] };
    const read = (isDone: Parameters<typeof readCampaign>[1]['isOver']) =>
      readCampaign(bus, { withinMs: 60_000, isOver: isDone, end: async () => undefined });

    const sound = await read((record) => isOver(asked, record));
    const verdicts = judge(asked, sound, field(['f1', 1]));
    expect(Object.values(verdicts)).toEqual(Array.from({ length: 7 }, () => PASS));
    expect(judge(asked, sound, field(['f1', 2]))['once at the spacecraft']).toEqual({
      verdict: 'fail',
      faults: ['f1 came 2 times'],
    });

    await bus.append(streams.values, 'mcs.tm.value.sat2', body({ no: 'batch' }));
    for (const n of [1, 2]) await bus.append(streams.runAnswers, subject.runApproval('s'), body({ n }));
    const refused = body({ run: 's', seq: 1, at, event: 'answer_refused', path: 'q' });
    await bus.append(streams.runs, subject.runEvents('s'), refused, { headers: { [header.source]: '2' } });
    // Whatever is not over when nobody waits any more does not keep the others from being judged.
    const open: Asked = {
      ...asked,
      telecommands: ['a', 'd', 'e'],
      runs: ['r', 's'],
      answered: [{ run: 'r', path: 'q' }],
    };
    const cut = await read((record) => {
      expect(isOver(open, record)).toBe(false);
      return true;
    });
    const judged = judge(open, cut, field(['f1', 1]));
    expect(judged['every telecommand ends']).toEqual({
      verdict: 'fail',
      faults: ['sat2.d stands at ENCODED; submitted at 1', 'sat2.e stands at nothing; submitted at nowhere'],
    });
    expect(judged['answers are kept']).toEqual({
      verdict: 'fail',
      faults: [
        'r: 1 answers acknowledged, 0 stored',
        's: the answer at position 1 is not in the log, which is open',
      ],
    });
    expect(judged['values can be read']).toEqual({
      verdict: 'fail',
      faults: [expect.stringMatching(/^mcs\.tm\.value\.sat2 at position 1, .*Z: eyJubyI6ImJhdGNoIn0=$/)],
    });
    expect(judged['sound logs of runs']).toMatchObject({ verdict: 'fail' });
    expect(judged['once at the spacecraft']).toEqual(PASS);
  } finally {
    await nats.stop();
  }
});

it('says for each minute how many telecommands went from one state to the next, and how long the slowest took', () => {
  const history = (tc: string, ...events: readonly [string, string][]) =>
    [
      `sat2.${tc}`,
      events.map(([state, time]) => ({ tc, state, at: `2026-01-01T00:0${time}.000Z` })),
    ] as const;
  const histories = new Map([
    history('a', ['PENDING', '0:10'], ['ENCODED', '0:11'], ['SENT', '0:14']),
    history('b', ['PENDING', '0:59'], ['ENCODED', '1:03'], ['ECHO', '1:20']),
    ['field.c', history('c', ['PENDING', '0:00'], ['ENCODED', '0:59'])[1]],
  ]) as unknown as Parameters<typeof stagesIn>[1];
  expect(stagesIn('sat2', histories)).toEqual({
    '00:00 ENCODED to SENT': '1, 3 s',
    '00:00 PENDING to ENCODED': '2, 4 s',
  });
});

it.each([
  ['no leader', () => Promise.reject(new Error('no leader'))],
  [
    'was not read whole within 0.1 s: 0 messages were',
    async () => ({ caughtUp: new Promise<number>(() => undefined), stop: async () => undefined }),
  ],
])('says of what it could not read why it is not judged: %s', async (reason, follow) => {
  const how = { withinMs: 100, isOver: () => true, end: async () => undefined };
  const record = await readCampaign({ follow } as Pick<Bus, 'follow'>, how);
  const nothing: Asked = { telecommands: [], field: [], runs: [], answered: [] };
  for (const verdict of Object.values(judge(nothing, record, field())))
    expect(verdict).toMatchObject({ verdict: 'not judged', reason: expect.stringContaining(reason) });
});
