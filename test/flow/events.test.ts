/**
 * The log of events, from a mission at work over a real bus into a real archive and out over HTTP and the command line,
 * while the process that records and archives is killed: everything that happened is in it, once.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AlarmEventPage } from '../../contract/alarm.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { ConnectorsView } from '../../contract/connector.ts';
import type { EventPage, LogEvent, TelecommandPage, WatchedEvent } from '../../contract/event.ts';
import type { TcReply } from '../../contract/telecommand.ts';
import { call, type ErrorBody, follow } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { type Mcs, startMcs } from '../support/mcs.ts';
import { until } from '../support/until.ts';

const PATIENTLY = { timeoutMs: 90_000 };
const ADA = { 'x-mcs-user': 'ada' };

let folder: string;
let cell: DemoCell;
let archive: Mcs;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mcs-events-'));
  cell = await startDemoCell({
    roles: ['api', 'executor', 'drivers', 'gateways', 'telemetry'],
    memberTtlMs: 20_000,
  });
  archive = await startArchive();
}, 120_000);
afterAll(async () => {
  await archive.kill('SIGKILL');
  await cell.stop();
  rmSync(folder, { recursive: true, force: true });
});

function startArchive(): Promise<Mcs> {
  const place = ['--state', folder, '--nats', cell.nats.url, '--credentials', cell.nats.credentialsFile];
  return startMcs({
    args: ['serve', '--roles', 'archive', ...place],
    env: { MCS_INSTANCE: 'events', MCS_ARCHIVE_OPEN_MS: '500' },
    readyWithinMs: 120_000,
  });
}

async function get<Body>(path: string): Promise<Body | undefined> {
  const { status, body } = await call<Body & ErrorBody>('GET', `${cell.api}${path}`);
  return status === 200 ? body : undefined;
}

/** Every event that a question finds, page by page; undefined while no archive answers. */
async function all(query: Record<string, string>): Promise<LogEvent[] | undefined> {
  const found: LogEvent[] = [];
  for (let cursor: string | undefined; ; ) {
    const asked = new URLSearchParams({ ...query, limit: '3', ...(cursor !== undefined && { cursor }) });
    const page = await get<EventPage>(`/v1/events?${asked}`);
    if (page === undefined) return undefined;
    found.push(...page.events);
    if (page.next === undefined) return found;
    cursor = page.next;
  }
}

/** What an archive answers that has no time to do so within its bound is asked for again. */
const answered = <Body>(path: string): Promise<Body> =>
  until(() => get<Body>(path), { ...PATIENTLY, what: path }) as Promise<Body>;

async function send(): Promise<string> {
  const sent = await call<TcReply>(
    'POST',
    `${cell.api}/v1/tc`,
    { target: 'sat1', telecommand: 'obc.ping' },
    ADA,
  );
  expect(sent.status).toBe(202);
  return sent.body.id;
}

it('has every state of every telecommand once, whatever became of who records it', async () => {
  const ids = [await send(), await send()];
  await until(
    async () => (await all({ kinds: 'telecommand' }))?.some(({ state }) => state === 'PENDING'),
    PATIENTLY,
  );
  await archive.kill('SIGKILL');
  ids.push(await send());
  // Each of them: what the stream has is then all that comes.
  for (const id of ids)
    await until(
      async () => {
        const last = await cell.bus.last(streams.telecommandEvents, subject.tcEvent('sat1', id));
        return /VERIFIED|COMPLETE/.test(Buffer.from(last?.data ?? []).toString());
      },
      { ...PATIENTLY, what: `the end of ${id}` },
    );
  archive = await startArchive();
  const onStream: string[] = [];
  const follower = await cell.bus.follow(
    streams.telecommandEvents,
    subject.tcEvents(),
    { from: 'start' },
    ({ data }) => {
      const { tc, state } = JSON.parse(Buffer.from(data).toString()) as { tc: string; state: string };
      onStream.push(`${tc} ${state}`);
    },
  );
  await follower.caughtUp;
  await follower.stop();
  const logged = await until(async () => {
    const found = await all({ kinds: 'telecommand' });
    return (found?.length ?? 0) >= onStream.length ? found : undefined;
  }, PATIENTLY);
  expect(logged!.map(({ subject: id, state }) => `${id} ${state}`).reverse()).toEqual(onStream);
  expect(logged!.every(({ name, by }) => name === 'obc.ping' && by === 'ada')).toBe(true);
  expect(logged!.at(-1)!.text).toBe('ada sent obc.ping to sat1.');
}, 240_000);

