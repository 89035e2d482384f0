/**
 * Schedules of a cell: what a pass that moves costs among ten thousand of them, what they cost while nothing happens,
 * and how late those are fired that are due in the same second.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { passKey, type StoredPass } from '../../contract/pass.ts';
import type { StoredSchedule } from '../../contract/stored-schedule.ts';
import { createdSchedule } from '../../machines/schedule/step.ts';
import { readSubmission } from '../../messaging/run-launch.ts';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { compiledDemo } from '../demo-mission.ts';
import type { Ground } from '../ground.ts';
import type { Peer } from '../peer.ts';
import { compare, type Result, type Row, type Settings, type Turn } from '../row.ts';
import { until } from '../takeover.ts';
import { measuredTurn, onGround, type Start } from '../with-peers.ts';

const ON_PASS = 10;
const COUNTS = {
  full: { open: 10_000, moves: 50, due: 200 },
  quick: { open: 100, moves: 3, due: 10 },
};
type Counts = (typeof COUNTS)['full'];
const DAY = 86_400_000;
const PASS_MS = 600_000;
/** Those due in the same second are due one behind the other. */
const DUE_WITHIN_MS = 1_000;
/** From when they are written to when the first is due. */
const AHEAD_MS = 3_000;

export const scheduleRow: Row = {
  name: 'schedules',
  run: (settings) => onGround((ground, start) => measured(ground, start, settings)),
};

interface World {
  readonly ground: Ground;
  readonly service: Peer;
  readonly bare: Peer;
  readonly config: string;
  readonly counts: Counts;
}

async function measured(ground: Ground, start: Start, settings: Settings): Promise<Result[]> {
  const compiled = await compiledDemo();
  await publishConfiguration(ground.bus, compiled);
  const counts = settings.quick ? COUNTS.quick : COUNTS.full;
  const [service, bare] = [await start('service'), await start('bare-schedules')];
  const world = { ground, service, bare, config: compiled.revision, counts };
  await bare.call('start', ground.address);
  const passes = await fill(world);
  await service.call('start', { address: ground.address, roles: ['scheduler'] });
  // What has just happened is still being collected while nothing happens: that is measured first.
  const nothing = await idle(world, settings);
  return [await moves(world, passes, settings), nothing, await firing(world, settings)];
}

// A pass that moves ---------------------------------------------------------------------------------------------------

async function moves(world: World, passes: readonly StoredPass[], settings: Settings): Promise<Result> {
  const { ground, service, bare, counts } = world;
  const bodies = Object.fromEntries(
    schedulesOn(passes[0]!, world.config, ON_PASS).map((each) => [each.id, JSON.stringify(each)]),
  );
  const shown = new Shown();
  const watch = await ground.bus.bucket(buckets.schedules).watch('>', (id, entry) => {
    if (entry !== undefined) shown.see(id, JSON.parse(Buffer.from(entry.value).toString()));
  });
  await watch.ready;
  let moved = 0;
  const move = async (): Promise<number> => {
    const begin = performance.now();
    for (let n = 0; n < counts.moves; n += 1) {
      moved += 1;
      await moveOne(ground, shown, passes[moved % passes.length]!, moved);
    }
    return performance.now() - begin;
  };
  const write = async (): Promise<number> => {
    let ms = 0;
    for (let n = 0; n < counts.moves; n += 1) ms += await bare.call<number>('write', bodies);
    return ms;
  };
  const turn = (peer: Peer, work: () => Promise<number>) => () =>
    measuredTurn({ ground, peer, operations: counts.moves, work });
  const result = await compare(
    {
      row: 'schedules.change',
      unit: 'passes/s',
      note: `a pass of ${ON_PASS} schedules moves, among ${counts.open} open ones, until all of them say so`,
      contenders: [
        { name: 'service', turn: turn(service, move) },
        { name: 'bare conditional writes', turn: turn(bare, write) },
      ],
    },
    settings,
  );
  await watch.stop();
  return result;
}

/** Moves a pass by a second more each time, and waits until its schedules show it. */
async function moveOne({ bus }: Ground, shown: Shown, pass: StoredPass, times: number): Promise<void> {
  const shift = (text: string): string => new Date(Date.parse(text) + times * 1_000).toISOString();
  const moved = { ...pass, aos: shift(pass.aos), los: shift(pass.los) };
  const ids = Array.from({ length: ON_PASS }, (_, n) => `${pass.id}-${n}`);
  const all = shown.when(ids, moved.aos);
  await bus.bucket(buckets.passes).overwrite(passKey(pass.target, pass.id), bytesOf(moved));
  await all;
}

/** Waits for starts that the records show. */
class Shown {
  #left = new Set<string>();
  #start = '';
  #done = (): void => undefined;

  when(ids: readonly string[], start: string): Promise<void> {
    this.#left = new Set(ids);
    this.#start = start;
    return new Promise((resolve) => {
      this.#done = resolve;
    });
  }

