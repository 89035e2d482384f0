/** A store that an earlier version left behind, killed with everything open, goes on in this one. */

import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunSummary } from '../../contract/run.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import type { TcEvent } from '../../contract/telecommand.ts';
import { isFinalTcState } from '../../contract/telecommand-state.ts';
import { call, follow, readLog } from '../support/client.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { putBack, readStoredBus, type StoredBus } from '../support/stored-bus.ts';
import { until } from '../support/until.ts';

const STORES = new URL('../data/stores/', import.meta.url);
/** The dead process is given up, everything is taken over and read. */
const PATIENTLY = { timeoutMs: 60_000 };

describe.each(['first-light'])('a store of %s', (name) => {
  const folder = new URL(`${name}/`, STORES);
  let nats: TestNats;
  let service: Mcs;
  let stored: StoredBus;

  beforeAll(async () => {
    nats = await startNats();
    stored = await readStoredBus(new URL('store.json.gz', folder));
    await putBack(nats, stored);
    const mission = fileURLToPath(new URL('mission', folder));
    const at = ['--nats', nats.url, '--credentials', nats.credentialsFile];
    service = await startMcs({ args: ['serve', '--mission', mission, '--bench-port', '0', ...at] });
  }, 120_000);
  afterAll(async () => {
    await endAllMcs();
    await nats.stop();
  });

  const get = async <Body>(path: string): Promise<Body> =>
    (await call<Body>('GET', `${service.api}${path}`)).body;
  const post = (path: string, body?: unknown) =>
    call('POST', `${service.api}${path}`, body, { 'x-mcs-user': 'grace' });
  const eventsOf = (run: string): readonly RunEvent[] =>
    stored.streams
      .find((stream) => stream.name === 'RUNS')!
      .messages.filter(([, subject]) => subject.endsWith(run))
      .map(([, , , data]) => JSON.parse(Buffer.from(data, 'base64').toString()) as RunEvent);
  const runOf = async (run: string): Promise<RunSummary | undefined> =>
    (await get<{ runs: RunSummary[] }>('/v1/runs')).runs?.find((each) => each.run === run);

  /** What the log says from its beginning, until the event is there. */
  async function logUntil(run: string, event: RunEvent['event']): Promise<RunEvent[]> {
    const followed = follow<RunEvent>(`${service.api}/v1/runs/${run}/events`);
    const isThere = (): boolean =>
      followed.messages.slice(eventsOf(run).length).some((each) => each.event === event);
    await until(isThere, { ...PATIENTLY, what: `${event} in the log of ${run}` });
    followed.close();
    // What was there is there still, word for word.
    expect(followed.messages.slice(0, eventsOf(run).length)).toEqual(eventsOf(run));
    return followed.messages.slice(eventsOf(run).length);
  }

  it('its telecommands that were sent end, and none is sent again', async () => {
    for (const id of stored.ids.sent) {
      const events = await readLog<TcEvent>(`${service.api}/v1/tc/sat1/${id}/events`);
      expect(events.filter(({ state }) => state === 'SENT')).toHaveLength(1);
      expect(isFinalTcState(events.at(-1)!.state)).toBe(true);
    }
  });

  it('MC-STM-022 a run that was suspended stays suspended, and is resumed', async () => {
    const run = stored.ids.suspended;
    await until(async () => (await runOf(run))?.suspended === true, PATIENTLY);
    const answer = await until(async () => {
      const asked = await post(`/v1/runs/${run}/resume`, { choice: 'skip' });
      return asked.status !== 503 && asked;
    }, PATIENTLY);
    expect(answer).toMatchObject({ status: 202 });
    expect((await logUntil(run, 'continued')).map(({ event }) => event)).toContain('taken_over');
  });

  it('MC-STM-007 a run that waited for a decision waits on, and takes it', async () => {
    const run = stored.ids.deciding;
    const pending = await until(async () => (await runOf(run))?.pending, PATIENTLY);
    expect(pending).toMatchObject({ kind: 'decision' });
    const answer = { path: pending.path, accepted: true, value: 'skip' };
    expect(await post(`/v1/runs/${run}/answers`, answer)).toMatchObject({ status: 202 });
    const behind = await logUntil(run, 'answered');
    expect(behind.find(({ event }) => event === 'answered')).toMatchObject({ value: 'skip' });
  });

  it('MC-STM-028 runs in the middle of a statement go on, or a person is asked', async () => {
    for (const run of [stored.ids.asking, stored.ids.running]) {
      const behind = await logUntil(run, 'taken_over');
      expect(behind[0]).toMatchObject({ event: 'taken_over', seq: eventsOf(run).length + 1 });
    }
  });

  it('alarms stand as they stood, until the spacecraft says otherwise', async () => {
    const events = await until(async () => {
      const { alarms } = await get<{ alarms: { alarm: string; record: { seq: number } }[] }>('/v1/alarms');
      return alarms?.length > 0 && alarms;
    }, PATIENTLY);
    for (const { record } of events) expect(record.seq).toBeGreaterThanOrEqual(1);
  });

  it('the campaign that ran is interrupted', async () => {
    const bench = (JSON.parse(service.output().split('\n')[0]!) as { bench: string }).bench;
    const runs = await until(async () => {
      const answer = await call<{ status: string }[]>('GET', `${bench}/api/v1/campaign-runs`);
      return answer.status === 200 && answer.body;
    }, PATIENTLY);
    expect(runs.map(({ status }) => status)).toEqual(['interrupted']);
  });

  it('what was over can be read and replayed', async () => {
    const run = stored.ids.finished;
    expect((await readLog<RunEvent>(`${service.api}/v1/runs/${run}/events`)).at(-1)).toMatchObject({
      event: 'finished',
      ok: true,
    });
    const history = await get<{ frames: { state?: string }[] }>(`/v1/inspect/entities/run/${run}/history`);
    expect(JSON.stringify(history)).toContain('finished');
  });

  it('no part of the service is in trouble', async () => {
    const { entities } = await get<{ entities: { status: string }[] }>('/v1/inspect/entities?limit=200');
    expect(entities.filter(({ status }) => status === 'quarantined' || status === 'restarting')).toEqual([]);
    expect(service.errors()).not.toMatch(/"level":50/);
  });
});
