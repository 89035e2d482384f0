/**
 * The routes of runs on a real bus, with an executor of the test: what each answers, every code it declares, and what
 * it puts on the bus.
 */

import { decodeTime, ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { Outage } from '../../contract/outage.ts';
import type { Pass } from '../../contract/pass.ts';
import type { RunRequest, RunSummary } from '../../contract/run.ts';
import type { RunEvent, RunFact } from '../../contract/run-event.ts';
import type { ControlCall } from '../../contract/run-wire.ts';
import type { Caller } from '../../http/caller.ts';
import type { RoutePorts } from '../../http/ports.ts';
import type { Route } from '../../http/route.ts';
import { answerRun, runCommandRoutes } from '../../http/routes/run-commands.ts';
import { readRunSteps } from '../../http/routes/run-steps.ts';
import { watchRuns } from '../../http/routes/run-watch.ts';
import { launchRun, runFollows, runRoutes } from '../../http/routes/runs.ts';
import { PassWriter } from '../../messaging/pass-writes.ts';
import { upsert } from '../../mission/pass/merge.ts';
import { programDocument, readProgram } from '../../mission/procedure/program-document.ts';
import { resolveRun } from '../../mission/procedure/resolve-run.ts';
import { submittedRun } from '../../mission/procedure/run-status.ts';
import type { Bus, StreamMessage } from '../../ports/bus.ts';
import { mannedMission, mission as runs } from '../mission/procedure/run-mission.ts';
import { ownTime } from '../support/own-time.ts';
import { until } from '../support/until.ts';
import { Coverage } from './coverage.ts';
import { type Answer, codesOf, realClock, swiftClock } from './fixture.ts';
import { PROVIDER, startWorld, type World } from './world.ts';

const routes = [...runRoutes, readRunSteps, ...runCommandRoutes];
const coverage = new Coverage(routes, [...runFollows, watchRuns]);
const submitted: StreamMessage[] = [];
const approvals: StreamMessage[] = [];
let world: World;
let url: string;

const mission = mannedMission();
const launch: RunRequest = { run: 'set', environment: 'bench', targets: { sat: 'sat1' } };
const ADA = { 'x-mcs-user': 'ada', 'x-mcs-role': 'operator, supervisor' };

beforeAll(async () => {
  world = await startWorld();
  url = world.url;
  world.missions.publish(mission);
  await world.bus.follow(streams.runSubmissions, subject.runSubmit, { from: 'start' }, (message) => {
    submitted.push(message);
  });
  await world.bus.follow(streams.runAnswers, subject.runApproval(), { from: 'start' }, (message) => {
    approvals.push(message);
  });
});
afterAll(() => world.stop());

const read = <Value>(data: Uint8Array): Value => JSON.parse(Buffer.from(data).toString()) as Value;
const said = (answer: Answer): [number, string[]] => [answer.status, codesOf(answer)];
const start = (body: unknown = launch, headers: Record<string, string> = {}): Promise<Answer> =>
  coverage.post(`${url}/v1/runs`, body, headers);
const stateOf = (run: string): Promise<Answer> => coverage.call(`${url}/v1/runs/${run}`);

async function launched(headers: Record<string, string> = {}, body: RunRequest = launch): Promise<string> {
  const answer = await start(body, headers);
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  return answer.body.run as string;
}

/** How many submissions there are, once everything up to a probe has been delivered; the probe is one of them. */
async function submissionsWithProbe(): Promise<number> {
  const probe = await launched();
  await until(() => submitted.some(({ data }) => read<{ run: string }>(data).run === probe));
  return submitted.length;
}

/** Writes the log of a run as its executor would. */
class TestLog {
  readonly run: string;
  readonly events: RunEvent[] = [];

  constructor(run: string) {
    this.run = run;
  }

  async add(...facts: RunFact[]): Promise<void> {
    for (const fact of facts) {
      const seq = this.events.length + 1;
      const event = { ...fact, run: this.run, seq, at: new Date().toISOString() } as RunEvent;
      this.events.push(event);
      const data = Buffer.from(JSON.stringify(event));
      await world.bus.append(streams.runs, subject.runEvents(this.run), data, { id: `${this.run}-${seq}` });
    }
  }
}

function startedIn(environment: string, ir = 'ab'): RunFact {
  return {
    event: 'started',
    procedure: 'set',
    library: 'ops@1.2.0',
    environment,
    targets: { sat: 'sat1' },
    ir,
    inputs: {},
  };
}

/** A run in the environment that has begun, without an executor. */
async function begun(environment = 'bench'): Promise<TestLog> {
  const log = new TestLog(ulid());
  await log.add(startedIn(environment));
  return log;
}

function resolved(request: RunRequest) {
  const outcome = resolveRun(mission, request, { uploads: new Set(), passes: { find: () => undefined } });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.faults));
  return outcome.value;
}

/** What routes reach, on the bus of the world, for a handler called without a socket. */
function portsWith(more: Partial<RoutePorts> = {}): RoutePorts {
  const { bus, missions, log } = world;
  const none = { newest: () => undefined, of: () => undefined, stop: async () => {} };
  const passes = { live: true, find: () => undefined, passes: () => [] };
  const ports = { bus, missions, log, clock: realClock, runs: none, passes, newId: () => ulid() };
  return { ...ports, ...more } as unknown as RoutePorts;
}

function handle(route: Route, body: unknown, more: Partial<RoutePorts> = {}, caller?: Caller, params = {}) {
  const anonymous: Caller = { kind: 'anonymous' };
  const request = { params, query: {}, body, caller: caller ?? anonymous, content: undefined };
  return route.handle(request, portsWith(more));
}

