/**
 * The alarm leader is killed: how long until a standby has recorded what the next sample changes. Each standby that
 * takes over is the next to be killed. Beside it stands `reconciler.leader_ttl`, within which the specification wants
 * it (Mission Control Service, section 4.4, recovery).
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { compile } from '../../mission/compile.ts';
import { load } from '../../mission/load.ts';
import type { Platform } from '../../mission/platform.ts';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { type Ground, startGround } from '../ground.ts';
import { LIMIT_PLATFORM, limitMission, NOMINAL, OUTSIDE } from '../limit-mission.ts';
import { type Peer, startPeer } from '../peer.ts';
import type { Figure, Row } from '../row.ts';
import { takeoverFigure, until } from '../takeover.ts';
import { valueMessage } from '../value-message.ts';

const TARGET = 'sat1';
const ALARM = `${TARGET}.bank.1.m1`;
const COUNTS = {
  full: { near: 10, far: 6, leaderTtlMs: 10_000 },
  quick: { near: 1, far: 1, leaderTtlMs: 2_000 },
};

/** Of a lease in its time to live, as `supervision/ownership/leader.ts` has it. */
const RENEWALS = 3;

/** A standby on a machine of its own, and how long after a renewal it has seen the leader dies. */
interface Elsewhere {
  readonly host: string;
  readonly afterMs: number;
}

interface Kill {
  /** From the signal until the lead was taken, and until the transition was in the record. */
  readonly takenMs: number;
  readonly recordedMs: number;
}

export const alarmFailoverRow: Row = {
  name: 'alarms.failover',
  async run({ quick }) {
    const { near, far, leaderTtlMs } = quick ? COUNTS.quick : COUNTS.full;
    const ground = await startGround();
    const service = new Succession(ground, await publishMission(ground, leaderTtlMs));
    try {
      await service.begin();
      const nearKills: Kill[] = [];
      for (let n = 0; n < near; n += 1) nearKills.push(await service.kill());
      const farKills: Kill[] = [];
      for (let n = 0; n < far; n += 1) {
        // Spread over the time between two renewals: what is left of the lease is what a standby elsewhere waits for.
        const afterMs = (((n + 0.5) / far) * leaderTtlMs) / RENEWALS;
        farKills.push(await service.kill({ host: `machine-${n}`, afterMs }));
      }
      return [
        {
          row: 'alarms.failover',
          unit: 'failovers/s',
          note: `${near} leaders killed on the machine of the standby, ${far} as if on another; p99 is the longest`,
          figures: [
            ...figuresOf('same machine', nearKills),
            ...figuresOf('another machine', farKills),
            takeoverFigure('reconciler.leader_ttl', [leaderTtlMs]),
          ],
        },
      ];
    } finally {
      await service.end();
      await ground.end();
    }
  },
};

async function publishMission({ bus }: Ground, leaderTtlMs: number): Promise<Platform> {
  const compiled = compile([
    ...limitMission({ targets: [TARGET], pages: 1, measures: 1 }),
    { file: 'config.yaml', text: `reconciler: { leader_ttl: ${leaderTtlMs} ms }\n` },
  ]);
  if (!compiled.ok) throw new Error(compiled.faults.map(({ message }) => message).join('\n'));
  await publishConfiguration(bus, compiled.value);
  return load(compiled.value.configuration, compiled.value.revision).platforms.get(LIMIT_PLATFORM)!;
}

/** Leaders one after the other, over one alarm that changes with every sample. */
class Succession {
  readonly #ground: Ground;
  readonly #platform: Platform;
  readonly #peers: Peer[] = [];
  #leader: Peer | undefined;
  #owner: string | undefined;
  #renewals = 0;
  #takenAt = 0;
  #recorded = 0;
  #recordedAt = 0;
  #samples = 0;

  constructor(ground: Ground, platform: Platform) {
    this.#ground = ground;
    this.#platform = platform;
  }

  /** Resolves when a first leader has recorded something. */
  async begin(): Promise<void> {
    const { bus } = this.#ground;
    await bus.bucket(buckets.leaders).watch('alarms', (_key, entry) => {
      this.#renewals += 1;
      const owner = entry && (JSON.parse(Buffer.from(entry.value).toString()) as { owner: string }).owner;
      if (owner === this.#owner) return;
      this.#owner = owner;
      this.#takenAt = performance.now();
    });
    await bus.bucket(buckets.alarms).watch(ALARM, (_key, entry) => {
      if (entry === undefined) return;
      const record = JSON.parse(Buffer.from(entry.value).toString()) as { seq: number };
      this.#recorded = record.seq;
      this.#recordedAt = performance.now();
    });
    this.#leader = await this.#start();
    await until(() => this.#owner !== undefined, 'a leader');
    await this.#crossed(await this.#cross());
  }

  /** Kills the leader of now beside a standby on this machine, or elsewhere. */
  async kill(elsewhere?: Elsewhere): Promise<Kill> {
    const { pid } = this.#leader!;
    const before = this.#owner;
    this.#leader = await this.#start(elsewhere?.host);
    await this.#crossed(await this.#cross());
    if (elsewhere !== undefined) await this.#renewed(elsewhere.afterMs);
    const killedAt = performance.now();
    process.kill(pid, 'SIGKILL');
    await this.#crossed(await this.#cross());
    if (this.#owner === before) throw new Error('the dead leader has recorded it');
    return { takenMs: this.#takenAt - killedAt, recordedMs: this.#recordedAt - killedAt };
  }

  async end(): Promise<void> {
    for (const peer of this.#peers) await peer.end();
  }

  async #renewed(thenMs: number): Promise<void> {
    const before = this.#renewals;
    await until(() => this.#renewals > before, 'a renewal of the lease');
    await new Promise((resolve) => setTimeout(resolve, thenMs));
  }

  async #start(host?: string): Promise<Peer> {
    const peer = await startPeer('service');
    this.#peers.push(peer);
    const { address } = this.#ground;
    await peer.call('start', { address, roles: ['alarms'], ...(host !== undefined && { host }) });
    return peer;
  }

  /** Stores a sample that changes the alarm; the number of that transition. */
  async #cross(): Promise<number> {
    this.#samples += 1;
    const [seq, groundMs] = [this.#samples, Date.now()];
    const value = seq % 2 === 1 ? OUTSIDE : NOMINAL;
    const { data, headers } = valueMessage(this.#platform, { target: TARGET, seq, groundMs, value });
    await this.#ground.bus.append(streams.values, subject.values(TARGET), data, { headers });
    return seq;
  }

  async #crossed(transition: number): Promise<void> {
    await until(() => this.#recorded >= transition, `transition ${transition} of ${ALARM}`);
  }
}

function figuresOf(where: string, kills: readonly Kill[]): Figure[] {
  return [
    takeoverFigure(
      `kill to the next transition, ${where}`,
      kills.map(({ recordedMs }) => recordedMs),
    ),
    takeoverFigure(
      'of it until the lead is taken',
      kills.map(({ takenMs }) => takenMs),
    ),
  ];
}
