import { describe, expect, it } from 'vitest';
import { telecommandLog } from '../../../actors/telecommand/replay.ts';
import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { SendFailure } from '../../../contract/telecommand.ts';
import type { Verification } from '../../../mission/platform.ts';
import { compileChart } from '../../../supervision/inspection/chart.ts';
import { activeIds } from '../../../supervision/inspection/entity-view.ts';
import { replay } from '../../../supervision/inspection/replay.ts';
import {
  cellOf,
  idOf,
  type LaneWorld,
  laneWorld,
  missionOf,
  obliging,
  recorded,
  submit,
} from '../../actors/telecommand/lane-world.ts';
import { LogBus } from '../../actors/telecommand/log-bus.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const WINDOW: Verification = { expect: undefined, fail: undefined, reports: 'completion', withinMs: 5_000 };

interface Lived {
  readonly active: readonly string[];
  readonly context: unknown;
  readonly taken: readonly string[];
}

function world(verify: Verification | undefined): LaneWorld {
  const clock = new ManualClock(1_000_000);
  const bus = new LogBus();
  obliging(bus, clock);
  return laneWorld({ bus, clock, mission: missionOf(verify) });
}

/** Every step the chart of telecommand 1 takes, as seen on the living cell. */
function lived(one: LaneWorld): Lived[] {
  const steps: Lived[] = [];
  const { kind } = one;
  const chart = compileChart('telecommand', 1, kind.binding.chart);
  kind.watch(cellOf(1), {
    opened: (cell) => {
      cell.watch({
        stepped: ({ snapshot, taken }) =>
          void steps.push({
            active: activeIds(snapshot),
            context: snapshot.context,
            taken: chart.edgesOf(taken),
          }),
      });
    },
    left: () => undefined,
  });
  return steps;
}

async function historyOf(one: LaneWorld) {
  const log = await telecommandLog(one.bus, cellOf(1));
  return replay(one.kind.binding, cellOf(1), log!);
}

/** Runs telecommand 1 to its end and compares its last lived step with the last of its history. */
async function both(one: LaneWorld, ms: number) {
  const steps = lived(one);
  await submit(one.bus, 1);
  await one.lane.start();
  await one.run(ms);
  await one.lane.stop();
  expect(one.kind.peek(cellOf(1))).toBeUndefined();
  return { steps, history: await historyOf(one) };
}