describe('POST /v1/runs', () => {
  it('MC-RUN-026 answers 202 with a fresh ULID, the hash of the program and warnings', async () => {
    const before = Date.now();
    const answer = await start();
    expect(answer.status).toBe(202);
    expect(Object.keys(answer.body)).toEqual(['run', 'ir', 'warnings']);
    expect(decodeTime(answer.body.run)).toBeGreaterThanOrEqual(before);
    expect(answer.body.ir).toMatch(/^[0-9a-f]{64}$/);
    expect(answer.body.warnings).toEqual([]);
  });

  it('MC-RUN-041 stores the program in mcs_ir under its hash, the same for the same request', async () => {
    const first = await start();
    const second = await start({ targets: { sat: 'sat1' }, run: 'set', environment: 'bench' });
    expect(second.body.ir).toBe(first.body.ir);
    expect(second.body.run).not.toBe(first.body.run);
    const stored = await world.bus.bucket(buckets.programs).get(first.body.ir);
    const program = readProgram(stored!.value, first.body.ir);
    expect(program).toMatchObject({ ok: true, value: { procedure: 'set', targets: { sat: 'sat1' } } });
    expect(stored!.revision).toBe((await world.bus.bucket(buckets.programs).get(second.body.ir))!.revision);
  });

  it('run-launch.U2 writes a program again that is older than a day, so that it outlives the log that names it', async () => {
    const { ir } = (await start()).body;
    const before = (await world.bus.bucket(buckets.programs).get(ir))!.revision;
    const clock = { ...realClock, now: () => Date.now() + 25 * 3_600_000 };
    expect((await handle(launchRun, launch, { clock })).ok).toBe(true);
    expect((await world.bus.bucket(buckets.programs).get(ir))!.revision).toBeGreaterThan(before);
  });

  it('MC-RUN-042 MC-RUN-043 MC-BUS-008 MC-BUS-009 submits run, hash and requester with the run as message id', async () => {
    const { run, ir } = (await start(launch, ADA)).body;
    const message = await until(() => submitted.find(({ data }) => read<{ run: string }>(data).run === run));
    expect(message.subject).toBe('mcs.run.submit');
    expect(read(message.data)).toEqual({ run, ir, by: 'ada' });
    expect(message.headers[header.config]).toBe(mission.revision);
    expect(message.headers[header.user]).toBe('ada');
    const again = await world.bus.append(streams.runSubmissions, subject.runSubmit, message.data, {
      id: run,
    });
    expect(again.outcome).toBe('duplicate');
  });

  it('MC-RUN-028 takes an anonymous launch where nobody orchestrates, and leaves the requester out', async () => {
    const run = await launched();
    const message = await until(() => submitted.find(({ data }) => read<{ run: string }>(data).run === run));
    expect(Object.keys(read<object>(message.data))).toEqual(['run', 'ir']);
    expect(Object.keys(message.headers)).not.toContain(header.user);
  });

  it('MC-RUN-056 takes a launch while no executor runs, and lists it as not begun', async () => {
    const run = await launched(ADA);
    const body = (await stateOf(run)).body;
    expect(body).toEqual({ run, procedure: 'set', suspended: false });
    expect((await coverage.call(`${url}/v1/runs/${run}/steps`)).body).toEqual({ run, steps: [] });
  });

  it('run-launch.U1 is taken once it is submitted, also when the list cannot be written', async () => {
    const { bus } = world;
    const failing = {
      ...bus.bucket(buckets.runs),
      put: async () => {
        throw new Outage('bus.unavailable', 'just now');
      },
    };
    const half = new Proxy(bus, {
      get: (whole, name) => {
        const of = (definition: { name: string }) =>
          definition.name === 'mcs_runs' ? failing : whole.bucket(definition as typeof buckets.runs);
        const value: unknown = name === 'bucket' ? of : Reflect.get(whole, name);
        return typeof value === 'function' && name !== 'bucket' ? value.bind(whole) : value;
      },
    }) as Bus;
    const handled = await handle(launchRun, launch, { bus: half });
    expect(handled).toMatchObject({ ok: true, value: { status: 202 } });
  });

  it('leaves the entry of an executor that was faster', async () => {
    const run = ulid();
    const entry = Buffer.from(JSON.stringify({ run, procedure: 'set', step: '#1' }));
    await world.bus.bucket(buckets.runs).put(run, entry, 0);
    expect((await handle(launchRun, launch, { newId: () => run })).ok).toBe(true);
    expect(read(entry)).toEqual(read((await world.bus.bucket(buckets.runs).get(run))!.value));
    await world.bus.bucket(buckets.runs).overwrite(run, Buffer.from(''));
  });

  it.each(['{', 'null', '{"run":"another"}'])(
    'a run whose entry cannot be read and that has no log is unknown: %s',
    async (text) => {
      const run = ulid();
      await world.bus.bucket(buckets.runs).overwrite(run, Buffer.from(text));
      expect(said(await stateOf(run))).toEqual([404, ['run::unknown']]);
    },
  );

  describe('with an identifier of the client', () => {
    const HOUR = 3_600_000;
    const withId = (id: string, more: Partial<RunRequest> = {}): RunRequest => ({ ...launch, ...more, id });
    const submissionsOf = async (run: string): Promise<number> => {
      await submissionsWithProbe();
      return submitted.filter(({ data }) => read<{ run: string }>(data).run === run).length;
    };
    const refused = [400, ['api::invalid-id']];

    it('repeated-launch.L1 has it as that of the run, and starts nothing new when it is repeated', async () => {
      const id = ulid();
      const first = await start(withId(id));
      expect([first.status, first.body]).toMatchObject([202, { run: id, duplicate: false }]);
      const { ir } = first.body;
      const again = await start(withId(id));
      expect([again.status, again.body]).toEqual([202, { run: id, ir, warnings: [], duplicate: true }]);
      expect(await submissionsOf(id)).toBe(1);
    });

    it('repeated-launch.L1 of two at the same moment one is taken', async () => {
      const id = ulid();
      const bodies = (await Promise.all([start(withId(id)), start(withId(id))])).map(({ body }) => body);
      expect(bodies.map(({ run }) => run)).toEqual([id, id]);
      expect(bodies.map(({ duplicate }) => duplicate).sort()).toEqual([false, true]);
      expect(await submissionsOf(id)).toBe(1);
    });

    it('repeated-launch.L1 knows a run by its log, with the program of then', async () => {
      const log = await begun();
      expect((await start(withId(log.run))).body).toEqual({
        run: log.run,
        ir: 'ab',
        warnings: [],
        duplicate: true,
      });
      expect(await submissionsOf(log.run)).toBe(0);
    });

    it('repeated-launch.L2 is not refused for what has changed since, before an executor has begun it', async () => {
      const id = ulid();
      const { ir } = (await start(withId(id))).body;
      const { bench: _, ...others } = Object.fromEntries(mission.environments);
      world.missions.publish({ ...mission, environments: new Map(Object.entries(others)) });
      try {
        expect(said(await start(withId(ulid())))).toEqual([422, ['run::unknown-environment']]);
        expect((await start(withId(id))).body).toEqual({ run: id, ir, warnings: [], duplicate: true });
      } finally {
        world.missions.publish(mission);
      }
    });

    it.each([
      ['another procedure', { run: 'nothing' }],
      ['another environment', { environment: 'lab' }],
      ['another target', { targets: { sat: 'radio1' } }],
      ['other roles', { targets: { sat: 'sat1', other: 'sat1' } }],
    ])('repeated-launch.L3 is refused where the run has %s', async (_what, more) => {
      const id = ulid();
      await start(withId(id));
      const answer = await start(withId(id, more), ADA);
      expect(said(answer)).toEqual(refused);
      expect(answer.body.errors[0].message).toBe(`${id} is another run: set in bench of sat1`);
    });

    it('repeated-launch.L3 of two different ones at the same moment one is refused', async () => {
      const id = ulid();
      const answers = await Promise.all([start(withId(id)), start(withId(id, { run: 'nothing' }))]);
      expect(answers.map(({ status }) => status).sort()).toEqual([202, 400]);
      const taken = answers.find(({ status }) => status === 202)!;
      const entry = await world.bus.bucket(buckets.runs).get(id);
      const { procedure } = read<RunSummary>(entry!.value);
      expect(procedure).toBe(taken === answers[0] ? 'set' : 'nothing');
    });

    it.each(['01ABC', '', 'not-a-ulid-at-all-26-chars'])(
      'MC-ERR-008 is refused where it is none: %s',
      async (id) => {
        const answer = await start(withId(id));
        expect(answer.status).toBe(400);
      },
    );

    const DAY = 24 * HOUR;

    it.each([
      ['too long ago', -DAY - 60_000],
      ['too far ahead', DAY + 60_000],
    ])('repeated-launch.L4 starts no run where it was drawn %s', async (_what, by) => {
      const answer = await start(withId(ulid(Date.now() + by)));
      expect(said(answer)).toEqual(refused);
      expect(answer.body.errors[0].message).toMatch(/was drawn at \d{4}-.*, and here it is \d{4}-/);
    });

    it.each([-DAY + 60_000, DAY - 60_000])('repeated-launch.L4 starts one within: %d ms', async (by) => {
      const run = ulid(Date.now() + by);
      expect((await start(withId(run))).status).toBe(202);
      // Others look at the newest.
      await world.bus.bucket(buckets.runs).overwrite(run, Buffer.from(''));
    });

    it('repeated-launch.L4 an old one is known for ever where its run is', async () => {
      const log = new TestLog(ulid(Date.now() - 48 * HOUR));
      await log.add(startedIn('bench'));
      expect((await start(withId(log.run))).body).toMatchObject({ duplicate: true });
    });
  });

  const sat = (target: string): Partial<RunRequest> => ({ targets: { sat: target } });
  const REFUSALS: [string, Partial<RunRequest>][] = [
    ['run::unknown-environment', { environment: 'moon' }],
    ['run::unknown-library', { run: 'look', library: 'opps' }],
    ['run::unknown-procedure', { run: 'lok' }],
    ['run::ambiguous-procedure', { run: 'look' }],
    ['run::not-allowed', { run: 'bench_only', environment: 'lab' }],
    ['run::draft-not-allowed', { run: 'draft', environment: 'lab' }],
    ['run::unexpected-target', { targets: { sat: 'sat1', extra: 'sat1' } }],
    ['run::missing-target', { targets: {} }],
    ['run::unknown-target', sat('sat9')],
    ['run::wrong-platform', sat('pod1')],
    ['run::catalogue-version', sat('newer1')],
    ['run::not-imported', { run: 'mixed' }],
    ['run::target-not-in-environment', { run: 'configure', ...sat('far') }],
    ['run::unexpected-input', { inputs: { speed: 3 } }],
    ['run::missing-input', { run: 'take' }],
    ['run::invalid-input', { run: 'take', inputs: { image: -1 } }],
    ['run::unknown-link', { run: 'over_sband', ...sat('radio1') }],
    ['run::link-component', { run: 'over_sband' }],
    ['run::fault-target', { faults: [{ target: 'craft', fault: 'x' }] }],
    ['run::fault-step', { faults: [{ target: 'sat', fault: 'x', at: { step: 'none' } }] }],
    [
      'run::fault-not-simulated',
      { run: 'nothing', ...sat('radio1'), faults: [{ target: 'sat', fault: 'x' }] },
    ],
    ['run::parameter-undefined', { run: 'low' }],
    ['run::unknown-pass', { plan: 'pass-9' }],
  ];

  it.each(REFUSALS)('MC-ERR-005 answers 422 %s', async (code, part) => {
    const answer = await start({ ...launch, ...part }, ADA);
    expect(answer.status).toBe(422);
    expect(codesOf(answer)).toContain(code);
  });

  it('MC-RUN-039 MC-RUN-040 refuses a hazardous run without a plan, and with one outside of a schedule', async () => {
    const hazardous = { ...launch, run: 'reboot', environment: 'lab' };
    const lab = { ...mission.environments.get('lab')!, hazardousRequiresPlan: true };
    world.missions.publish({ ...mission, environments: new Map(mission.environments).set('lab', lab) });
    try {
      expect(said(await start(hazardous, ADA))).toEqual([422, ['run::plan-required']]);
      const planned = await start({ ...hazardous, plan: 'pass-1' }, ADA);
      expect(codesOf(planned)).toContain('run::must-be-scheduled');
    } finally {
      world.missions.publish(mission);
    }
  });

  it('MC-RUN-027 MC-ERR-004 F-05 reports every fault at once, stores nothing and submits nothing', async () => {
    const count = async (): Promise<number> => (await world.bus.bucket(buckets.programs).list('>')).length;
    const submissions = await submissionsWithProbe();
    const programs = await count();
    const answer = await start({
      run: 'take',
      environment: 'bench',
      targets: { sat: 'sat1', extra: 'sat1' },
      plan: 'pass-9',
      faults: [{ target: 'craft', fault: 'x' }],
    });
    expect(said(answer)).toEqual([
      422,
      ['run::unexpected-target', 'run::missing-input', 'run::unknown-pass', 'run::fault-target'],
    ]);
    expect([await submissionsWithProbe(), await count()]).toEqual([submissions + 1, programs]);
  });

  it('MC-RUN-029 MC-AUTH-022 needs a name where people declare theirs', async () => {
    expect(said(await start({ ...launch, environment: 'lab' }))).toEqual([401, ['api::anonymous']]);
    await launched(ADA, { ...launch, environment: 'lab' });
  });

  it('MC-RUN-030 MC-ERR-026 needs a token where identities are verified', async () => {
    const orbit = { ...launch, environment: 'flight' };
    expect(said(await start(orbit))).toEqual([401, ['api::anonymous']]);
    expect(said(await start(orbit, ADA))).toEqual([401, ['auth::jwt-required']]);
  });

  it('MC-GEN-027 asks who it is before it looks into what is asked', async () => {
    const wrong = { ...launch, run: 'lok', environment: 'lab' };
    expect(said(await start(wrong))).toEqual([401, ['api::anonymous']]);
  });
});

