/**
 * Three nats-servers and three processes of the service under load, for minutes: servers killed, paused, cut off and
 * restarted one after the other, processes too. What was acknowledged is there at the end, once and in order; how long
 * nothing could be written or read is reported. `npm run cluster`.
 */

import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'nats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBus } from '../../bus/nats-bus.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { inTurns } from '../../messaging/in-turns.ts';
import type { Bus } from '../../ports/bus.ts';
import { addField, FIELD, type Field } from '../support/campaign-field.ts';
import {
  type CampaignRecord,
  endsOf,
  isOver,
  judge,
  readCampaign,
  reasonsIn,
  stagesIn,
} from '../support/campaign-judge.ts';
import { Gap, LED, type Load, loadUntil, watchLeaders } from '../support/campaign-load.ts';
import { call } from '../support/client.ts';
import { startCluster, type TestCluster } from '../support/cluster.ts';
import { DEMO } from '../support/demo-cell.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { quiet } from '../support/nats.ts';
import { type Silence, silencesOf } from '../support/silences.ts';
import { until } from '../support/until.ts';

interface Health {
  readonly replicas?: { readonly wanted: number; readonly short: readonly unknown[] };
}

const MINUTES = Number(process.env.CLUSTER_MINUTES ?? 0);
/** Names of faults with commas between them: only these, in this order. */
const FAULTS = process.env.CLUSTER_FAULTS?.split(',');
/** Folder for what the servers say, and for what each process has written when the load ends, from which level on. */
const LOGS = process.env.CLUSTER_LOGS;
const LEVEL = process.env.CLUSTER_LEVEL ?? 'warn';
/** For everything that is judged behind the load, however much there is. */
const JUDGED_WITHIN_MS = 300_000;
/** Of each process, where a checker is not content. */
const SAID_LINES = 200;
/** Fields of a log line that say what it is about. */
const ABOUT = ['stream', 'streams', 'lost', 'target', 'bytes'];
/** Of each stage. */
const SILENCES = 5;
/** How long a server is away, and how long everybody has for themselves behind it. */
const [AWAY_MS, BETWEEN_MS] = [12_000, 15_000];