  see(id: string, { fire_at }: StoredSchedule): void {
    if (fire_at !== this.#start || !this.#left.delete(id)) return;
    if (this.#left.size === 0) this.#done();
  }
}

// Nothing happens -----------------------------------------------------------------------------------------------------

async function idle({ service, counts }: World, settings: Settings): Promise<Result> {
  const turn = async (): Promise<Turn> => {
    const before = await service.cpuUs();
    await new Promise((resolve) => setTimeout(resolve, settings.roundMs));
    const cpuUs = (await service.cpuUs()) - before;
    return { rate: (settings.roundMs * 1_000) / cpuUs, cpuUs: (cpuUs * 1_000) / settings.roundMs };
  };
  return compare(
    {
      row: 'schedules.idle',
      unit: 's/s of CPU',
      note: `${counts.open} open schedules and nothing happens; CPU is that of one second`,
      contenders: [{ name: 'service', turn }],
      aim: { rate: 100 },
    },
    settings,
  );
}

// Firing --------------------------------------------------------------------------------------------------------------

async function firing(world: World, settings: Settings): Promise<Result> {
  const { ground, service, bare, counts } = world;
  const turns = { n: 0 };
  const turn = (peer: Peer, fire: (at: number) => Promise<readonly number[]>) => async () => {
    const before = await peer.cpuUs();
    turns.n += 1;
    const late = (await fire(Date.now() + AHEAD_MS)).toSorted((one, other) => one - other);
    const at = (share: number): number => late[Math.min(late.length - 1, Math.floor(share * late.length))]!;
    const cpuUs = ((await peer.cpuUs()) - before) / counts.due;
    return { rate: counts.due / (DUE_WITHIN_MS / 1_000), cpuUs, p50Ms: at(0.5), p99Ms: at(0.99) };
  };
  const everyMs = DUE_WITHIN_MS / counts.due;
  return compare(
    {
      row: 'schedules.firing',
      unit: 'schedules/s',
      note: `${counts.due} due in one second: how late each run is submitted, as the bus has it`,
      contenders: [
        { name: 'service', turn: turn(service, (at) => fired(ground, world, at, turns.n)) },
        {
          name: 'bare timers, write and publish',
          turn: turn(bare, (at) => bare.call('fire', { at, everyMs, count: counts.due })),
        },
      ],
    },
    settings,
  );
}

/** How late each run was submitted, ms. */
async function fired(
  { bus }: Ground,
  { config, counts }: World,
  at: number,
  n: number,
): Promise<readonly number[]> {
  const pass = passAt(`due-${n}`, at);
  const everyMs = DUE_WITHIN_MS / counts.due;
  const due = new Map<string, number>();
  const late: number[] = [];
  const follower = await bus.follow(streams.runSubmissions, subject.runSubmit, { from: 'now' }, (message) => {
    const start = due.get(readSubmission(message.data)?.by ?? '');
    if (start !== undefined) late.push(message.at - start);
  });
  await bus.bucket(buckets.passes).overwrite(passKey(pass.target, pass.id), bytesOf(pass));
  const schedules = schedulesOn(pass, config, counts.due, everyMs);
  for (const each of schedules) due.set(`schedule ${each.id}`, Date.parse(each.fire_at));
  await writeAll(bus, schedules);
  await until(() => late.length === counts.due, 'every run is submitted');
  await follower.stop();
  return late;
}

// Records -------------------------------------------------------------------------------------------------------------

async function fill({ ground: { bus }, config, counts }: World): Promise<readonly StoredPass[]> {
  const begin = Date.now() + DAY;
  const passes = Array.from({ length: counts.open / ON_PASS }, (_, n) =>
    passAt(`far-${n}`, begin + n * PASS_MS),
  );
  await Promise.all(
    passes.map((pass) => bus.bucket(buckets.passes).overwrite(passKey(pass.target, pass.id), bytesOf(pass))),
  );
  for (const pass of passes) await writeAll(bus, schedulesOn(pass, config, ON_PASS));
  return passes;
}

async function writeAll(bus: Ground['bus'], schedules: readonly StoredSchedule[]): Promise<void> {
  const bucket = bus.bucket(buckets.schedules);
  await Promise.all(schedules.map((each) => bucket.overwrite(each.id, bytesOf(each))));
}

function passAt(id: string, aos: number): StoredPass {
  const pass = {
    id,
    target: 'sat1',
    station: 'kiruna',
    aos: new Date(aos).toISOString(),
    los: new Date(aos + PASS_MS).toISOString(),
    max_elevation: '40 deg',
    source: 'provider',
    status: 'booked',
    uplink: true,
  } as const;
  return { ...pass, contributions: { provider: pass } };
}

/** Runs of no length, so that none is in the way of another. */
function schedulesOn(pass: StoredPass, config: string, count: number, everyMs = 0): StoredSchedule[] {
  const at = Date.now();
  return Array.from({ length: count }, (_, n) => {
    const start = new Date(Math.ceil(Date.parse(pass.aos) + n * everyMs)).toISOString();
    return createdSchedule({
      record: {
        id: `${pass.id}-${n}`,
        pass: pass.id,
        start: `aos + ${n * everyMs} ms`,
        run: 'health_check',
        targets: { sat: 'sat1' },
        environment: 'rehearsal',
        target: 'sat1',
        ir: '0'.repeat(64),
        content: '0'.repeat(64),
        config,
        max_duration: '0 s',
        sends: false,
        needs_validation: false,
        created_at: new Date(at).toISOString(),
      },
      at,
      found: { reasons: [], fireAt: start },
    });
  });
}

function bytesOf(record: object): Uint8Array {
  return Buffer.from(JSON.stringify(record));
}