describe('a run that is bound to a pass', () => {
  const MINUTE = 60_000;
  const at = (ms: number): string => new Date(Date.now() + ms).toISOString();
  let named = 0;

  /** Stores a pass over kiruna, in progress unless it says otherwise; its identifier. */
  async function pass(more: Partial<Pass> = {}): Promise<string> {
    named += 1;
    const id = `pass-${named}`;
    const writer = new PassWriter({ bus: world.bus, log: world.log });
    const window = { aos: at(-MINUTE), los: at(10 * MINUTE) };
    const rest = {
      max_elevation: '40 deg',
      source: 'provider',
      status: 'booked',
      station: `gs${named}`,
    } as const;
    await writer.write('sat1', (passes) =>
      upsert(passes, { id, target: 'sat1', ...rest, ...window, ...more }, { feeder: 'network', at: at(0) }),
    );
    await until(async () => (await coverage.call(`${url}/v1/passes/sat1/${id}`)).status === 200);
    return id;
  }
  const bound = async (
    more: Partial<Pass>,
    request: Partial<RunRequest> = {},
  ): Promise<[number, string[]]> => {
    const answer = await start({ ...launch, plan: await pass(more), ...request }, ADA);
    return answer.status === 202 ? [202, []] : said(answer);
  };
  const inOrbit = async (check: () => Promise<void>): Promise<void> => {
    const flight = { ...mission.environments.get('flight')!, identity: 'declared' } as const;
    world.missions.publish({ ...mission, environments: new Map(mission.environments).set('flight', flight) });
    try {
      await check();
    } finally {
      world.missions.publish(mission);
    }
  };

  it('MC-RUN-016 F-06 is launched in it, by its identifier or by that of a contribution, under the stored one', async () => {
    const plan = await pass();
    const writer = new PassWriter({ bus: world.bus, log: world.log });
    const window = { aos: at(-MINUTE), los: at(9 * MINUTE), station: `gs${named}`, max_elevation: '40 deg' };
    const predicted = { id: 'fds-1', target: 'sat1', source: 'fds', status: 'predicted', ...window } as const;
    await writer.write('sat1', (passes) => upsert(passes, predicted, { feeder: 'dynamics', at: at(0) }));
    await until(async () => (await coverage.call(`${url}/v1/passes/sat1/fds-1`)).status === 200);
    const answer = await start({ ...launch, plan: 'fds-1' }, ADA);
    expect(answer.status).toBe(202);
    const program = await world.bus.bucket(buckets.programs).get(answer.body.ir);
    expect(read<{ plan: string }>(program!.value).plan).toBe(plan);
    expect(codesOf(await start({ ...launch, plan: 'elsewhere' }, ADA))).toEqual(['run::unknown-pass']);
  });

  it('MC-RUN-031 MC-ERR-075 F-06 is refused where the pass is cancelled: 409 run::pass-cancelled', async () => {
    expect(await bound({ status: 'cancelled' })).toEqual([409, ['run::pass-cancelled']]);
  });

  it('MC-RUN-032 MC-ERR-076 F-06 MC-PASS-048 is refused in orbit where it is not booked: 409 run::not-booked', async () => {
    const predicted = { source: 'fds', status: 'predicted' } as const;
    expect((await bound(predicted))[0]).toBe(202);
    await inOrbit(async () => {
      expect(await bound(predicted, { environment: 'flight' })).toEqual([409, ['run::not-booked']]);
      expect((await bound({}, { environment: 'flight' }))[0]).toBe(202);
    });
  });

  it('MC-RUN-033 MC-ERR-077 F-06 is refused before AOS: 409 run::before-aos', async () => {
    expect(await bound({ aos: at(MINUTE) })).toEqual([409, ['run::before-aos']]);
  });

  it('MC-RUN-034 MC-ERR-078 MC-LIM-009 F-06 is refused where it may end behind LOS less the margin: 409 run::window', async () => {
    const { maxDurationMs } = resolved(launch).program;
    const [enough, short] = [maxDurationMs! + 30_000 + 20_000, maxDurationMs! + 30_000 - 1];
    expect((await bound({ los: at(enough) }))[0]).toBe(202);
    expect(await bound({ los: at(short) })).toEqual([409, ['run::window']]);
    const { settings } = world.missions.current!;
    world.missions.publish({ ...mission, settings: { ...settings, schedulerMarginMs: 1_000 } });
    try {
      expect((await bound({ los: at(short) }))[0]).toBe(202);
    } finally {
      world.missions.publish(mission);
    }
  });

  it('MC-RUN-035 MC-ERR-079 MC-PASS-006 F-06 is refused on a receive-only pass where it sends: 409 run::receive-only', async () => {
    expect(await bound({ uplink: false }, { run: 'reboot' })).toEqual([409, ['run::receive-only']]);
    expect((await bound({ uplink: false }, { run: 'nothing' }))[0]).toBe(202);
  });

  it('reports every reason at once, and stores nothing', async () => {
    const submissions = await submissionsWithProbe();
    // No longer than the margin before LOS, and far enough ahead for a machine that stands still.
    const over = { status: 'cancelled', aos: at(29_000), los: at(30_000), uplink: false } as const;
    expect(await bound(over, { run: 'reboot' })).toEqual([
      409,
      ['run::pass-cancelled', 'run::before-aos', 'run::window', 'run::receive-only'],
    ]);
    expect(await submissionsWithProbe()).toBe(submissions + 1);
  });

  it('MC-RUN-038 one by hand in orbit that may outlast a pass in progress is taken with a warning', async () => {
    await inOrbit(async () => {
      const served = world.bus.serve(subject.gatewayVerb('radio', 'state'), async () =>
        Buffer.from(JSON.stringify({ gateway: 'radio', link: { state: 'up', since: 0 } })),
      );
      onTestFinished(() => served.stop());
      const warnings = async (): Promise<string[]> => {
        const answer = await until(async () => {
          const each = await start({ ...launch, run: 'typed', environment: 'flight' }, ADA);
          return each.status === 202 && each;
        });
        return answer.body.warnings as string[];
      };
      const before = await warnings();
      const { maxDurationMs } = resolved({ ...launch, run: 'typed', environment: 'flight' }).program;
      const id = await pass({ los: at(maxDurationMs! - 1) });
      await pass({ los: at(60 * MINUTE) });
      const added = (await warnings()).filter((each) => !before.includes(each));
      expect(added).toEqual([expect.stringMatching(new RegExp(`pass ${id} of sat1 ends at`))]);
    });
  });
});