describe.runIf(MINUTES > 0)('a cell over a cluster', () => {
  let cluster: TestCluster;
  let mission: string;
  let field: Field;
  const processes: Mcs[] = [];
  const apis: string[] = [];

  async function startProcess(at: number): Promise<void> {
    const args = ['serve', '--mission', mission, '--nats', cluster.url, '--port', '0'];
    const env = { MCS_INSTANCE: `m${at}`, MCS_MEMBER_TTL_MS: '15000', MCS_LOG_LEVEL: LEVEL };
    processes[at] = await startMcs({ args, env, readyWithinMs: 180_000 });
    apis[at] = processes[at].api;
  }

  async function hasCopies(): Promise<boolean> {
    const answers = await Promise.all(apis.map((api) => call<Health>('GET', `${api}/healthz`)));
    return answers.every(({ body: { replicas } }) => replicas?.wanted === 3 && replicas.short.length === 0);
  }

  beforeAll(async () => {
    if (LOGS !== undefined) await mkdir(LOGS, { recursive: true });
    cluster = await startCluster(LOGS === undefined ? {} : { logs: LOGS });
    mission = await mkdtemp(join(tmpdir(), 'mcs-campaign-'));
    await cp(DEMO, mission, { recursive: true });
    const config = join(mission, 'config.yaml');
    await writeFile(config, (await readFile(config, 'utf8')).replace('replicas: 1', 'replicas: 3'));
    field = await addField(mission);
    for (const at of [0, 1, 2]) await startProcess(at);
    // A server that goes away before it has its copies takes away what nobody else has.
    await until(hasCopies, { timeoutMs: 180_000, what: 'three copies of every stream' });
  }, 600_000);
  afterAll(async () => {
    await endAllMcs();
    await cluster.stop();
    field.stop();
    await rm(mission, { recursive: true, force: true });
  }, 60_000);

  const faults: Record<string, (node: number) => Promise<void>> = {
    async 'server killed'(node) {
      await cluster.kill(node);
      await pause(AWAY_MS);
      cluster.start(node);
    },
    async 'server paused'(node) {
      cluster.pause(node);
      await pause(AWAY_MS);
      cluster.resume(node);
    },
    async 'server cut off'(node) {
      cluster.part(node);
      await pause(AWAY_MS);
      cluster.join(node);
    },
    async 'rolling restart'() {
      for (const node of [0, 1, 2]) {
        await cluster.end(node);
        cluster.start(node);
        await pause(BETWEEN_MS);
      }
    },
    async 'leaders step down'() {
      const connection = await connect({ servers: cluster.url.split(',') });
      for (const name of ['TC_COMMANDS', 'TC_EVENTS', 'TM_VALUES', 'KV_mcs_members'])
        await connection.request(`$JS.API.STREAM.LEADER.STEPDOWN.${name}`, undefined, { timeout: 5_000 });
      await connection.close();
    },
    async 'process killed'(node) {
      await processes[node]!.kill('SIGKILL');
      await startProcess(node);
    },
  };

  async function disturb(load: Load): Promise<string[]> {
    const end = performance.now() + MINUTES * 60_000;
    const done: string[] = [];
    for (let round = 0; performance.now() < end; round += 1) {
      const names = FAULTS ?? Object.keys(faults);
      const name = names[round % names.length]!;
      load.now = name;
      await faults[name]!((round + Math.floor(round / names.length)) % 3);
      await pause(BETWEEN_MS);
      done.push(name);
      process.stdout.write(`${new Date().toISOString()} ${name}: ${JSON.stringify(summary(load))}\n`);
    }
    return done;
  }

  const summary = ({ telecommands, field: switched, runs, answered, refusals, slowest, ...load }: Load) => ({
    telecommands: telecommands.length,
    field: { telecommands: switched.length, frames: field.frames.size },
    runs: runs.length,
    answered: answered.length,
    refusals,
    slowest_refusal_ms: Math.round(slowest.refusalMs),
    writes_away_ms: Object.fromEntries(load.writes.longestMs),
    values_away_ms: Object.fromEntries(load.values.longestMs),
    leaders_away_ms: Object.fromEntries(
      Object.entries(load.leaders).map(([stream, gap]) => [stream, Object.fromEntries(gap.longestMs)]),
    ),
  });

  it(
    'loses nothing that was acknowledged, does nothing twice, and takes writes again',
    async () => {
      const load: Load = {
        telecommands: [],
        field: [],
        runs: [],
        answered: [],
        refusals: {},
        slowest: { refusalMs: 0 },
        writes: new Gap(),
        values: new Gap(),
        leaders: Object.fromEntries(LED.map((stream) => [stream, new Gap()])),
        now: 'start',
      };
      const ending = new AbortController();
      const loading = Promise.all([
        loadUntil(ending.signal, apis, load),
        watchLeaders(cluster.url, ending.signal, load),
      ]);
      const done = await disturb(load);
      ending.abort();
      await loading;
      await showOpen(load);
      if (LOGS !== undefined) await keepLogs(LOGS);
      const bus = openBus({ url: cluster.url, name: 'judge', log: quiet });
      const record = await readCampaign(bus, {
        withinMs: JUDGED_WITHIN_MS,
        isOver: (read) => isOver(load, read),
        end: (read) => abortOpen(load, read),
      });
      const silences = await silencesIn(bus);
      const holes = await holesIn(bus);
      await bus.close();
      const verdicts = judge(load, record, field);
      const states =
        'of' in record.telecommands ? endsOf('sat2', load.telecommands, record.telecommands.of) : {};
      const stages =
        'of' in record.telecommands
          ? {
              [FIELD]: stagesIn(FIELD, record.telecommands.of),
              sat2: stagesIn('sat2', record.telecommands.of),
            }
          : {};
      const reasons = 'of' in record.telecommands ? reasonsIn(record.telecommands.of) : {};
      process.stdout.write(
        `${JSON.stringify({ done, ...summary(load), states, reasons, stages, silences, holes, warnings: warnings(), verdicts }, undefined, 1)}\n`,
      );
      if (Object.values(verdicts).some(({ verdict }) => verdict !== 'pass')) await showTrouble();
      for (const [checker, verdict] of Object.entries(verdicts))
        expect({ checker, ...verdict }).toEqual({ checker, verdict: 'pass' });
      expect(load.telecommands.length).toBeGreaterThan(MINUTES * 60);
      // An outage may cost those that were on their way, and no others.
      expect(states.VERIFIED ?? 0).toBeGreaterThan(0.9 * load.telecommands.length);
    },
    MINUTES * 60_000 + JUDGED_WITHIN_MS + 300_000,
  );

  /** Of each stage that a value comes by: where it stood still longest. */
  async function silencesIn(bus: Bus): Promise<Record<string, readonly Silence[]>> {
    const stages = [
      [streams.frames, subject.frames('sim-2')],
      [streams.decoded, subject.decoded('sat2')],
      [streams.values, subject.values('sat2')],
    ] as const;
    const all = await Promise.all(
      stages.map(async ([stream, of]) => [of, await silencesOf(bus, stream, of, SILENCES)] as const),
    );
    return Object.fromEntries(all);
  }

  /** Until when a stream lost messages that stay lost. */
  async function holesIn(bus: Bus): Promise<Record<string, string>> {
    const logs = [streams.telecommands, streams.telecommandEvents, streams.runs, streams.alarms];
    const until = await Promise.all(logs.map((stream) => bus.holesUntil(stream)));
    return Object.fromEntries(
      logs.flatMap(({ name }, n) =>
        until[n] === undefined ? [] : [[name, new Date(until[n]).toISOString()]],
      ),
    );
  }

  /** What the processes that live warned of, with the stream it was about: how often. */
  function warnings(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const line of processes.flatMap((each) => each.errors().split('\n'))) {
      if (!line.startsWith('{')) continue;
      const { level, msg, ...said } = JSON.parse(line) as {
        level: number;
        msg: string;
        [field: string]: unknown;
      };
      if (level < 40) continue;
      const about = ABOUT.flatMap((field) =>
        said[field] === undefined ? [] : [JSON.stringify(said[field])],
      );
      const key = [msg, ...about].join(' ');
      counts[key] = (counts[key] ?? 0) + 1;
    }
    return counts;
  }

  /** What the processes said last, and what of theirs stands still. */
  async function showTrouble(): Promise<void> {
    for (const [at, api] of apis.entries()) {
      const tree = await fetch(`${api}/v1/inspect/tree`, { signal: AbortSignal.timeout(5_000) })
        .then((answer) => answer.text())
        .catch(String);
      const said = processes[at]!.errors().split('\n').slice(-SAID_LINES).join('\n');
      process.stdout.write(`m${at} ${tree}\n${said}\n`);
    }
  }

  async function keepLogs(folder: string): Promise<void> {
    for (const [at, each] of processes.entries()) await writeFile(join(folder, `m${at}.log`), each.errors());
  }

  /** What the runs wait for that are open when the load has ended. */
  async function showOpen({ runs }: Load): Promise<void> {
    await inTurns(runs, 8, async (run) => {
      const signal = AbortSignal.timeout(5_000);
      const said = await fetch(`${apis[0]}/v1/runs/${run}`, { signal }).then(
        (answer) => answer.json(),
        String,
      );
      if ((said as { finished?: unknown }).finished === undefined)
        process.stdout.write(`open when the load ended: ${JSON.stringify(said)}\n`);
    });
  }

  /** Runs wait for people who have gone. */
  async function abortOpen({ runs }: Load, { runs: read }: CampaignRecord): Promise<void> {
    if (!('of' in read)) return;
    const open = runs.filter((run) => read.of.get(run)?.at(-1)?.event !== 'finished');
    await inTurns(open, 8, async (run) => {
      const headers = { 'x-mcs-user': 'ada' };
      const signal = AbortSignal.timeout(5_000);
      await fetch(`${apis[0]}/v1/runs/${run}/abort`, { method: 'POST', headers, signal }).catch(
        () => undefined,
      );
    });
  }
});
