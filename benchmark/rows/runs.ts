/**
 * Runs of procedures by an executor: events of their logs per second, runs from submission to end, the time from the
 * death of an executor to `taken_over`, and what a run takes of memory that waits for a person.
 */

import { readRunLog } from '../../actors/run/run-log.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { Program } from '../../contract/program.ts';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { connectBare } from '../bare-bus.ts';
import { compiledDemo } from '../demo-mission.ts';
import { type Ground, startGround } from '../ground.ts';
import { type Peer, startPeer } from '../peer.ts';
import { type Contender, compare, type Result, type Row, type Settings, type Turn } from '../row.ts';
import { lines, runId, short, storeProgram, submitRun, waiting } from '../run-program.ts';
import { takeoverFigure, until } from '../takeover.ts';
import { measuredTurn, onGround, type Start } from '../with-peers.ts';

/** Runs in progress at once where many are measured: four in each shard. */
const OPEN = 32;
const COUNTS = {
  full: { lines: 100, runs: 300, waiting: 1_000, kills: 10, farKills: 4 },
  quick: { lines: 10, runs: 10, waiting: 20, kills: 1, farKills: 1 },
};
type Counts = (typeof COUNTS)['full'];
/** Memory is reachable memory, and hardly varies. */
const MEMORY_ROUNDS = 2;
const GIGABYTE = 1e9;

const countsOf = ({ quick }: Settings): Counts => (quick ? COUNTS.quick : COUNTS.full);

/** Rows of their own, so that each can be asked for alone. */
export const runRows: readonly Row[] = [
  {
    name: 'runs.log',
    run: (settings) => inWorld((world) => throughput(world, countsOf(settings), settings)),
  },
  { name: 'runs.takeover', run: (settings) => inWorld((world) => takeovers(world, countsOf(settings))) },
  { name: 'runs.waiting', run: async (settings) => [await memory(countsOf(settings).waiting, settings)] },
];

interface World {
  readonly ground: Ground;
  /** Revision of the configuration. */
  readonly config: string;
  readonly start: Start;
}

async function inWorld<Value>(work: (world: World) => Promise<Value>): Promise<Value> {
  return onGround(async (ground, start) => {
    const compiled = await compiledDemo();
    await publishConfiguration(ground.bus, compiled);
    return work({ ground, config: compiled.revision, start });
  });
}

// Throughput ----------------------------------------------------------------------------------------------------------

interface Executor extends World {
  readonly service: Peer;
  readonly bare: Peer;
  readonly load: Peer;
}

async function throughput(world: World, counts: Counts, settings: Settings): Promise<Result[]> {
  const { address } = world.ground;
  const service = await world.start('service');
  await service.call('start', { address, roles: ['executor'] });
  const [bare, load] = [await world.start('bare-runs'), await world.start('run-load')];
  await bare.call('start', address);
  await load.call('start', address);
  const executor: Executor = { ...world, service, bare, load };
  const many = { row: 'runs.log', count: OPEN, open: OPEN, unit: 'log events/s' } as const;
  const one = { row: 'runs.log.one', count: 1, open: 1, unit: 'log events/s' } as const;
  const whole = { row: 'runs.whole', count: counts.runs, open: OPEN, unit: 'runs/s' } as const;
  return [
    await burst(executor, { ...many, program: lines(world.config, counts.lines) }, settings),
    await burst(executor, { ...one, program: lines(world.config, counts.lines) }, settings),
    await burst(executor, { ...whole, program: short(world.config) }, settings),
  ];
}

interface Burst {
  readonly row: string;
  readonly unit: 'log events/s' | 'runs/s';
  readonly program: Program;
  readonly count: number;
  readonly open: number;
}

async function burst(executor: Executor, wanted: Burst, settings: Settings): Promise<Result> {
  const { ground, config, service, bare, load } = executor;
  const { row, unit, program, count, open } = wanted;
  const ir = await storeProgram(ground.bus, program);
  const launch = (runs: number) =>
    load.call<{ ms: number; run: string }>('burst', { ir, config, count: runs, open });
  const { run } = await launch(1);
  const log = (await readRunLog(ground.bus, run)).map(({ event }) => JSON.stringify(event));
  const stored = await storedBy(ground, () => launch(open));
  const each = Math.round(stored / open);
  const isEvents = unit === 'log events/s';
  // Of whole runs the ceiling publishes as many messages as everything about them that is stored.
  const bodies = isEvents ? log : Array.from({ length: each }, (_, n) => log[n % log.length]!);
  const operations = isEvents ? count * log.length : count;
  return compare(
    {
      row,
      unit,
      note: `${open === 1 ? 'one run' : `${open} runs at once`} of ${log.length} events; ${each} messages stored for each run`,
      contenders: [
        {
          name: 'service',
          turn: () =>
            measuredTurn({
              ground,
              peer: service,
              generator: load,
              operations,
              work: async () => (await launch(count)).ms,
            }),
        },
        {
          name: 'bare JetStream',
          turn: () =>
            measuredTurn({
              ground,
              peer: bare,
              operations,
              work: () => bare.call<number>('publish', { bodies, runs: count, open }),
            }),
        },
      ],
    },
    settings,
  );
}