describe('a run by hand in orbit', () => {
  const orbit = { ...launch, environment: 'flight' };
  const operator: Caller = { kind: 'verified', name: 'ada', roles: [], token: 't', untilMs: 0 };
  const messageOf = async (more: Partial<RoutePorts> = {}): Promise<string> => {
    const handled = await handle(launchRun, orbit, more, operator);
    if (handled.ok) return `${handled.value.status}`;
    return handled.faults.map(({ code, message }) => `${code} ${message}`).join();
  };

  it('MC-RUN-036 is refused while its default link is bound to no driver, or served by no gateway', async () => {
    world.missions.publish({ ...mission, targets: runs.targets });
    try {
      expect(await messageOf()).toBe(
        'run::no-link target sat1 has no link: no driver is bound to its default link uhf',
      );
    } finally {
      world.missions.publish(mission);
    }
    world.missions.publish({ ...mission, gateways: new Map() });
    try {
      expect(await messageOf()).toContain('no gateway serves its default link uhf in flight');
    } finally {
      world.missions.publish(mission);
    }
  });

  it('MC-RUN-037 is refused while its gateway reports no link, and taken when it has one, also a silent one', async () => {
    let link: object = { state: 'down', since: 0, reason: 'EADDRINUSE' };
    const served = world.bus.serve(subject.gatewayVerb('radio', 'state'), async () =>
      Buffer.from(JSON.stringify({ gateway: 'radio', link })),
    );
    await until(async () => (await messageOf()).includes('EADDRINUSE'));
    expect(await messageOf()).toBe(
      'run::no-link target sat1 has no link: gateway radio reports its link down (EADDRINUSE)',
    );
    link = { state: 'connecting', since: 0 };
    expect(await messageOf()).toContain('gateway radio reports its link connecting');
    for (const state of ['up', 'silent']) {
      link = { state, since: 0 };
      expect(await messageOf(), state).toBe('202');
    }
    await served.stop();
  });

  it('run-commands.K2 a gateway of others need not say how its link is; ours must be there', async () => {
    await until(async () => (await messageOf()) === '202');
    const ours = { ...mission.gateways.get('radio')!, kind: 'udp' } as const;
    world.missions.publish({ ...mission, gateways: new Map(mission.gateways).set('radio', ours) });
    try {
      expect(await messageOf()).toContain('gateway radio is not running');
    } finally {
      world.missions.publish(mission);
    }
  });

  it('MC-RUN-036 MC-ERR-080 answers 409 run::no-link', async () => {
    const open = { ...mission.environments.get('flight')!, identity: 'declared' } as const;
    const environments = new Map(mission.environments).set('flight', open);
    world.missions.publish({ ...mission, environments, targets: runs.targets });
    try {
      expect(said(await start(orbit, ADA))).toEqual([409, ['run::no-link']]);
    } finally {
      world.missions.publish(mission);
    }
  });
});