it('lists telecommands with the state they are in, by who sent them and by what they reached', async () => {
  const page = await answered<TelecommandPage>('/v1/tc?target=sat1&by=ada&limit=2');
  expect(page.telecommands).toHaveLength(2);
  expect(page.telecommands[0]).toMatchObject({ telecommand: 'obc.ping', by: 'ada', reached: 'PENDING' });
  expect(['VERIFIED', 'COMPLETE']).toContain(page.telecommands[0]!.state);
  const next = `/v1/tc?target=sat1&by=ada&limit=2&cursor=${page.next}`;
  const rest = await answered<TelecommandPage>(next);
  expect(rest.telecommands).toHaveLength(1);
  const sent = await answered<TelecommandPage>('/v1/tc?state=SENT');
  expect(sent.telecommands.map(({ reached }) => reached)).toEqual(['SENT', 'SENT', 'SENT']);
  expect((await answered<TelecommandPage>('/v1/tc?by=eve')).telecommands).toEqual([]);
}, 120_000);

it('request-events.C3 has what was asked for, under the identifier of the telecommand', async () => {
  const asked = { target: 'sat1', telecommand: 'obc.set_watchdog', args: { period: '2 min' } };
  const sent = await call<TcReply>('POST', `${cell.api}/v1/tc`, asked, ADA);
  const [event] = await until(async () => {
    const found = await all({ subject: sent.body.id, kinds: 'request', data: 'true' });
    return (found?.length ?? 0) > 0 ? found! : undefined;
  }, PATIENTLY);
  expect(event).toMatchObject({ target: 'sat1', by: 'ada', data: asked });
}, 120_000);

describe('beside telecommands', () => {
  it('has modes and who called what, and shows them as they happen', async () => {
    const watched = follow<WatchedEvent>(`${cell.api}/v1/events/watch?kinds=mode,request`);
    await watched.opened;
    const mode = await call('PUT', `${cell.api}/v1/targets/sat1/mode`, { mode: 'safe' }, ADA);
    expect(mode.status).toBe(200);
    // Of what was called before, some may be recorded only now.
    const asked = '(PUT /v1/targets/sat1/mode)';
    const seen = (kind: string, text = ''): WatchedEvent | undefined =>
      watched.messages.find((event) => event.kind === kind && event.text.includes(text));
    await until(() => seen('mode') && seen('request', asked), { ...PATIENTLY, what: 'both events' });
    watched.close();
    expect(seen('mode')).toMatchObject({
      target: 'sat1',
      state: 'safe',
      by: 'ada',
      text: 'sat1 was set to mode safe by ada.',
    });
    await until(async () => (await all({ kinds: 'mode', text: 'MODE SAFE' }))?.length === 1, PATIENTLY);
    expect((await answered<AlarmEventPage>('/v1/alarms/events?target=sat1')).events).toEqual([]);
  }, 240_000);

  it('says what cannot be read and what was discarded, and goes on', async () => {
    const { bus } = cell;
    const broken = await bus.append(
      streams.telecommandEvents,
      subject.tcEvent('sat1', 'broken'),
      Buffer.from('{'),
    );
    const position = broken.outcome === 'conflict' ? 0 : broken.seq;
    const id = await send();
    await until(async () => ((await all({ subject: id })) ?? []).length > 0, PATIENTLY);
    const notes = await until(() => all({ kinds: 'log' }), PATIENTLY);
    const [note, ...more] = notes!.filter(({ text }) => text.includes('cannot be read'));
    expect([note!.text, more]).toEqual([`Message ${position} of TC_EVENTS cannot be read.`, []]);
  }, 240_000);

  it('is in the view of connectors: the streams it records, and the log it archives', async () => {
    const lags = await until(async () => {
      const view = await get<ConnectorsView>('/v1/connectors');
      const found = (view?.connectors ?? []).flatMap((connector) =>
        connector.lags.map(({ stream }) => stream),
      );
      return found.includes('EVENTS') && found.includes('TC_EVENTS') ? found : undefined;
    }, PATIENTLY);
    expect(lags).toEqual(expect.arrayContaining(['EVENTS', 'TM_VALUES', 'TC_EVENTS', 'RUNS', 'ALARMS']));
  }, 120_000);
});