/** Messages stored meanwhile, in all streams and buckets. */
async function storedBy(ground: Ground, work: () => Promise<unknown>): Promise<number> {
  const { connection, manager } = await connectBare(ground.address);
  const stored = async (): Promise<number> => {
    let sum = 0;
    for await (const { state } of manager.streams.list()) sum += state.last_seq;
    return sum;
  };
  try {
    const before = await stored();
    await work();
    return (await stored()) - before;
  } finally {
    await connection.close();
  }
}

// Takeover ------------------------------------------------------------------------------------------------------------

interface Kill {
  /** From the signal until the shard was claimed, and until the log showed it. */
  readonly claimedMs: number;
  readonly takenOverMs: number;
}

async function takeovers(world: World, { kills, farKills }: Counts): Promise<Result[]> {
  const { address } = world.ground;
  const heir = await world.start('service');
  await heir.call('start', { address, roles: ['executor'], instance: HEIR });
  const ir = await storeProgram(world.ground.bus, waiting(world.config));
  const near: Kill[] = [];
  for (let n = 0; n < kills; n += 1) near.push(await kill(world, ir, `near-${n}`));
  const far: Kill[] = [];
  for (let n = 0; n < farKills; n += 1) far.push(await kill(world, ir, `far-${n}`, 'elsewhere'));
  return [
    {
      row: 'runs.takeover',
      unit: 'takeovers/s',
      note: `${kills} executors killed on this machine, ${farKills} as if on another; p99 is the longest; members live 3 s`,
      figures: [
        takeoverFigure(
          'kill to taken_over, same machine',
          near.map(({ takenOverMs }) => takenOverMs),
        ),
        takeoverFigure(
          'of it until the shard is claimed',
          near.map(({ claimedMs }) => claimedMs),
        ),
        takeoverFigure(
          'kill to taken_over, another machine',
          far.map(({ takenOverMs }) => takenOverMs),
        ),
        takeoverFigure(
          'of it until the shard is claimed',
          far.map(({ claimedMs }) => claimedMs),
        ),
      ],
    },
  ];
}

const HEIR = 'heir';

/** An executor with one run, killed; how long until the other had it. */
async function kill(world: World, ir: string, instance: string, host?: string): Promise<Kill> {
  const { ground, config } = world;
  const mortal = await world.start('service');
  await mortal.call('start', { address: ground.address, roles: ['executor'], instance, host });
  const members = ground.bus.bucket(buckets.members);
  const owners = new Map<string, string | null>();
  const since: { at: number } = { at: Number.POSITIVE_INFINITY };
  let shard: string | undefined;
  let claimedAt = 0;
  const watch = await members.watch('partition.runs.*', (key, entry) => {
    const name = key.slice('partition.runs.'.length);
    const owner =
      entry && (JSON.parse(Buffer.from(entry.value).toString()) as { owner: string | null }).owner;
    owners.set(name, owner ?? null);
    if (name === shard && owner === HEIR && claimedAt === 0) claimedAt = performance.now();
  });
  try {
    const ownShard = () => [...owners].find(([, owner]) => owner === instance)?.[0];
    await until(() => ownShard() !== undefined, `${instance} owning a shard`);
    shard = ownShard();
    const run = runId(shard);
    const events = new Set<string>();
    let takenOverAt = 0;
    const hearing = ground.bus.subscribe(subject.runEvents(run), ({ data }) => {
      const { event } = JSON.parse(Buffer.from(data).toString()) as { event: string };
      events.add(event);
      if (event === 'taken_over') takenOverAt = performance.now();
    });
    await submitRun(ground.bus, run, ir, config);
    await until(() => events.has('step_started'), 'the run');
    since.at = performance.now();
    process.kill(mortal.pid, 'SIGKILL');
    await until(() => takenOverAt > 0, 'taken_over');
    await hearing.stop();
    return { claimedMs: claimedAt - since.at, takenOverMs: takenOverAt - since.at };
  } finally {
    await watch.stop();
  }
}

// Memory --------------------------------------------------------------------------------------------------------------

/** The live ones and the sleeping ones are the same, one after the other in one process. */
async function memory(count: number, settings: Settings): Promise<Result> {
  let ground: Ground | undefined;
  let peer: Peer | undefined;
  const sized = (bytes: number): Turn => ({ rate: GIGABYTE / (bytes / count), cpuUs: Number.NaN });
  const contenders: Contender[] = [
    {
      name: 'in memory',
      async turn() {
        ground = await startGround();
        peer = await startPeer('run-memory', ['--expose-gc']);
        return sized(await peer.call<number>('live', { address: ground.address, count }));
      },
    },
    {
      name: 'asleep',
      async turn() {
        const bytes = await peer!.call<number>('asleep');
        await endOf(peer, ground);
        return sized(bytes);
      },
    },
    {
      name: 'bare cells',
      async turn() {
        const bare = await startPeer('run-memory', ['--expose-gc']);
        const bytes = await bare.call<number>('bareCells', { count });
        await bare.end();
        return sized(bytes);
      },
    },
  ];
  try {
    const rounds = Math.min(settings.rounds, MEMORY_ROUNDS);
    return await compare(
      {
        row: 'runs.waiting',
        unit: 'runs/GB',
        note: `${count} runs, half suspended, half before a decision; heap and buffers after a collection`,
        contenders,
      },
      { ...settings, rounds, quick: true },
    );
  } finally {
    await endOf(peer, ground);
  }
}

async function endOf(peer: Peer | undefined, ground: Ground | undefined): Promise<void> {
  await peer?.end();
  await ground?.end();
}
