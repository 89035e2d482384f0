/** `mcs events` as a process, with a real archive behind a front end: pipes that close, Ctrl-C, JSON, what is refused. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { LoggedEvent } from '../../contract/event.ts';
import { eventFollows, eventRoutes } from '../../http/routes/events.ts';
import { realClock } from '../http/fixture.ts';
import { type HistoryWorld, HOUR, startHistoryWorld } from '../http/history-world.ts';
import { TwinServer } from '../simulation/twin/server.ts';
import { TwinBus } from '../simulation/twin/twin-bus.ts';
import { fairWeather } from '../simulation/twin/weather.ts';
import { quiet } from '../support/nats.ts';
import { mcsProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

const PROGRAM = await mcsProgram();
const PATIENTLY = { timeoutMs: 45_000 };
/** More than a pipe holds. */
const EVENTS = 900;

const server = new TwinServer({ now: () => Date.now(), choose: () => 0 });
const bus = new TwinBus({
  server,
  name: 'test',
  outside: realClock,
  inside: realClock,
  weather: fairWeather,
  log: quiet,
});
let world: HistoryWorld;
const running = new Set<ChildProcess>();

function eventOf(n: number, more: Partial<LoggedEvent> = {}): LoggedEvent {
  const time = new Date(HOUR + n * 1_000).toISOString();
  const text = `Mode ${n} was set. ${'x'.repeat(200)}`;
  const source = `T:${n}`;
  return { time, kind: 'mode', severity: 'info', target: 'sat1', subject: 'sat1', text, source, ...more };
}

beforeAll(async () => {
  const left = { follow: bus.follow.bind(bus), bucket: bus.bucket.bind(bus), last: bus.last.bind(bus) };
  world = await startHistoryWorld(eventRoutes, eventFollows, left);
  for (let n = 1; n <= EVENTS; n += 1)
    await world.archive.record({ position: n, storedMs: HOUR + n, batch: { events: [eventOf(n)] } });
  const evil = eventOf(EVENTS + 1, { text: 'evil \u001b[2J', severity: 'warning', by: 'ada' });
  await world.archive.record({ position: EVENTS + 1, storedMs: HOUR, batch: { events: [evil] } });
});
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await world.stop();
  await bus.close();
});

function mcs(...args: readonly string[]) {
  const env = { ...process.env, MCS_API: world.url, NO_COLOR: '1' };
  const child = spawn(process.execPath, [...PROGRAM, 'events', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let [out, errors] = ['', ''];
  child.stdout.on('data', (data) => {
    out += data;
  });
  child.stderr.on('data', (data) => {
    errors += data;
  });
  const code = once(child, 'close').then(([status]) => status as number | null);
  return { child, out: () => out, errors: () => errors, code };
}

describe('mcs events', () => {
  it('prints what happened, the newest last, and that there is more', async () => {
    const command = mcs('--limit', '3', '--utc');
    expect(await command.code).toBe(0);
    const lines = command.out().trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain('Mode 899 was set.');
    expect(lines[2]).toContain('evil');
    expect(command.out()).not.toContain('\u001b');
    expect(command.errors()).toContain('older events match too');
  }, 60_000);

  it('--json is one JSON in a line, as the route has it', async () => {
    const command = mcs('--json', '--by', 'ada', 'sat1');
    expect(await command.code).toBe(0);
    const [line, ...more] = command.out().trimEnd().split('\n');
    expect(JSON.parse(line!)).toMatchObject({ kind: 'mode', by: 'ada', text: 'evil \u001b[2J' });
    expect(more).toEqual([]);
    expect(line).not.toContain('\u001b');
  }, 60_000);

  it('ends without a word when whoever reads it has enough', async () => {
    const command = mcs('--limit', '1000', '--json');
    await once(command.child.stdout, 'data');
    command.child.stdout.destroy();
    expect([await command.code, command.errors()]).toEqual([0, '']);
  }, 60_000);

  it.each([
    [['--kinds', 'nothing'], 1, 'query parameter kinds'],
    [['--severity', 'bad'], 1, 'query parameter severity'],
    [['a.b'], 1, 'query parameter targets'],
    [['--from', 'never'], 1, 'query parameter from'],
    [['--limit', '0'], 2, '--limit'],
    [['--colour', 'red'], 2, '--colour'],
    [['--follow', '--by', 'ada'], 2, '--follow does not go with --by'],
  ])(
    '%j is refused, and nothing is printed',
    async (args, code, said) => {
      const command = mcs(...args);
      expect(await command.code, command.errors()).toBe(code);
      expect(command.errors()).toContain(said);
      expect(command.out()).toBe('');
    },
    60_000,
  );

  it('--follow goes on with what happens, until Ctrl-C, and says how to go on from there', async () => {
    const command = mcs('--follow', '--limit', '1', '--kinds', 'mode', '--json');
    await until(() => command.out().includes('\n'), PATIENTLY);
    let sent = 0;
    await until(async () => {
      sent += 1;
      const events = [eventOf(5_000 + sent), eventOf(6_000 + sent, { kind: 'pass' })];
      await bus.append(streams.events, subject.events('test'), Buffer.from(JSON.stringify({ events })));
      return command.out().includes('Mode 5');
    }, PATIENTLY);
    command.child.kill('SIGINT');
    expect(await command.code).toBe(130);
    expect(command.errors()).toMatch(/events are still recorded; those from now on: mcs events --from 20/);
    const kinds = command
      .out()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).kind);
    expect(new Set(kinds)).toEqual(new Set(['mode']));
  }, 90_000);
});
