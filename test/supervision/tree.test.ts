import { describe, expect, it } from 'vitest';
import { Outage } from '../../contract/outage.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { HeapClock } from '../../supervision/clock.ts';
import type { Role, RoleContext } from '../../supervision/role.ts';
import { Tree } from '../../supervision/tree.ts';
import { LogBus } from '../actors/telecommand/log-bus.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';

function treeOf() {
  const clock = new HeapClock(0);
  const escalations: string[] = [];
  const bus = new LogBus();
  const tree = new Tree({
    instance: 'here',
    clock,
    random: seededRandom(1),
    log: keptLog(),
    membership: { holds: true, alive: () => [], isAlive: () => false } as never,
    pulse: bus as never,
    context: { bus, clock, missions: { onChange: () => () => undefined } } as never,
    escalated: (reason) => escalations.push(reason),
  });
  return { tree, clock, bus, escalations };
}

const nothing: Role = { shared: [], stop: async () => undefined };

describe('the root of the tree', () => {
  it('gives the process up, once and saying which role and why, when a role does not repair', async () => {
    const { tree, clock, escalations } = treeOf();
    let starts = 0;
    await tree.start('executor', async ({ failed }: RoleContext) => {
      starts += 1;
      queueMicrotask(() => failed('its watch is broken'));
      return nothing;
    });
    await until(() => {
      clock.advance(500);
      return escalations.length > 0;
    });
    expect(starts).toBe(4);
    expect(escalations).toEqual(['process: executor kept failing within 60 s: its watch is broken']);
    await tree.drain();
  });

  it('waits for the bus with a role that it starts again, at no cost of patience', async () => {
    const { tree, clock, escalations } = treeOf();
    let starts = 0;
    let fail: (reason: string) => void = () => undefined;
    await tree.start('executor', async ({ failed }: RoleContext) => {
      starts += 1;
      if (starts > 1 && starts < 10) throw new Outage('bus.unavailable', 'away');
      fail = failed;
      return nothing;
    });
    fail('broken once');
    await until(() => {
      clock.advance(600);
      return starts === 10;
    });
    expect(escalations).toEqual([]);
    await tree.drain();
  });

  it('leaves nothing behind of a role that could not be started whole', async () => {
    const { tree, bus } = treeOf();
    let stopped = 0;
    const role: Role = {
      shared: [{ role: { role: 'executor', prefix: 'lane', start: async () => never() }, names: () => [] }],
      stop: async () => {
        stopped += 1;
      },
    };
    bus.bucket = () => {
      throw new Outage('bus.unavailable', 'away');
    };
    await expect(tree.start('executor', async () => role)).rejects.toThrow(Outage);
    expect(stopped).toBe(1);
  });
});

function never(): never {
  throw new Error('nothing is started');
}