describe('the history of a telecommand, from its log alone', () => {
  it('is what its chart did: states, contexts and edges, to a verification that came too late', async () => {
    const { steps, history } = await both(world(WINDOW), 10_000);
    expect(history.steps.map(({ event }) => event)).toEqual(['PENDING', 'ENCODED', 'SENT', 'VERIFY_TIMEOUT']);
    expect(history.final).toBe(true);
    // What was lived before the cell was watched is its beginning; the rest is edge by edge the same.
    const [first, ...rest] = history.steps;
    expect(first!.taken).toEqual(['telecommand.PENDING.taken|always|1']);
    expect(first!.active).toEqual(['telecommand.PENDING', 'telecommand.PENDING.checking']);
    expect(rest.flatMap(({ taken }) => taken)).toEqual(steps.flatMap(({ taken }) => taken));
    const livedAt = (state: string) => steps.find(({ active }) => active.includes(`telecommand.${state}`));
    for (const step of rest) {
      expect(step.active).toEqual(livedAt(step.event)?.active);
      expect(step.context).toEqual(livedAt(step.event)?.context);
    }
    expect(history.steps.at(-1)!.taken).toEqual([
      'telecommand.SENT|xstate.after.verificationTimeout.telecommand.SENT|0',
    ]);
  });

  it('shows each record of a macrostep in its own state: SENT, then COMPLETE', async () => {
    const { history } = await both(world(undefined), 1_000);
    expect(history.steps.map(({ event, active }) => [event, active.at(-1)])).toEqual([
      ['PENDING', 'telecommand.PENDING.checking'],
      ['ENCODED', 'telecommand.ENCODED'],
      ['SENT', 'telecommand.SENT.deciding'],
      ['COMPLETE', 'telecommand.COMPLETE'],
    ]);
    expect(history.steps.at(-1)!.taken).toEqual(['telecommand.SENT.deciding|always|0']);
  });

  it('tells a telecommand refused at take-up from one whose requirement failed', async () => {
    const refusedAt = (asked: number) => {
      let times = 0;
      const refusal = async () => {
        times += 1;
        return times === asked ? 'held by a run' : undefined;
      };
      const one = world(WINDOW);
      const { bus, clock } = one;
      return laneWorld({
        bus,
        clock,
        mission: missionOf(WINDOW),
        holds: { refusal, unheld: async () => undefined, stop: async () => undefined },
      });
    };
    const early = await both(refusedAt(1), 1_000);
    expect(early.history.steps.map(({ event, active, taken }) => [event, active.at(-1), taken])).toEqual([
      ['PENDING', 'telecommand.PENDING.taken', []],
      ['REJECTED', 'telecommand.REJECTED', ['telecommand.PENDING.taken|always|0']],
    ]);
    const late = await both(refusedAt(2), 1_000);
    expect(late.history.steps.at(-1)).toMatchObject({
      detail: 'held by a run',
      taken: ['telecommand.PENDING.checking|requires.failed|0'],
    });
  });

  it('takes the edge of what the gateway did: refused, or unknown', async () => {
    const edgesWhen = async (reply: object) => {
      const one = world(WINDOW);
      const { answer } = one.bus;
      one.bus.answer = (to, call) => (to.endsWith('.send') ? reply : answer(to, call));
      const { history } = await both(one, 1_000);
      return history.steps.at(-1)!.taken;
    };
    expect(await edgesWhen({ outcome: 'refused', detail: 'no pass' })).toEqual([
      'telecommand.ENCODED|gateway.refused|0',
    ]);
    expect(await edgesWhen({ outcome: 'unknown', detail: 'nobody knows' })).toEqual([
      'telecommand.ENCODED|gateway.unknown|1',
    ]);
  });

  it('goes by what the gateway did and not by its words; where an older log has only words, by them', async () => {
    const failed = async (detail: string, failure?: SendFailure) => {
      const one = world(WINDOW);
      await recorded(one.bus, 1, 'PENDING', 'ENCODED');
      const headers = {
        [header.epoch]: '0',
        ...(failure !== undefined && { [header.outcome]: JSON.stringify(failure) }),
      };
      const event = { tc: idOf(1), state: 'SEND_FAILED', at: new Date(one.bus.now()).toISOString(), detail };
      const body = Buffer.from(JSON.stringify(event));
      await one.bus.append(streams.telecommandEvents, subject.tcEvent('sat1', idOf(1)), body, { headers });
      return (await historyOf(one)).steps.at(-1)!.taken;
    };
    const [refused, unknown] = [
      'telecommand.ENCODED|gateway.refused|0',
      'telecommand.ENCODED|gateway.unknown|1',
    ];
    expect(await failed('nobody knows this target', { outcome: 'refused' })).toEqual([refused]);
    expect(await failed('lost', { outcome: 'unknown' })).toEqual([unknown]);
    expect(await failed('no pass')).toEqual([refused]);
    expect(await failed('nobody knows whether it left')).toEqual([unknown]);
    const outcome = { nonsense: 1 } as unknown as SendFailure;
    expect(await failed('nobody knows whether it left', outcome)).toEqual([unknown]);
  });

  it('shows a telecommand that is still under way as far as it has come', async () => {
    const one = world(WINDOW);
    await submit(one.bus, 1);
    await one.lane.start();
    await one.run(10);
    const history = await historyOf(one);
    expect(history.final).toBe(false);
    expect(history.steps.at(-1)!.active).toEqual(['telecommand.SENT', 'telecommand.SENT.verifying']);
    await one.lane.stop();
  });

  it('records an echo beside the chain, also behind the final state', async () => {
    const one = world(WINDOW);
    await recorded(one.bus, 1, 'PENDING', 'ENCODED', 'SENT', 'ECHO', 'VERIFY_TIMEOUT', 'ECHO');
    const history = await historyOf(one);
    expect(history.steps.map(({ event, active }) => [event, active.at(-1)]).slice(2)).toEqual([
      ['SENT', 'telecommand.SENT.verifying'],
      ['ECHO', 'telecommand.SENT.verifying'],
      ['VERIFY_TIMEOUT', 'telecommand.VERIFY_TIMEOUT'],
      ['ECHO', 'telecommand.VERIFY_TIMEOUT'],
    ]);
  });

  it('follows the log where the chart would not have gone, and names no edge there', async () => {
    const one = world(WINDOW);
    await recorded(one.bus, 1, 'PENDING', 'SENT', 'VERIFIED');
    const { steps, final } = await historyOf(one);
    expect(steps.map(({ event, active, taken }) => [event, active[0], taken])).toEqual([
      ['PENDING', 'telecommand.PENDING', ['telecommand.PENDING.taken|always|1']],
      ['SENT', 'telecommand.SENT', []],
      ['VERIFIED', 'telecommand.VERIFIED', ['telecommand.SENT|verification.satisfied|0']],
    ]);
    expect(final).toBe(true);
  });

  it('shows a log whose beginning is no longer kept', async () => {
    const one = world(WINDOW);
    await recorded(one.bus, 1, 'ENCODED', 'SENT');
    const { steps } = await historyOf(one);
    expect(steps.map(({ event, active }) => [event, active[0]])).toEqual([
      ['ENCODED', 'telecommand.ENCODED'],
      ['SENT', 'telecommand.SENT'],
    ]);
  });

  it.each([
    'sat1',
    'sat1.nothing',
    'sat 1.01J00000000000000000000001',
    '',
    'sat1.01J00000000000000000000001',
  ])('has none for %j', async (id) => {
    expect(await telecommandLog(new LogBus(), id)).toBeUndefined();
  });
});
