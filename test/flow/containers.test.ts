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
import { highestRanked } from '../../supervision/ownership/ranking.ts';
import { DEMO } from '../support/demo-cell.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

const CONTAINER = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
const mayUnshare = spawnSync(CONTAINER[0]!, [...CONTAINER.slice(1), 'true']).status === 0;
/** Longer than a busy machine stands still, and the beats of each that are longer than that. */
const MEMBER_TTL_MS = 9_000;
const BEATS = 8;

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
async function ownerships(): Promise<Map<string, { owner: string | null; revision: number }>> {
  const owners = new Map<string, { owner: string | null; revision: number }>();
  const watch = await bus.bucket(buckets.members).watch('partition.>', (key, entry) => {
    if (entry === undefined) return;
    const { owner } = JSON.parse(Buffer.from(entry.value).toString()) as { owner: string | null };
    owners.set(key, { owner, revision: entry.revision });
  });
  await watch.ready;
  await watch.stop();
  return owners;
}

function inContainer(instance: string): Promise<Mcs> {
  const at = ['--nats', nats.url, '--credentials', nats.credentialsFile];
  return startMcs({
    args: ['serve', '--port', '0', '--mission', DEMO, ...at],
    env: { MCS_INSTANCE: instance, MCS_MEMBER_TTL_MS: String(MEMBER_TTL_MS) },
    within: CONTAINER,
  });
}

describe.runIf(mayUnshare)('two containers of one machine', () => {
  it('share the work of a cell and take nothing from each other', async () => {
    const [one, other] = [await inContainer('one'), await inContainer('other')];
    // What is still to be handed over is so, also while both own some.
    const sharesSettled = async () => {
      const owners = [...(await ownerships())].map(([key, { owner }]) => {
        const [, , ...name] = key.split('.');
        return { owner, ranked: highestRanked(name.join('.'), ['one', 'other']) };
      });
      const isShared = new Set(owners.map(({ owner }) => owner)).size === 2;
      return isShared && owners.every(({ owner, ranked }) => owner === ranked);
    };
    await until(sharesSettled, { timeoutMs: 60_000, what: 'each owning its share' });
    const begun = await membersSeen();
    const [first, second] = ['one', 'other'].map((name) => begun.get(name)!);
    expect([second!.member.pid, second!.member.host]).toEqual([first!.member.pid, first!.member.host]);
    const before = await ownerships();
    const beats = new Set<string>();
    const countOf = (name: string): number => [...beats].filter((beat) => beat.startsWith(`${name} `)).length;
    await until(
      async () => {
        for (const [name, { revision }] of await membersSeen()) beats.add(`${name} ${revision}`);
        return countOf('one') > BEATS && countOf('other') > BEATS;
      },
      { timeoutMs: 90_000, what: 'heartbeats of both' },
    );
    expect(await ownerships()).toEqual(before);
    for (const { errors } of [one, other])
      expect(errors()).not.toMatch(/ownership lost|no heartbeat in time/);
    await Promise.all([one.kill('SIGKILL'), other.kill('SIGKILL')]);
  }, 240_000);

  it('do not open one state directory at once, and the second one has it when the first is killed', async () => {
    const state = await mkdtemp(join(tmpdir(), 'mcs-containers-'));
    const serve = (unready: boolean) =>
      startMcs({ args: ['serve', '--port', '0', '--state', state], within: CONTAINER, unready });
    const holder = await serve(false);
    const refused = await serve(true);
    const isOver = (): boolean => refused.child.exitCode !== null || refused.output() !== '';
    await until(isOver, { timeoutMs: 60_000, what: 'the second one to end' });
    expect(refused.output(), 'it does not begin').toBe('');
    expect((await refused.exited).code).not.toBe(0);
    expect(refused.errors()).toContain(`state directory ${state} is in use`);
    await holder.kill('SIGKILL');
    const heir = await serve(false);
    await heir.kill('SIGKILL');
    await rm(state, { recursive: true, force: true });
  }, 240_000);
});
