/** Reports of runs: from the bucket, from the log, and from a real archive when both have left the bus. */

import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { RunEvent, RunFact } from '../../contract/run-event.ts';
import { readRunReport } from '../../http/routes/run-report.ts';
import { reportOf, reportText } from '../../mission/procedure/run-report.ts';
import { runEvent } from '../../supervision/recorder/run-events.ts';
import { TwinServer } from '../simulation/twin/server.ts';
import { TwinBus } from '../simulation/twin/twin-bus.ts';
import { fairWeather } from '../simulation/twin/weather.ts';
import { quiet } from '../support/nats.ts';
import { until } from '../support/until.ts';
import { Coverage } from './coverage.ts';
import { type Answer, codesOf, realClock } from './fixture.ts';
import { connectorEntry, type HistoryWorld, HOUR, startHistoryWorld } from './history-world.ts';
import { PROVIDER } from './world.ts';

const DAY_MS = 86_400_000;
const routes = [readRunReport];
const coverage = new Coverage(routes);
const server = new TwinServer({ now: () => Date.now(), choose: () => 0 });
const bus = new TwinBus({
  server,
  name: 'test',
  outside: realClock,
  inside: realClock,
  weather: fairWeather,
  log: quiet,
});

let world: HistoryWorld;
let position = 0;
beforeAll(async () => {
  const left = {
    bucket: bus.bucket.bind(bus),
    follow: bus.follow.bind(bus),
    last: bus.last.bind(bus),
  };
  world = await startHistoryWorld(routes, [], left);
});
afterAll(async () => {
  await world.stop();
  await bus.close();
});

const ask = (run: string, headers: Record<string, string> = {}): Promise<Answer> =>
  coverage.call(`${world.url}/v1/runs/${run}/report`, { headers });

/** The stream has all of a log but its first two events. */
async function storeEnd(log: readonly RunEvent[]): Promise<void> {
  for (const event of log.slice(2))
    await bus.append(streams.runs, subject.runEvents(event.run), Buffer.from(JSON.stringify(event)));
}

/** A log that ends so much later. */
function logOf(run: string, lastsMs: number): RunEvent[] {
  const facts: RunFact[] = [
    {
      event: 'started',
      procedure: 'take_image',
      environment: 'bench',
      targets: { sat: 'sat1' },
      inputs: {},
      ir: 'e'.repeat(64),
      by: 'ada',
    } as unknown as RunFact,
    { event: 'step_finished', path: 'shoot', ok: false, reason: 'no light' } as RunFact,
    { event: 'taken_over', by: 'other' },
    { event: 'finished', ok: false, reason: 'no light' } as RunFact,
  ];
  return facts.map(
    (fact, n) =>
      Object.assign(
        { run, seq: n + 1, at: new Date(HOUR + (n * lastsMs) / 3).toISOString() },
        fact,
      ) as RunEvent,
  );
}

/** As the recorder has it in the log of events. */
async function archive(log: readonly RunEvent[]): Promise<void> {
  for (const event of log) {
    position += 1;
    const at = Date.parse(event.at);
    const events = [{ ...runEvent({ at }, event, undefined), source: `RUNS:${position}` }];
    await world.archive.record({ position, storedMs: HOUR + position, batch: { events } });
  }
  await world.archive.flush();
}

