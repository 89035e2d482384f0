/**
 * Two processes of one machine in PID namespaces of their own, as two containers run them: both have the same pid and
 * the same host name. Each takes the other for alive (membership.E3), and a state directory has one of them
 * (state-lock.L3).
 */

import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { DEMO } from '../support/demo-cell.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

const CONTAINER = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
const mayUnshare = spawnSync(CONTAINER[0]!, [...CONTAINER.slice(1), 'true']).status === 0;
/** Longer than it takes to be taken for dead and to take over. */
const BEATS = 6;

let nats: TestNats;
let bus: NatsBus;
beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
});
afterAll(async () => {
  await endAllMcs();
  await nats.stop();
});

interface Member {
  readonly pid: number;
  readonly host: string;
}

async function membersSeen(): Promise<Map<string, { member: Member; revision: number }>> {
  const seen = new Map<string, { member: Member; revision: number }>();
  const watch = await bus.bucket(buckets.members).watch('member.*', (key, entry) => {
    if (entry === undefined) return;
    const member = JSON.parse(Buffer.from(entry.value).toString()) as Member;
    seen.set(key.slice('member.'.length), { member, revision: entry.revision });
  });
  await watch.ready;
  await watch.stop();
  return seen;
}

/** The owner of each partition and the revision that made it so. */
async function ownerships(): Promise<Map<string, string>> {
  const owners = new Map<string, string>();
  const watch = await bus.bucket(buckets.members).watch('partition.>', (key, entry) => {
    if (entry !== undefined) owners.set(key, `${Buffer.from(entry.value).toString()} ${entry.revision}`);
  });
  await watch.ready;
  await watch.stop();
  return owners;
}

function inContainer(instance: string): Promise<Mcs> {
  const at = ['--nats', nats.url, '--credentials', nats.credentialsFile];
  return startMcs({
    args: ['serve', '--port', '0', '--mission', DEMO, ...at],
    env: { MCS_INSTANCE: instance },
    within: CONTAINER,
  });
}

describe.runIf(mayUnshare)('two containers of one machine', () => {
  it('share the work of a cell and take nothing from each other', async () => {
    const [one, other] = [await inContainer('one'), await inContainer('other')];
    const sharesSettled = async () => {
      const text = [...(await ownerships()).values()].join();
      return text.includes('"one"') && text.includes('"other"') && !text.includes('null');
    };
    await until(sharesSettled, { timeoutMs: 30_000, what: 'both owning a share' });
    const begun = await membersSeen();
    const [first, second] = ['one', 'other'].map((name) => begun.get(name)!);
    expect([second!.member.pid, second!.member.host]).toEqual([first!.member.pid, first!.member.host]);
    const before = await ownerships();
    await until(
      async () =>
        [...(await membersSeen())].every(
          ([name, { revision }]) => revision > begun.get(name)!.revision + BEATS,
        ),
      { timeoutMs: 30_000, what: 'heartbeats of both' },
    );
    expect(await ownerships()).toEqual(before);
    for (const { errors } of [one, other])
      expect(errors()).not.toMatch(/ownership lost|no heartbeat in time/);
    await Promise.all([one.kill('SIGKILL'), other.kill('SIGKILL')]);
  }, 90_000);

  it('do not open one state directory at once, and the second one has it when the first is killed', async () => {
    const state = await mkdtemp(join(tmpdir(), 'mcs-containers-'));
    const serve = (unready: boolean) =>
      startMcs({ args: ['serve', '--port', '0', '--state', state], within: CONTAINER, unready });
    const holder = await serve(false);
    const refused = await serve(true);
    expect((await refused.exited).code).not.toBe(0);
    expect(refused.errors()).toContain(`state directory ${state} is in use`);
    await holder.kill('SIGKILL');
    const heir = await serve(false);
    await heir.kill('SIGKILL');
    await rm(state, { recursive: true, force: true });
  }, 90_000);
});
