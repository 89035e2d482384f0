/** What a run does before it gives its targets back: nothing of it can leave any more. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Leases } from '../../../actors/run/leases.ts';
import { Sendings, type SentEvent } from '../../../actors/run/sendings.ts';
import { standDown, unconfirmedText } from '../../../actors/run/stand-down.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { FENCE_MS } from '../../../contract/limits/telecommand.ts';
import type { FenceCall } from '../../../contract/link.ts';
import { Outage } from '../../../contract/outage.ts';
import type { RunEvent } from '../../../contract/run-event.ts';
import type { TargetHolds } from '../../../contract/target-holds.ts';
import type { SendFailure, TcSubmission } from '../../../contract/telecommand.ts';
import { realClock } from '../../../supervision/clock.ts';
import { TwinServer } from '../../simulation/twin/server.ts';
import { TwinBus } from '../../simulation/twin/twin-bus.ts';
import { fairWeather } from '../../simulation/twin/weather.ts';
import { demoMission } from '../../support/missions.ts';
import { leaf, newRun, programOf, setWatchdog } from '../../support/run-program.ts';
import { keptLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';

const mission = demoMission();
const program = programOf(mission.revision, [leaf('a', [setWatchdog(60)])]);
const SOON_MS = 300;
let bus: TwinBus;
let run: string;
let tc: string;
let leases: Leases;

beforeEach(async () => {
  const server = new TwinServer({ now: () => realClock.now(), choose: (count) => count - 1 });
  const clocks = { outside: realClock, inside: realClock };
  bus = new TwinBus({ server, name: 'test', settleMs: 0, ...clocks, weather: fairWeather, log: keptLog() });
  await until(() => bus.connected);
  [run, tc, leases] = [newRun(), newRun(), new Leases(bus)];
  await leases.take(run, program.leases);
});
afterEach(() => bus.close());

const sent = (): SentEvent => ({
  run,
  seq: 4,
  at: new Date().toISOString(),
  event: 'telecommand_sent',
  path: 'a',
  tc,
  target: 'sat1',
  telecommand: 'obc.set_watchdog',
  changes_state: true,
});

async function reached(
  state: string,
  failure?: SendFailure,
  at = Date.now(),
  gateway?: string,
): Promise<void> {
  const event = { tc, state, at: new Date(at).toISOString() };
  const headers = {
    ...(failure !== undefined && { [header.outcome]: JSON.stringify(failure) }),
    ...(gateway !== undefined && { [header.gateway]: gateway }),
  };
  const body = Buffer.from(JSON.stringify(event));
  await bus.append(streams.telecommandEvents, subject.tcEvent('sat1', tc), body, { headers });
}

async function submitted(): Promise<number> {
  const body = Buffer.from(JSON.stringify({ id: tc, run, target: 'sat1' }));
  const stored = await bus.append(streams.telecommands, subject.tcSubmit('sat1'), body, { id: tc });
  return 'seq' in stored ? stored.seq : 0;
}

async function stand(withinMs = 20_000): Promise<{ marked: boolean; tookMs: number; texts: string[] }> {
  const began = performance.now();
  let marked = false;
  const unconfirmed = await standDown({
    bus,
    clock: realClock,
    open: [sent()],
    withinMs,
    run: { run, by: 'ana', program, mission },
    mark: async (targets) => {
      marked = true;
      await leases.leave(run, targets);
    },
  });
  return { marked, tookMs: performance.now() - began, texts: unconfirmed.map(unconfirmedText) };
}

const holders = async (): Promise<TargetHolds['holders']> => {
  const entry = await bus.bucket(buckets.leases).get('sat1');
  return (JSON.parse(Buffer.from(entry!.value).toString()) as TargetHolds).holders;
};

describe('a run stands down', () => {
  it.each([
    ['SENT'],
    ['VERIFIED'],
    ['REJECTED'],
    ['ENCODE_FAILED'],
    ['SEND_FAILED', { outcome: 'refused' }],
  ] as const)('stand-down.Z4 at once where its telecommand is %s', async (state, failure?: SendFailure) => {
    await reached(state, failure);
    expect(await stand()).toMatchObject({ marked: false });
  });

  it('stand-down.Z1 Z2 by its mark alone where the lane had not begun it: what was not submitted is withdrawn', async () => {
    expect(await stand()).toMatchObject({ marked: true });
    expect(await holders()).toMatchObject([{ run, leaving: true }]);
    const last = await bus.last(streams.telecommands, subject.tcSubmit('sat1'));
    const submission = JSON.parse(Buffer.from(last!.data).toString()) as TcSubmission;
    expect(submission).toMatchObject({ id: tc, run, withdrawn: expect.stringContaining('withdrawn') });
    // What was on its way to the bus is a duplicate.
    expect(await submitted()).toBe(last!.seq);
  });

  it.each([
    ['ENCODED', undefined],
    ['SEND_FAILED', { outcome: 'unknown' }],
    ['SEND_FAILED', { outcome: 'refused', earlier: 'unknown' }],
    ['SEND_FAILED', undefined],
  ] as const)(
    'stand-down.Z3 by the fence of its gateway where nobody knows: %s %j',
    async (state, failure) => {
      const seq = await submitted();
      await reached(state, failure);
      const fences: FenceCall[] = [];
      const serving = bus.serve(subject.gatewayVerb('sim-1', 'fence'), async ({ data }) => {
        fences.push(JSON.parse(Buffer.from(data).toString()) as FenceCall);
        expect(await holders()).toMatchObject([{ run, leaving: true }]);
        return Buffer.from('{"fenced":true}');
      });
      expect(await stand()).toMatchObject({ marked: true });
      expect(fences).toEqual([{ target: 'sat1', run, upTo: seq }]);
      await serving.stop();
    },
  );

  it.each([
    ['ENCODED', undefined],
    ['SEND_FAILED', { outcome: 'unknown' }],
  ] as const)(
    'stand-down.Z6 MC-PASS-050 by the fence of the gateway that it was given for a pass: %s',
    async (state, failure) => {
      await submitted();
      await reached(state, failure, Date.now(), 'kiruna-1');
      const fenced: string[] = [];
      const serving = ['sim-1', 'kiruna-1'].map((name) =>
        bus.serve(subject.gatewayVerb(name, 'fence'), async () => {
          fenced.push(name);
          return Buffer.from('{"fenced":true}');
        }),
      );
      expect(await stand()).toMatchObject({ marked: true, texts: [] });
      expect(fenced).toEqual(['kiruna-1']);
      for (const each of serving) await each.stop();
    },
  );

  it.each([
    ['is silent', undefined],
    ['answers with what is no fence', '{"fenced":false}'],
    ['answers with what is no JSON', 'yes'],
  ])('stand-down.Z3 Z5 A-71 by the time that the frame had where its gateway %s', async (_name, answer) => {
    await submitted();
    await reached('ENCODED');
    const serving = bus.serve(subject.gatewayVerb('sim-1', 'fence'), async () =>
      answer === undefined ? new Promise<never>(() => undefined) : Buffer.from(answer),
    );
    const { tookMs, texts } = await stand(SOON_MS);
    expect(tookMs).toBeGreaterThanOrEqual(SOON_MS - 1);
    // stand-down.Z5
    expect(texts).toEqual([`${tc} to sat1 (gateway sim-1 does not answer)`]);
    await serving.stop();
  });

  it('stand-down.Z3 by the fence of its gateway where its last event cannot be read', async () => {
    await submitted();
    await bus.append(streams.telecommandEvents, subject.tcEvent('sat1', tc), Buffer.from('{"state":7'));
    const serving = bus.serve(subject.gatewayVerb('sim-1', 'fence'), async () =>
      Buffer.from('{"fenced":true}'),
    );
    expect(await stand()).toMatchObject({ marked: true, texts: [] });
    await serving.stop();
  });

  it('stand-down.Z3 once its telecommand is known to have left, whatever the gateway says', async () => {
    await submitted();
    await reached('ENCODED');
    const standing = stand();
    await until(async () => (await holders())[0]?.leaving === true);
    await reached('SENT');
    expect(await standing).toMatchObject({ marked: true, texts: [] });
  });

  it('stand-down.Z5 by its time where nobody knows which gateway was asked, and says so', async () => {
    await reached('ENCODED');
    const unconfirmed = await standDown({
      bus,
      clock: realClock,
      open: [sent()],
      withinMs: SOON_MS,
      run: { run, by: 'ana', program: undefined, mission: undefined },
      mark: async () => undefined,
    });
    expect(unconfirmed.map(unconfirmedText)).toEqual([`${tc} to sat1 (its gateway is not known)`]);
  });

  it('stand-down.Z3 where nobody knew is over by now', async () => {
    await reached('SEND_FAILED', { outcome: 'unknown' }, Date.now() - FENCE_MS - 1_000);
    expect(await stand()).toMatchObject({ marked: false });
  });
});

describe('holds that are taken', () => {
  it('A-71 count from the last submission on, and go on counting for whoever takes the run over', async () => {
    const seq = await submitted();
    await leases.take(run, program.leases, { isOwner: () => true, again: true });
    expect(await holders()).toEqual([{ run, mode: 'exclusive' }]);
    await leases.leave(run, ['sat1']);
    await leases.take(run, program.leases, { isOwner: () => true, again: true });
    expect(await holders()).toEqual([{ run, mode: 'exclusive', from: seq }]);
    await leases.release(run, ['sat1']);
    await leases.take(run, program.leases);
    expect(await holders()).toEqual([{ run, mode: 'exclusive', from: seq }]);
  });

  it('leases.B4 are not marked by an owner that was overtaken, nor by one that holds nothing', async () => {
    await expect(leases.leave(run, ['sat1'], () => false)).rejects.toThrow(Outage);
    await leases.leave('another', ['sat1']);
    expect(await holders()).toEqual([{ run, mode: 'exclusive' }]);
  });
});

describe('the telecommands of a log that may be under way', () => {
  const ended = (state: string, ms = 0): RunEvent => ({
    run,
    seq: 5,
    at: new Date(1_000_000 + ms).toISOString(),
    event: 'telecommand_finished',
    path: 'a',
    tc,
    state,
    acks: [],
  });
  const open = (...events: RunEvent[]): string[] => new Sendings(events).open.map((each) => each.tc);

  it('O1 O2 are those without an end, and those of which nobody may know', () => {
    expect(open(sent())).toEqual([tc]);
    for (const state of ['VERIFIED', 'REJECTED', 'COMPLETE']) expect(open(sent(), ended(state))).toEqual([]);
    expect(open(sent(), ended('SEND_FAILED'))).toEqual([tc]);
    const later: RunEvent = { ...ended('REJECTED', FENCE_MS + 1), tc: 'other' } as RunEvent;
    expect(open(sent(), ended('SEND_FAILED'), later)).toEqual([]);
    const suspended: RunEvent = { run, seq: 6, at: '', event: 'suspended', path: 'a', by: 'ana' };
    expect(open(sent(), suspended)).toEqual([]);
  });
});