describe('GET /v1/runs/{run}/report', () => {
  it('MC-STM-031 is what was archived at the end of the run', async () => {
    const run = ulid(HOUR);
    await bus.bucket(buckets.runReports).overwrite(run, reportText(run, logOf(run, 1_000)));
    const { status, body } = await ask(run);
    expect(status).toBe(200);
    expect(body).toEqual(JSON.parse(JSON.stringify(reportOf(run, logOf(run, 1_000)))));
    expect(body).toMatchObject({ run, events: 4, ended: { ok: false, reason: 'no light' } });
  });

  it('is made from the log of a run that is not over', async () => {
    const run = ulid(HOUR);
    for (const event of logOf(run, 1_000).slice(0, 2))
      await bus.append(streams.runs, subject.runEvents(run), Buffer.from(JSON.stringify(event)));
    const { status, body } = await ask(run);
    expect([status, body.events, body.ended, body.missing]).toEqual([200, 2, undefined, undefined]);
    expect(body.steps.entries).toMatchObject([{ path: 'shoot', ok: false }]);
  });

  it.each([
    ['seconds', 3_000],
    ['three days', 3 * DAY_MS],
    ['a month', 30 * DAY_MS],
  ])(
    'MC-STM-031 is the same from the archive, of a run of %s whose log has left the bus',
    async (_, lastsMs) => {
      const run = ulid(HOUR);
      await archive(logOf(run, lastsMs));
      await archive(logOf(ulid(HOUR), lastsMs));
      const { status, body } = await ask(run);
      expect([status, body]).toEqual([200, JSON.parse(JSON.stringify(reportOf(run, logOf(run, lastsMs))))]);
    },
  );

  it('MC-STM-031 is whole where the stream has discarded the beginning of the log, and where only the index knows it', async () => {
    const [half, none] = [logOf(ulid(HOUR), 1_000), logOf(ulid(HOUR), 1_000)];
    for (const log of [half, none]) await archive(log);
    await storeEnd(half);
    const { run } = none[0]!;
    await bus.bucket(buckets.runs).overwrite(
      run,
      Buffer.from(
        JSON.stringify({
          run,
          procedure: 'take_image',
          environment: 'bench',
          targets: { sat: 'sat1' },
          suspended: false,
          finished: false,
        }),
      ),
    );
    for (const log of [half, none]) {
      const { status, body } = await ask(log[0]!.run);
      expect([status, body]).toEqual([200, JSON.parse(JSON.stringify(reportOf(log[0]!.run, log)))]);
    }
  });

  it('does not take a log for whole while the archive that has its beginning does not answer', async () => {
    const log = logOf(ulid(HOUR), 1_000);
    const { run } = log[0]!;
    await storeEnd(log);
    world.refuseWith({ code: 'archive::busy', message: 'as the test says' });
    expect(codesOf(await ask(run))).toEqual(['archive::busy']);
    world.refuseWith({ code: 'archive::none', message: 'as the test says' });
    expect((await ask(run)).body).toMatchObject({ events: 2, missing: 2, ended: { ok: false } });
    world.refuseWith(undefined);
  });

  it('says what of the log is not there any more', async () => {
    const run = ulid(HOUR);
    await archive(logOf(run, 1_000).filter(({ event }) => event !== 'step_finished'));
    expect((await ask(run)).body).toMatchObject({
      events: 3,
      missing: 1,
      steps: { entries: [], omitted: 0 },
    });
  });

  it('is unknown of a run that nobody knows, and refused where the archive does not answer', async () => {
    expect([(await ask(ulid(HOUR))).status, codesOf(await ask(ulid(HOUR)))]).toEqual([404, ['run::unknown']]);
    expect(codesOf(await ask('x'))).toEqual(['run::unknown']);
    for (const code of [
      'archive::invalid',
      'archive::unanswered',
      'archive::busy',
      'archive::failed',
    ] as const) {
      world.refuseWith({ code, message: 'as the test says' });
      expect(codesOf(await ask(ulid(HOUR)))).toEqual([code]);
    }
    world.refuseWith({ code: 'archive::none', message: 'as the test says' });
    expect(codesOf(await ask(ulid(HOUR)))).toEqual(['run::unknown']);
    world.refuseWith(undefined);
    world.connect(false);
    expect(codesOf(await ask(ulid(HOUR)))).toEqual(['api::unavailable']);
    world.connect(true);
  });

  it('past-report.P3 is refused, with what to do, where an archive is registered and not there', async () => {
    const log = logOf(ulid(HOUR), 1_000);
    const { run } = log[0]!;
    await storeEnd(log);
    world.refuseWith({ code: 'archive::none', message: 'as the test says' });
    const connectors = bus.bucket(buckets.connectors);
    await connectors.overwrite('archive-abc123', connectorEntry('archive-abc123').value);
    for (const asked of [run, ulid(HOUR)]) {
      await until(async () => (await ask(asked)).status === 503, { what: 'the refusal' });
      expect((await ask(asked)).body.errors[0]).toMatchObject({
        code: 'api::unavailable',
        message: 'events of this run may be archived, and archive-abc123 is not running',
        help: 'Start its process. If that archive no longer exists, remove it: mcs connector remove archive-abc123.',
      });
    }
    const { revision } = (await connectors.get('archive-abc123'))!;
    await connectors.remove('archive-abc123', revision);
    await until(async () => (await ask(run)).status === 200, { what: 'what the stream has' });
    world.refuseWith(undefined);
  });

  it('MC-AUTH-001 MC-GEN-007 asks who calls, and takes no query', async () => {
    const bearer = { authorization: 'Bearer x' };
    const run = ulid(HOUR);
    expect(codesOf(await ask(run, bearer))).toEqual(['auth::no-provider']);
    const mission = world.missions.current!;
    const auth = { ...PROVIDER, required: true };
    world.missions.publish({ ...mission, settings: { ...mission.settings, auth } });
    expect(codesOf(await ask(run))).toEqual(['auth::token-required']);
    expect(codesOf(await ask(run, bearer))).toEqual(['auth::invalid-token']);
    world.missions.publish(mission);
    const asked = await coverage.call(`${world.url}/v1/runs/${run}/report?all=true`);
    expect(codesOf(asked)).toEqual(['api::invalid-body']);
  });
});

it('every status and code of the route was seen', () => {
  expect(coverage.missing()).toEqual([]);
});