describe('GET /v1/runs', () => {
  const list = (query = ''): Promise<Answer> => coverage.call(`${url}/v1/runs${query}`);

  it('MC-RUN-044 MC-RUN-045 lists the newest first, also through another instance', async () => {
    const ids = [await launched(ADA), await launched(ADA), await launched(ADA)].reverse();
    const other = await world.another();
    for (const base of [url, other.url]) {
      const body = await until(async () => {
        const answer = await coverage.call(`${base}/v1/runs?limit=3`);
        return answer.status === 200 && answer.body.runs[0]?.run === ids[0] && answer.body;
      });
      expect(body.runs.map(({ run }: { run: string }) => run)).toEqual(ids);
      expect(body.runs[0]).toEqual({
        run: ids[0],
        procedure: 'set',
        suspended: false,
        by: 'ada',
        environment: 'bench',
        targets: { sat: 'sat1' },
      });
    }
  });

  it('MC-LIM-001 lists 20 when nothing is said', async () => {
    for (let more = 0; more < 22; more += 1) await launched();
    await until(async () => (await list('?limit=200')).body.runs.length > 20);
    expect((await list()).body.runs).toHaveLength(20);
    expect((await list('?limit=1')).body.runs).toHaveLength(1);
  });

  it('MC-LIM-002 MC-LIM-003 lists at most 200, also when more are asked for', async () => {
    const bucket = world.bus.bucket(buckets.runs);
    const entries = Array.from({ length: 201 }, () => submittedRun(ulid(), { ...launch, procedure: 'set' }));
    await Promise.all(entries.map((each) => bucket.put(each.run, Buffer.from(JSON.stringify(each)), 0)));
    for (const limit of ['200', '201', '99999999999999999999']) {
      await until(async () => (await list(`?limit=${limit}`)).body.runs.length === 200);
    }
  });

  it.each(['0', '-1', '1.5', '', 'x', '1e2'])('MC-LIM-003 MC-GEN-026 refuses limit=%s', async (limit) => {
    expect(said(await list(`?limit=${limit}`))).toEqual([400, ['api::invalid-body']]);
  });
});

describe('GET (WS) /v1/runs/watch', () => {
  it('routes/run-watch.W1 sends the list, the oldest first, then each run that changes', async () => {
    const { body } = await coverage.call(`${url}/v1/runs?limit=200`);
    const listed = body.runs.map(({ run }: { run: string }) => run).reverse();
    const watch = await coverage.open(`${url}/v1/runs/watch`);
    await until(() => watch.messages.length >= listed.length);
    expect(watch.messages.slice(0, listed.length).map((each) => (each as RunSummary).run)).toEqual(listed);
    const run = await launched(ADA);
    await until(() => watch.messages.some((each) => (each as RunSummary).run === run));
    const bucket = world.bus.bucket(buckets.runs);
    const entry = { ...submittedRun(run, { ...launch, procedure: 'set' }), suspended: true };
    const { revision } = (await bucket.get(run))!;
    await bucket.put(run, Buffer.from(JSON.stringify(entry)), revision);
    await until(() => watch.messages.some((each) => (each as RunSummary).suspended));
    expect(watch.messages.at(-1)).toEqual(entry);
    expect(watch.messages).toHaveLength(listed.length + 2);
    watch.close();
  });

  it('routes/run-watch.W2 is closed while the bus hangs, and refused until it is back', async () => {
    const watch = await coverage.open(`${url}/v1/runs/watch`);
    await world.nats.freeze();
    try {
      await until(() => watch.closed?.code === 1013);
      expect(said((await coverage.follow(`${url}/v1/runs/watch`)).refused!)).toEqual([
        503,
        ['api::unavailable'],
      ]);
    } finally {
      world.nats.thaw();
    }
    await until(async () => {
      const again = await coverage.follow(`${url}/v1/runs/watch`);
      again.close();
      return again.opened;
    });
  });
});

describe('GET /v1/runs/{run}', () => {
  it('MC-RUN-046 MC-RUN-047 MC-RUN-048 answers what the log says, through any instance', async () => {
    const log = await begun();
    await log.add(
      { event: 'step_started', path: 'shoot', attempt: 1, inputs: {} },
      { event: 'asked', path: 'shoot', prompt: 'Level?', role: 'supervisor' },
    );
    const other = await world.another();
    for (const base of [url, other.url]) {
      expect((await coverage.call(`${base}/v1/runs/${log.run}`)).body).toEqual({
        run: log.run,
        procedure: 'set',
        step: 'shoot',
        suspended: false,
        pending: {
          path: 'shoot',
          kind: 'ask',
          prompt: 'Level?',
          role: 'supervisor',
          question: 3,
          since: expect.any(String),
        },
      });
    }
    await log.add({ event: 'finished', ok: false, reason: 'aborted by ada' });
    expect((await stateOf(log.run)).body).toEqual({
      run: log.run,
      procedure: 'set',
      step: 'shoot',
      suspended: false,
      finished: false,
      reason: 'aborted by ada',
    });
  });

  it('http/run-record.D1 lets the log speak, whatever the list says', async () => {
    const run = await launched();
    const log = new TestLog(run);
    await log.add(startedIn('bench'), { event: 'step_started', path: '#1', attempt: 1, inputs: {} });
    expect((await stateOf(run)).body.step).toBe('#1');
  });

  it.each(['01J5ZK3M8QW7V9XH2C4T6R8YAC', 'nonsense', '01j5zk3m8qw7v9xh2c4t6r8yac', '%zz'])(
    'MC-RUN-049 MC-ERR-083 answers 404 run::unknown for %s',
    async (run) => {
      expect(said(await stateOf(run))).toEqual([404, ['run::unknown']]);
      expect(said(await coverage.call(`${url}/v1/runs/${run}/steps`))).toEqual([404, ['run::unknown']]);
    },
  );
});

