/**
 * What the front end of the bench makes of a request before the bench sees it: defaults, bounds, forms, literal paths.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BENCH_DOCUMENT_CHARACTERS, BENCH_LIST_MOST } from '../../../contract/limits/bench.ts';
import { call } from '../fixture.ts';
import { type ServedBench, serveBench } from './fixture.ts';
import { type ScriptedBench, scriptedBench } from './scripted.ts';

let script: ScriptedBench;
let served: ServedBench;

beforeAll(async () => {
  script = scriptedBench();
  served = await serveBench(script.bench);
});
beforeEach(() => {
  script.asked.length = 0;
});
afterAll(() => served.close());

const get = (path: string) => call(`${served.api}${path}`);
const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  call(`${served.api}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
const askedWith = () => script.asked.map(({ args }) => args);

async function expectInvalid(answer: ReturnType<typeof call>, ...mentioned: string[]): Promise<void> {
  const { status, body } = await answer;
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'validation_failed' });
  for (const text of mentioned) expect(body.message).toContain(text);
  expect(script.asked).toEqual([]);
}

it('bench/dialect.D3 does not read a body where none is taken', async () => {
  for (const body of ['zz', {}]) expect((await send('POST', '/datapath/disable', body)).status).toBe(200);
  expect(script.asked).toHaveLength(2);
});

describe('lists', () => {
  it.each(['/logs', '/events', '/frames', '/reports'])(
    'RB-LOG-009 RB-LIM-001 RB-REP-002 %s asks for 100 where no limit is given',
    async (path) => {
      await get(path);
      expect(askedWith()).toEqual([[{ limit: 100 }]]);
    },
  );

  it('RB-LOG-009 asks for the latest 100 events', async () => {
    await get('/events/latest');
    await get('/events/latest?n=3');
    await get('/events/latest?n=0');
    expect(askedWith()).toEqual([[{ limit: 100 }], [{ limit: 3 }], [{ limit: 0 }]]);
  });

  it.each(['/logs?limit', '/events?limit', '/frames?limit', '/reports?limit', '/events/latest?n'])(
    'RB-LOG-010 RB-LOG-006 %s= refuses what is no count, and takes as many as there can be',
    async (name) => {
      for (const wrong of ['-1', '1.5', 'many', '', '0x10', '1e3', '%201'])
        await expectInvalid(get(`${name}=${wrong}`), 'a whole number from 0');
      await get(`${name}=0`);
      await get(`${name}=99999999999999999999`);
      expect(askedWith()).toEqual([[{ limit: 0 }], [{ limit: BENCH_LIST_MOST }]]);
    },
  );

  it('RB-LOG-010 answers an empty list where since is after until', async () => {
    for (const path of ['/logs', '/events']) {
      const answer = await get(`${path}?since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z`);
      expect(answer).toMatchObject({ status: 200, body: [] });
    }
  });

  it('RB-LOG-003 RB-GEN-004 gives filters as they are meant, times in any offset of RFC 3339', async () => {
    await get(
      '/events?kind=board.lost&source=radio&severity=error&since=2026-01-01T00:00:00.5Z&until=2026-01-01T02:00:00%2B01:00&limit=5',
    );
    const since = Date.UTC(2026, 0, 1) + 500;
    const until = Date.UTC(2026, 0, 1, 1);
    expect(askedWith()).toEqual([
      [{ kind: 'board.lost', source: 'radio', severity: 'error', since, until, limit: 5 }],
    ]);
  });

  it('RB-LOG-002 takes a level as the least severity', async () => {
    await get('/logs?level=warning');
    expect(askedWith()).toEqual([[{ severity: 'warning', limit: 100 }]]);
    script.asked.length = 0;
    await expectInvalid(get('/logs?level=loud'), 'debug, info, warning, error');
    await expectInvalid(get('/events?severity=loud'), 'debug, info, warning, error');
  });

  it.each([
    'yesterday',
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-13-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:00+01:00',
    '1767225600',
    '',
  ])('RB-LOG-010 refuses %j as a time', async (text) => {
    for (const path of ['/logs', '/events', '/frames'])
      await expectInvalid(get(`${path}?since=${text}`), 'RFC 3339');
  });

  it('RB-GEN-006 RB-FRM-007 counts the times of frames from the start of the daemon', async () => {
    await get('/frames?since=1970-01-01T00:00:10Z&until=1970-01-01T00:01:00Z&protocol=raw&profile=p');
    expect(askedWith()).toEqual([
      [{ protocol: 'raw', profile: 'p', since: 10_000, until: 60_000, limit: 100 }],
    ]);
  });

  it('refuses a parameter that is given twice', () => expectInvalid(get('/events?limit=1&limit=2'), 'twice'));

  it('RB-REP-003 RB-REP-013 filters reports by an outcome and refuses any other word', async () => {
    for (const status of ['passed', 'failed', 'cancelled']) await get(`/reports?status=${status}&limit=2`);
    expect(askedWith()).toEqual(['passed', 'failed', 'cancelled'].map((status) => [{ status, limit: 2 }]));
    script.asked.length = 0;
    for (const wrong of ['running', 'pending', 'PASSED', ''])
      await expectInvalid(get(`/reports?status=${wrong}`), 'passed, failed, cancelled');
  });
});

describe('DELETE /api/v1/events', () => {
  it('RB-LOG-004 RB-LIM-003 takes a JSON body and answers how many were purged', async () => {
    expect(await send('DELETE', '/events', { older_than_hours: 24 })).toMatchObject({ body: { purged: 3 } });
    expect(askedWith()).toEqual([[24]]);
  });

  it('RB-LOG-005 refuses a request that does not say how old', async () => {
    await expectInvalid(send('DELETE', '/events'), 'the body is empty');
    await expectInvalid(send('DELETE', '/events', {}), '/older_than_hours is missing');
  });

  it('RB-LIM-004 refuses a negative number of hours and takes zero', async () => {
    for (const wrong of [-1, 1.5, '24', null, 2 ** 64])
      await expectInvalid(send('DELETE', '/events', { older_than_hours: wrong }), '/older_than_hours');
    await send('DELETE', '/events', { older_than_hours: 0 });
    expect(askedWith()).toEqual([[0]]);
  });

  it('RB-LIM-003 takes every int64: a number of hours that no event is older than purges none', async () => {
    for (const text of ['9007199254740993', '9223372036854775807'])
      expect((await send('DELETE', '/events', `{"older_than_hours": ${text}}`)).status).toBe(200);
    expect(askedWith()).toEqual([[2 ** 53], [2 ** 63]]);
  });
});

describe('radio', () => {
  it.each([
    { center_frequency_hz: 2.5 },
    { center_frequency_hz: -1 },
    { center_frequency_hz: 2_400_000_000, channel: 'left' },
    { center_frequency_hz: 2_400_000_000, tune_lo: 'yes' },
    { channel: 'rx' },
    { center_frequency_hz: 2_400_000_000, speed: 1 },
  ])('RB-RAD-015 RB-ERR-002 refuses to tune to %j', (body) =>
    expectInvalid(send('POST', '/radio/frequency', body)),
  );

  it('RB-RAD-013 resets `rx`, `tx` or `all`, and refuses any other scope', async () => {
    for (const scope of ['rx', 'tx', 'all']) await send('POST', '/radio/reset', { scope });
    expect(askedWith()).toEqual([['rx'], ['tx'], ['all']]);
    script.asked.length = 0;
    for (const scope of ['both', 'RX', '', null, 1])
      await expectInvalid(send('POST', '/radio/reset', { scope }), '/scope');
  });

  it('RB-GEN-003 RB-RAD-004 takes a gain that is null or absent', async () => {
    for (const body of [{ rx_gain_db: null }, { tx_gain_db: -3 }, {}])
      await send('POST', '/radio/gain', body);
    expect(askedWith()).toEqual([[{ rx_gain_db: null }], [{ tx_gain_db: -3 }], [{}]]);
    script.asked.length = 0;
    await expectInvalid(send('POST', '/radio/gain', { rx_gain_db: 1.5 }), '/rx_gain_db');
  });

  it('RB-RAD-006 needs `enabled`', async () => {
    await expectInvalid(send('POST', '/radio/loopback', {}), '/enabled is missing');
    await expectInvalid(send('POST', '/radio/loopback', { enabled: 1 }), '/enabled');
  });
});

describe('chain', () => {
  it('RB-CHAIN-002 leaves the target to the bench where none is given', async () => {
    await get('/chain');
    await get('/chain?target=device-loopback');
    expect(askedWith()).toEqual([[undefined], ['device-loopback']]);
    script.asked.length = 0;
    await expectInvalid(get('/chain?target=moon'), 'air, device-loopback, pl-loopback');
  });

  it('RB-CHAIN-009 takes a condition request without body as one without requests', async () => {
    await send('POST', '/chain/condition');
    await send('POST', '/chain/condition', { target: 'pl-loopback', profile: 'p', rate_sps: 0 });
    expect(askedWith()).toEqual([[{}], [{ target: 'pl-loopback', profile: 'p', rate_sps: 0 }]]);
    script.asked.length = 0;
    await expectInvalid(
      send('POST', '/chain/condition', { rate_sps: -1, target: 'x' }),
      '/rate_sps',
      '/target',
    );
  });
});

describe('datapath', () => {
  it('RB-GEN-002 RB-DP-002 captures into bytes', async () => {
    const body = JSON.stringify({ blocks: 2, warmup: 1, timeout_ms: 500, release: true });
    const answer = await fetch(`${served.api}/datapath/capture`, { method: 'POST', body });
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(Uint8Array.of(1, 2, 3));
    expect(askedWith()[0]![0]).toEqual({ blocks: 2, warmup: 1, timeout_ms: 500, release: true });
  });

  it.each([{}, { blocks: -1 }, { blocks: 1, warmup: -1 }, { blocks: 1.5 }, { blocks: 1, release: 'yes' }])(
    'RB-ERR-002 refuses to capture %j',
    (body) => expectInvalid(send('POST', '/datapath/capture', body)),
  );

  it('RB-GEN-002 RB-DP-014 feeds the bytes as they are, whatever the content type, and answers bytes', async () => {
    const payload = Uint8Array.from({ length: 300 }, (_none, index) => index % 256);
    const answer = await fetch(`${served.api}/datapath/loopback?blocks=3&warmup=0&timeout_ms=9`, {
      method: 'POST',
      body: payload,
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(payload);
    expect(askedWith()[0]![1]).toEqual({ blocks: 3, warmup: 0, timeoutMs: 9 });
  });

  it.each(['loopback', 'measure'])(
    'RB-ERR-002 %s refuses an empty payload and terms that are malformed',
    async (name) => {
      await expectInvalid(send('POST', `/datapath/${name}`), 'the body is empty');
      for (const terms of ['blocks=0', 'blocks=4097', 'warmup=-1', 'timeout_ms=0', 'timeout_ms=1e3'])
        await expectInvalid(send('POST', `/datapath/${name}?${terms}`, 'bytes'), 'a whole number');
      await send('POST', `/datapath/${name}`, 'bytes');
      expect(askedWith()[0]![1]).toEqual({});
    },
  );

  it('RB-DP-008 RB-DP-022 takes a flush without body, and leaves the number of blocks to the bench', async () => {
    await send('POST', '/datapath/flush');
    await send('POST', '/datapath/flush', {});
    await send('POST', '/datapath/flush', { blocks: 0 });
    expect(askedWith()).toEqual([[{}], [{}], [{ blocks: 0 }]]);
    script.asked.length = 0;
    await expectInvalid(send('POST', '/datapath/flush', { blocks: -1 }), '/blocks');
  });

  it('RB-TX-002 RB-TX-003 RB-TX-004 takes packets of each protocol', async () => {
    const packets = [
      { protocol: 'raw', payload_hex: '00ff' },
      { protocol: 'csp', header: { src: 1, dst: 2, dport: 3, sport: 4 }, payload_hex: '' },
      { protocol: 'ccsds', header: { apid: 7 }, payload_hex: 'AA' },
    ];
    const body = { packets, framing: { mode: 'slot', slot_len: 256, pad: 0 }, force: true };
    expect((await send('POST', '/datapath/transmit', body)).status).toBe(200);
    expect(askedWith()).toEqual([[body]]);
  });

  it.each([
    {},
    { packets: [] },
    { packets: [{ protocol: 'raw', payload_hex: 'abc' }] },
    { packets: [{ protocol: 'ax25', payload_hex: 'ab' }] },
    { packets: [{ protocol: 'csp', payload_hex: 'ab' }] },
    { packets: [{ protocol: 'raw', payload_hex: 'ab' }], framing: { mode: 'slot' } },
    { packets: [{ protocol: 'raw', payload_hex: 'ab' }], force: 'yes' },
  ])('RB-ERR-002 refuses to transmit %j', (body) => expectInvalid(send('POST', '/datapath/transmit', body)));
});

describe('profiles and scenarios', () => {
  it.each(['text/plain', 'application/yaml', 'application/json', undefined])(
    'RB-GEN-002 RB-PROF-006 registers the text as it is under content type %s',
    async (type) => {
      const headers = type === undefined ? {} : { 'content-type': type };
      const answer = await send('PUT', '/profiles/p-1', 'name: p-1\n', headers);
      expect(answer.body).toMatchObject({ name: 'p-1', persisted: false });
      expect(askedWith()).toEqual([['p-1', 'name: p-1\n']]);
    },
  );

  it('RB-PROF-014 refuses a body that is empty or no text', async () => {
    await expectInvalid(send('PUT', '/profiles/p-1'), 'the body is empty');
    const answer = call(`${served.api}/profiles/p-1`, { method: 'PUT', body: Uint8Array.of(0xff, 0xfe) });
    await expectInvalid(answer, 'not UTF-8');
    await send('PUT', '/profiles/p-1', ' '.repeat(BENCH_DOCUMENT_CHARACTERS));
    expect(script.asked).toHaveLength(1);
  });

  it('RB-PROF-004 RB-SCEN-009 judges whatever JSON it is sent, and refuses only what is no JSON', async () => {
    for (const kind of ['profiles', 'scenarios']) {
      for (const value of [{}, [], 1, 'text', null]) {
        const body = JSON.stringify(value);
        expect((await send('POST', `/${kind}/validate`, body)).status).toBe(200);
      }
      expect(askedWith()).toEqual([[{}], [[]], [1], ['text'], [null]]);
      script.asked.length = 0;
      await expectInvalid(send('POST', `/${kind}/validate`, '{'), 'not JSON');
    }
  });

  it('RB-SCEN-007 answers null where no scenario runs', async () => {
    const answer = await fetch(`${served.api}/scenarios/active`);
    expect(await answer.text()).toBe('null');
  });

  it('finds a run by its identifier in either case', async () => {
    await get('/scenario-runs/0192F0C4-7B1E-7A33-9C1D-3F2A9BE4A001');
    expect(askedWith()).toEqual([['0192f0c4-7b1e-7a33-9c1d-3f2a9be4a001']]);
  });
});

describe('literal paths', () => {
  it.each([
    ['GET', '/campaigns/active', 'campaigns.active'],
    ['GET', '/scenarios/active', 'scenarios.active'],
    ['POST', '/scenarios/active/cancel', 'scenarios.cancel'],
    ['POST', '/scenarios/validate', 'scenarios.validate'],
    ['GET', '/profiles/active', 'profiles.active'],
    ['POST', '/profiles/validate', 'profiles.validate'],
    ['GET', '/events/latest', 'events.events'],
  ])('RB-GEN-011 %s %s is not taken for a name', async (method, path, what) => {
    const body = path.endsWith('validate') ? {} : undefined;
    await send(method, path, body);
    expect(script.asked.map((each) => each.what)).toEqual([what]);
  });
});
