import { describe, expect, it } from 'vitest';
import { Outage } from '../../contract/outage.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { HeapClock } from '../../supervision/clock.ts';
import type { Role, RoleContext, RoleName } from '../../supervision/role.ts';
import { Tree } from '../../supervision/tree.ts';
import { LogBus } from '../actors/telecommand/log-bus.ts';
import { settled } from '../support/manual-clock.ts';
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

describe('a role with something that cannot wait', () => {
  /** Roles that say what is done with them, and fail when asked to. */
  async function rolesOf(ends: Record<string, Partial<Role>>) {
    const { tree } = treeOf();
    const done: string[] = [];
    const fail = new Map<string, (reason: string) => void>();
    for (const [name, { halt, stop }] of Object.entries(ends) as [RoleName, Partial<Role>][])
      await tree.start(name, async ({ failed }) => {
        fail.set(name, failed);
        return {
          shared: [],
          ...(halt !== undefined && {
            halt: () => {
              done.push(`${name} halts`);
              return halt();
            },
          }),
          stop: async () => {
            done.push(`${name} stops`);
            await stop?.();
          },
        };
      });
    return { tree, done, fail: (name: RoleName) => fail.get(name)!('broken') };
  }

  const inVain = async (): Promise<void> => {
    throw new Error('the board does not answer');
  };

  it('supervision/tree.T1 is halted at once when it fails, whatever the stop of another role waits for', async () => {
    const waiting = new Promise<void>(() => undefined);
    const { done, fail } = await rolesOf({
      executor: { stop: () => waiting },
      bench: { halt: async () => undefined },
    });
    fail('executor');
    await settled();
    fail('bench');
    expect(done).toEqual(['executor stops', 'bench halts']);
  });

  it('supervision/tree.T1 is stopped behind that, once', async () => {
    let halted = (): void => undefined;
    const halt = (): Promise<void> =>
      new Promise((resolve) => {
        halted = resolve;
      });
    const { done, fail } = await rolesOf({ bench: { halt } });
    fail('bench');
    await settled();
    expect(done).toEqual(['bench halts']);
    halted();
    await settled();
    expect(done).toEqual(['bench halts', 'bench stops']);
  });

  it.each([
    ['in vain', inVain],
    [
      'by a defect',
      () => {
        throw new TypeError('no board');
      },
    ],
  ])(
    'supervision/tree.T1 is stopped also where it was halted %s, and keeps no other role from being halted',
    async (_how, halt) => {
      const { tree, done, fail } = await rolesOf({
        bench: { halt },
        gateways: { halt: async () => undefined },
      });
      await tree.halt();
      expect(done).toEqual(['bench halts', 'gateways halts']);
      fail('bench');
      await settled();
      expect(done.slice(2)).toEqual(['bench halts', 'bench stops']);
      await tree.drain();
    },
  );
});

function never(): never {
  throw new Error('nothing is started');
}