describe('GET /v1/runs/{run}/steps', () => {
  it('answers the steps of the program that the log names, in their order', async () => {
    const { ir, run } = (await start({ ...launch, run: 'nothing' })).body;
    await new TestLog(run).add(startedIn('bench', ir));
    const { body } = await coverage.call(`${url}/v1/runs/${run}/steps`);
    expect(body.run).toBe(run);
    expect(body.steps).toEqual(
      [
        ['one', 'group'],
        ['one/same', 'step'],
        ['two', 'group'],
        ['two/same', 'step'],
        ['three', 'group'],
        ['three/only', 'step'],
      ].map(([path, kind]) => ({ path, kind, if_failed: false })),
    );
  });

  it('answers none when the program is not there', async () => {
    const { run } = await begun();
    expect((await coverage.call(`${url}/v1/runs/${run}/steps`)).body.steps).toEqual([]);
  });
});

describe('GET (WS) /v1/runs/{run}/events', () => {
  it('MC-RUN-050 replays the log, follows it one event per message, and closes after finished', async () => {
    const log = await begun();
    await log.add({ event: 'procedure_started', path: 'set' });
    const client = await coverage.open(`${url}/v1/runs/${log.run}/events`);
    await until(() => client.messages.length === 2);
    await log.add(
      { event: 'logged', path: '#1', message: 'm', samples: [] },
      { event: 'finished', ok: true },
    );
    expect(await until(() => client.closed)).toEqual({ code: 1000, reason: 'passed' });
    expect(client.messages).toEqual(log.events);
    const late = await coverage.open(`${url}/v1/runs/${log.run}/events`);
    await until(() => late.closed);
    expect(late.messages).toEqual(log.events);
  });

  it('says in its close how the run ended', async () => {
    const log = await begun();
    await log.add({ event: 'finished', ok: false, reason: 'r' });
    const client = await coverage.open(`${url}/v1/runs/${log.run}/events`);
    expect(await until(() => client.closed)).toEqual({ code: 1000, reason: 'failed' });
  });

  it('MC-RUN-052 A-36 opens for a run that is not known yet, and waits', async () => {
    const log = new TestLog(ulid());
    const client = await coverage.open(`${url}/v1/runs/${log.run}/events`);
    await log.add(startedIn('bench'));
    await until(() => client.messages.length === 1);
    expect(client.messages).toEqual(log.events);
    client.close();
  });

  it.each(['nonsense', '01j5zk3m8qw7v9xh2c4t6r8yac'])(
    'MC-RUN-051 MC-RUN-052 answers 404 api::invalid-id for %s',
    async (run) => {
      const { refused } = await coverage.follow(`${url}/v1/runs/${run}/events`);
      expect(said(refused!)).toEqual([404, ['api::invalid-id']]);
    },
  );
});

describe('POST /v1/runs/{run}/answers', () => {
  const yes = { path: 'shoot', accepted: true, value: '12 dB' };
  const tell = (run: string, body: unknown = yes, headers: Record<string, string> = ADA): Promise<Answer> =>
    coverage.post(`${url}/v1/runs/${run}/answers`, body, headers);

  it('MC-ANS-002 MC-ANS-004 MC-BUS-010 answers 202 once it is published with identity and roles', async () => {
    const { run } = await begun();
    const answer = await tell(run);
    expect([answer.status, answer.body]).toEqual([202, { run, seen: expect.any(Number) }]);
    const message = await until(() => approvals.find((each) => each.subject === `mcs.run.approval.${run}`));
    expect(read(message.data)).toEqual({ ...yes, by: 'ada', roles: ['operator', 'supervisor'] });
    expect(message.headers[header.user]).toBe('ada');
    expect(message.headers[header.roles]).toBe('operator,supervisor');
  });

  it('run-commands.K3 A-70 says which question it answers, or what the log had when it was given', async () => {
    const { run } = await begun();
    const stored = () => approvals.filter(({ subject }) => subject === `mcs.run.approval.${run}`);
    await tell(run);
    await tell(run, { ...yes, question: 7 });
    const [plain, named] = await until(() => (stored().length === 2 ? stored() : undefined));
    expect(plain!.headers[header.seen]).toBe('1');
    expect(read(named!.data)).toMatchObject({ ...yes, question: 7 });
    expect(named!.headers).not.toHaveProperty(header.seen);
  });

  it('MC-ANS-004 carries the verified token', async () => {
    const { run } = await begun('flight');
    const operator: Caller = {
      kind: 'verified',
      name: 'eve',
      roles: ['supervisor'],
      token: 'abc',
      untilMs: 0,
    };
    const handled = await handle(answerRun, yes, {}, operator, { run });
    expect(handled).toMatchObject({ ok: true, value: { status: 202 } });
    const message = await until(() => approvals.find((each) => each.subject === `mcs.run.approval.${run}`));
    expect(read(message.data)).toEqual({ ...yes, by: 'eve', roles: ['supervisor'], token: 'abc' });
  });

  it('MC-ANS-001 takes an answer without value, and booleans and numbers', async () => {
    const { run } = await begun();
    for (const value of [undefined, 3, false]) {
      expect((await tell(run, { path: 'shoot', accepted: false, value })).status).toBe(202);
    }
    const bodies = await until(() => {
      const found = approvals.filter((each) => each.subject.endsWith(run));
      return found.length === 3 && found.map(({ data }) => read<{ value?: unknown }>(data).value);
    });
    expect(bodies).toEqual([undefined, 3, false]);
  });

  it.each([
    [{ accepted: true }],
    [{ path: 'shoot' }],
    [{ path: 'shoot', accepted: 'yes' }],
    [{ path: 'shoot', accepted: true, value: null }],
    [{ path: 'shoot', accepted: true, by: 'eve' }],
    [{ path: 'shoot', accepted: true, question: 0 }],
    [{ path: 'shoot', accepted: true, question: 1.5 }],
    [{ path: 'shoot', accepted: true, question: '7' }],
  ])('MC-ANS-001 MC-ANS-003 refuses %j', async (body) => {
    expect((await tell(ulid(), body)).status).toBe(400);
  });

  it('MC-ANS-003 MC-ANS-026 MC-ERR-019 A-20 refuses nobody: 400, and 401 where the environment asks for an identity', async () => {
    expect(said(await tell((await begun()).run, yes, {}))).toEqual([400, ['api::anonymous']]);
    expect(said(await tell((await begun('lab')).run, yes, {}))).toEqual([401, ['api::anonymous']]);
  });

  it('MC-ANS-003 A-06 refuses a declared name where identities are verified', async () => {
    expect(said(await tell((await begun('flight')).run))).toEqual([401, ['auth::jwt-required']]);
  });

  it.each(['01J5ZK3M8QW7V9XH2C4T6R8YAC', 'nonsense'])(
    'MC-ANS-003 MC-ANS-028 answers 404 run::unknown for %s',
    async (run) => {
      expect(said(await tell(run))).toEqual([404, ['run::unknown']]);
    },
  );

  it('MC-ANS-030 takes an answer to a run that has ended: what becomes of it is for the log', async () => {
    const log = await begun();
    await log.add({ event: 'finished', ok: true });
    expect((await tell(log.run)).status).toBe(202);
  });

  it('takes an answer to a run that no executor has begun', async () => {
    expect((await tell(await launched())).status).toBe(202);
  });
});

