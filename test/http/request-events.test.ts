/** Calls in the log of events: each once, whatever becomes of the bus and of the front end. */

import { beforeEach, expect, it } from 'vitest';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { readEventBatch } from '../../contract/event.ts';
import { REQUEST_EVENTS_WAITING } from '../../contract/limits/event.ts';
import { RequestEvents } from '../../http/request-events.ts';
import { HeapClock } from '../../supervision/clock.ts';
import { TwinServer } from '../simulation/twin/server.ts';
import { TwinBus } from '../simulation/twin/twin-bus.ts';
import { fairWeather } from '../simulation/twin/weather.ts';
import { settled } from '../support/manual-clock.ts';
import { type KeptLog, keptLog } from '../support/silent-log.ts';

const MINUTE = 60_000;
const STEP_MS = 10;
const TO = subject.events('requests');
const ROUTE = { method: 'PUT', path: '/v1/x/:n', operationId: 'x', summary: 'Puts x' };

let clock: HeapClock;
let server: TwinServer;
let log: KeptLog;
let ids: number;
/** Called once behind the next append that the server does, before its answer leaves. */
let whenAppended: (() => void) | undefined;

beforeEach(() => {
  clock = new HeapClock(1_000_000);
  server = new TwinServer({ now: () => clock.now(), choose: () => 0 });
  log = keptLog();
  ids = 0;
  whenAppended = undefined;
});

function busOf(name: string): TwinBus {
  const reached = (what: string, phase: 'asked' | 'done'): void => {
    if (phase !== 'done' || what !== `append ${TO}`) return;
    const then = whenAppended;
    whenAppended = undefined;
    then?.();
  };
  const weather = { ...fairWeather, reached };
  return new TwinBus({ server, name, settleMs: 0, outside: clock, inside: clock, weather, log });
}

function frontEnd(bus: TwinBus): RequestEvents {
  const newId = (): string => {
    ids += 1;
    return `id-${ids}`;
  };
  return new RequestEvents({ bus, clock, log, newId });
}

function call(events: RequestEvents, n: number): void {
  const reply = { status: 200, body: {} } as const;
  events.add({ route: ROUTE, params: { n: String(n) }, body: {}, caller: { kind: 'anonymous' }, reply });
}

async function run(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += STEP_MS) {
    clock.advance(STEP_MS);
    await settled();
  }
}

/** Which calls the stream has, in its order. */
function recorded(): number[] {
  const messages = server.stream(streams.events).messages.map(({ data }) => readEventBatch(data));
  return messages.flatMap((batch) => batch!.events.map(({ text }) => Number(/x\/(\d+)/.exec(text)?.[1])));
}

/** The bus stores the next batch and is away before it has said so. */
function loseAnswer(): void {
  whenAppended = () => server.turn(false);
}

it('request-events.C1 calls are recorded in order, those that wait together', async () => {
  const events = frontEnd(busOf('one'));
  await run(100);
  for (const n of [1, 2, 3]) call(events, n);
  await run(100);
  expect(recorded()).toEqual([1, 2, 3]);
  expect(server.stream(streams.events).messages).toHaveLength(2);
});

it.each([1, 60])(
  'request-log.B1 a batch whose answer was lost is stored once behind an outage of %i minutes',
  async (minutes) => {
    const events = frontEnd(busOf('one'));
    const other = frontEnd(busOf('two'));
    await run(100);
    call(events, 1);
    await run(100);
    loseAnswer();
    call(events, 2);
    await run(100);
    call(events, 3);
    clock.advance(minutes * MINUTE);
    await settled();
    server.turn(true);
    call(other, 4);
    await run(2_000);
    expect(recorded().sort()).toEqual([1, 2, 3, 4]);
    call(events, 5);
    await run(100);
    expect(recorded().at(-1)).toBe(5);
    expect(log.said).toEqual([]);
  },
);

it('request-log.B1 the very first batch of a front end is stored once, behind those of others', async () => {
  const other = frontEnd(busOf('two'));
  await run(100);
  call(other, 1);
  await run(100);
  const events = frontEnd(busOf('one'));
  await run(100);
  loseAnswer();
  call(events, 2);
  await run(100);
  clock.advance(60 * MINUTE);
  server.turn(true);
  await run(2_000);
  expect(recorded()).toEqual([1, 2]);
});

it('request-log.B1 a batch that the bus never had is stored behind the outage', async () => {
  const events = frontEnd(busOf('one'));
  await run(100);
  server.turn(false);
  call(events, 1);
  await run(20_000);
  clock.advance(60 * MINUTE);
  server.turn(true);
  await run(2_000);
  expect(recorded()).toEqual([1]);
});

it('request-log.B1 a batch that the bus never had is stored although another front end was faster behind the outage', async () => {
  const [own, others] = [busOf('one'), busOf('two')];
  const events = frontEnd(own);
  const other = frontEnd(others);
  await run(100);
  call(events, 1);
  await run(100);
  server.turn(false);
  call(events, 2);
  await run(20_000);
  server.turn(true);
  while (!others.connected) await run(STEP_MS);
  call(other, 3);
  await run(3_000);
  expect(recorded()).toEqual([1, 3, 2]);
});

it('request-log.B2 calls that wait when the front end ends are recorded', async () => {
  const events = frontEnd(busOf('one'));
  await run(100);
  for (const n of [1, 2, 3]) call(events, n);
  const stopped = events.stop();
  await run(100);
  await stopped;
  expect(recorded()).toEqual([1, 2, 3]);
  expect(log.said).toEqual([]);
});

it('request-log.B2 an end while the bus is away waits for no more than one attempt, and the log counts what is lost', async () => {
  const events = frontEnd(busOf('one'));
  await run(100);
  server.turn(false);
  for (const n of [1, 2, 3]) call(events, n);
  await run(10_000);
  let isStopped = false;
  void events.stop().then(() => {
    isStopped = true;
  });
  await run(3_000);
  expect(isStopped).toBe(true);
  expect(log.said.map(({ fields }) => fields)).toEqual([{ events: 3 }]);
});

it('request-events.C2 what is beyond the calls that may wait is counted, and said when the bus is back', async () => {
  const events = frontEnd(busOf('one'));
  await run(100);
  server.turn(false);
  call(events, 0);
  await run(100);
  for (let n = 1; n <= REQUEST_EVENTS_WAITING + 2; n += 1) call(events, n);
  server.turn(true);
  await run(3_000);
  const texts = server
    .stream(streams.events)
    .messages.flatMap(({ data }) => readEventBatch(data)!.events.map(({ text }) => text));
  expect(texts).toHaveLength(REQUEST_EVENTS_WAITING + 2);
  expect(texts).toContain('2 calls were not recorded: the bus was away.');
});