describe('POST /v1/runs/{run}/{action}', () => {
  const command = (
    run: string,
    action: string,
    body: unknown = '',
    headers: Record<string, string> = ADA,
  ): Promise<Answer> => coverage.post(`${url}/v1/runs/${run}/${action}`, body, headers);

  /** A run with an executor that answers as reported. */
  async function held(reply: object, environment = 'bench') {
    const { run } = await begun(environment);
    const calls: ControlCall[] = [];
    const known = new Set<string>();
    const served = world.bus.serve(subject.runControl(run), async ({ data, headers }) => {
      // One command may be asked more than once, where an answer takes a second.
      const request = headers[header.request]!;
      if (!known.has(request)) calls.push(read<ControlCall>(data));
      known.add(request);
      return Buffer.from(JSON.stringify(reply));
    });
    await until(async () => (await command(run, 'suspend')).status !== 409 || 'reason' in reply);
    calls.length = 0;
    return { run, calls, served };
  }

  it('MC-ANS-019 MC-ANS-021 MC-ANS-022 MC-BUS-010 asks the executor and answers 202 once it accepted', async () => {
    const { run, calls, served } = await held({ outcome: 'accepted' });
    const answers = [
      await command(run, 'suspend'),
      await command(run, 'resume'),
      await command(run, 'resume', {}),
      await command(run, 'resume', { choice: 'skip' }),
      await command(run, 'abort'),
    ];
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([202, { run }]);
    expect(calls).toEqual([
      { action: 'suspend', by: 'ada' },
      { action: 'resume', by: 'ada', choice: 'replay' },
      { action: 'resume', by: 'ada', choice: 'replay' },
      { action: 'resume', by: 'ada', choice: 'skip' },
      { action: 'abort', by: 'ada' },
    ]);
    await served.stop();
  });

  it('MC-ANS-025 MC-ERR-082 answers 409 run::refused with the reason of the executor', async () => {
    const { run, calls, served } = await held({ outcome: 'refused', reason: 'unknown choice "again"' });
    const answer = await until(async () => {
      const each = await command(run, 'resume', { choice: 'again' });
      return codesOf(each)[0] === 'run::refused' && each;
    });
    expect([answer.status, answer.body.errors[0].message]).toEqual([409, 'unknown choice "again"']);
    expect(calls.at(-1)).toEqual({ action: 'resume', by: 'ada', choice: 'again' });
    await served.stop();
  });

  it('run-commands.K2 MC-ANS-023 MC-ERR-084 answers 504 run::timeout to what the executor cannot say yet: it is no refusal', async () => {
    const { run, served } = await held({ outcome: 'unknown', reason: 'the run has not come to it in time' });
    const answer = await until(async () => {
      const each = await command(run, 'resume');
      return codesOf(each)[0] !== 'run::not-running' && each;
    });
    expect(said(answer)).toEqual([504, ['run::timeout']]);
    expect(answer.body.errors[0].help).toContain('log of the run');
    await served.stop();
  });

  it('MC-ANS-024 a run whose log has ended is held by nobody, also while its executor still answers', async () => {
    const { run, served } = await held({ outcome: 'accepted' });
    await served.stop();
    const calls: ControlCall[] = [];
    const closing = world.bus.serve(subject.runControl(run), async ({ data }) => {
      calls.push(read<ControlCall>(data));
      return Buffer.from(JSON.stringify({ outcome: 'over' }));
    });
    const answer = await until(async () => {
      const each = await command(run, 'abort');
      return calls.length > 0 && each;
    });
    expect(said(answer)).toEqual([409, ['run::not-running']]);
    await closing.stop();
  });

  it.each(['suspend', 'resume', 'abort'])(
    'MC-ANS-024 MC-ANS-029 MC-ERR-081 answers 409 run::not-running to %s at once when no executor holds the run',
    async (action) => {
      for (const run of [(await begun()).run, ulid()]) {
        const spent = ownTime();
        expect(said(await command(run, action))).toEqual([409, ['run::not-running']]);
        expect(spent()).toBeLessThan(2_000);
      }
    },
  );

  it('MC-ANS-023 MC-LIM-005 MC-ERR-084 answers 504 run::timeout when the executor does not reply within 30 s', async () => {
    const { run } = await begun();
    const served = world.bus.serve(subject.runControl(run), () => new Promise(() => {}));
    const clock = swiftClock(10);
    const { url: swift } = await world.another(clock);
    const began = clock.now();
    const answer = await coverage.post(`${swift}/v1/runs/${run}/abort`, undefined, ADA);
    expect(said(answer)).toEqual([504, ['run::timeout']]);
    expect(answer.body.errors[0].message).toContain('within 30 s');
    expect(clock.now() - began).toBeGreaterThan(29_000);
    await served.stop();
  });

  it.each(['pause', 'Suspend', 'answer', '%zz'])(
    'MC-ANS-020 MC-ERR-018 answers 404 api::unknown-command to %s',
    async (action) => {
      expect(said(await command(ulid(), action))).toEqual([404, ['api::unknown-command']]);
    },
  );

  it('MC-ANS-029 A-07 answers 404 api::invalid-id for what is no identifier', async () => {
    expect(said(await command('nonsense', 'abort'))).toEqual([404, ['api::invalid-id']]);
  });

  it.each([
    ['suspend', {}],
    ['abort', { choice: 'skip' }],
    ['abort', '{'],
    ['resume', { choice: 1 }],
    ['resume', { choice: null }],
    ['resume', { choose: 'skip' }],
    ['resume', []],
  ])('MC-ANS-021 MC-ANS-027 A-27 refuses %s with body %j', async (action, body) => {
    expect(said(await command((await begun()).run, action, body))).toEqual([400, ['api::invalid-body']]);
  });

  it('http/check.C2 suspend takes no body, and says so of any', async () => {
    for (const body of [{ choice: 'skip' }, { choice: 1 }, '{']) {
      const { errors } = (await command((await begun()).run, 'suspend', body)).body;
      expect(errors).toMatchObject([{ code: 'api::invalid-body', message: 'suspend takes no body' }]);
    }
  });

  it('MC-ANS-026 MC-AUTH-021 MC-AUTH-022 refuses nobody, and a declared name where it does not count', async () => {
    expect(said(await command((await begun()).run, 'abort', '', {}))).toEqual([400, ['api::anonymous']]);
    expect(said(await command(ulid(), 'abort', '', {}))).toEqual([400, ['api::anonymous']]);
    expect(said(await command((await begun('lab')).run, 'abort', '', {}))).toEqual([401, ['api::anonymous']]);
    const flight = (await begun('flight')).run;
    expect(said(await command(flight, 'abort'))).toEqual([401, ['auth::jwt-required']]);
  });

  it('run-policy.Y3 MC-ANS-026 asks for a token also when the environment of the run is no longer configured', async () => {
    const { ir, run } = (await start()).body;
    const gone = new Map(mission.environments);
    gone.delete('flight');
    const { program } = resolved({ ...launch, environment: 'flight' });
    const stored = programDocument(program);
    await world.bus.bucket(buckets.programs).put(stored.ir, Buffer.from(stored.canonical), 0);
    const manned = new TestLog(ulid());
    await manned.add(startedIn('flight', stored.ir));
    const free = new TestLog(run);
    await free.add(startedIn('gone', ir));
    world.missions.publish({ ...mission, environments: gone });
    try {
      expect(said(await command(manned.run, 'abort'))).toEqual([401, ['auth::jwt-required']]);
      expect(said(await command(manned.run, 'abort', '', {}))).toEqual([401, ['api::anonymous']]);
      expect(said(await command(free.run, 'abort'))).toEqual([409, ['run::not-running']]);
    } finally {
      world.missions.publish(mission);
    }
  });
});

/** One request per endpoint that reaches its handler. */
const requests: readonly (readonly [string, string, object | undefined])[] = [
  ['GET', '/v1/runs', undefined],
  ['POST', '/v1/runs', launch],
  ['GET', `/v1/runs/${ulid()}`, undefined],
  ['GET', `/v1/runs/${ulid()}/steps`, undefined],
  ['WS', '/v1/runs/watch', undefined],
  ['WS', `/v1/runs/${ulid()}/events`, undefined],
  ['POST', `/v1/runs/${ulid()}/answers`, { path: 's', accepted: true }],
  ['POST', `/v1/runs/${ulid()}/resume`, { choice: 'skip' }],
];

async function answerOf(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = ADA,
): Promise<Answer> {
  if (method === 'POST') return coverage.post(url + path, body, headers);
  if (method === 'GET') return coverage.call(url + path, { headers });
  const followed = await coverage.follow(url + path, headers);
  followed.close();
  return followed.refused!;
}

describe('on every route of runs', () => {
  it.each(requests)('MC-AUTH-016 %s %s refuses a token without a provider', async (method, path, body) => {
    const answer = await answerOf(method, path, body, { authorization: 'Bearer x' });
    expect(said(answer)).toEqual([401, ['auth::no-provider']]);
  });

  it.each(requests)('MC-ERR-023 %s %s refuses a token that is not good', async (method, path, body) => {
    world.missions.publish({ ...mission, settings: { ...mission.settings, auth: PROVIDER } });
    try {
      const answer = await answerOf(method, path, body, { authorization: 'Bearer x' });
      expect(said(answer)).toEqual([401, ['auth::invalid-token']]);
    } finally {
      world.missions.publish(mission);
    }
  });

  it.each(requests)('MC-AUTH-017 %s %s needs a token with auth.required', async (method, path, body) => {
    world.missions.publish({ ...mission, settings: { ...mission.settings, auth: { required: true } } });
    try {
      expect(said(await answerOf(method, path, body))).toEqual([401, ['auth::token-required']]);
    } finally {
      world.missions.publish(mission);
    }
  });

  it.each(requests)('MC-GEN-026 %s %s refuses an unknown query parameter', async (method, path, body) => {
    const answer = await answerOf(method, `${path}?nonsense=1`, body);
    expect(said(answer)).toEqual([400, ['api::invalid-body']]);
  });

  it.each(requests.filter(([method]) => method === 'POST'))(
    'MC-LIM-022 %s %s refuses what is no body, and one that is too large',
    async (_method, path, body) => {
      for (const wrong of ['{', { ...body, nonsense: 1 }]) {
        expect(said(await coverage.post(url + path, wrong, ADA))).toEqual([400, ['api::invalid-body']]);
      }
      const large = await coverage.post(url + path, { ...body, choice: 'x'.repeat(1_100_000) }, ADA);
      expect(said(large)).toEqual([413, ['api::too-large']]);
    },
  );

  it.each(requests.filter(([method]) => method === 'POST'))(
    'MC-GEN-016 %s %s answers 503 api::no-configuration before there is one',
    async (method, path, body) => {
      world.missions.publish(undefined);
      try {
        expect(said(await answerOf(method, path, body))).toEqual([503, ['api::no-configuration']]);
      } finally {
        world.missions.publish(mission);
      }
    },
  );

  it.each(requests.filter(([method]) => method !== 'POST'))(
    '%s %s needs no configuration: what has run is given by the bus',
    async (method, path) => {
      world.missions.publish(undefined);
      try {
        if (method === 'WS') (await coverage.open(url + path)).close();
        else expect([200, 404]).toContain((await answerOf(method, path)).status);
      } finally {
        world.missions.publish(mission);
      }
    },
  );
});

describe('without a bus', () => {
  beforeAll(async () => {
    await world.nats.kill();
    await until(() => !world.bus.connected);
  });
  afterAll(async () => {
    await world.nats.start();
    await until(() => world.bus.connected);
  });

  it.each(requests)(
    'MC-GEN-017 MC-ERR-022 %s %s answers 503 api::unavailable fast',
    async (method, path, body) => {
      const spent = ownTime();
      expect(said(await answerOf(method, path, body))).toEqual([503, ['api::unavailable']]);
      expect(spent()).toBeLessThan(3_000);
    },
  );

  it('MC-GEN-027 still refuses first what is wrong with the request itself', async () => {
    expect(said(await start({ ...launch, run: 'lok' }))).toEqual([422, ['run::unknown-procedure']]);
  });
});

describe('after the bus came back', () => {
  it('launches and lists again', async () => {
    const { body } = await until(async () => {
      const answer = await start();
      return answer.status === 202 && answer;
    });
    await until(async () => {
      const answer = await coverage.call(`${url}/v1/runs`);
      return answer.status === 200 && answer.body.runs[0]?.run === body.run;
    });
  });
});

describe('the table', () => {
  it('MC-ERR-118 has no route, status or code that no test above has seen', () => {
    expect(coverage.missing()).toEqual([]);
  });
});
