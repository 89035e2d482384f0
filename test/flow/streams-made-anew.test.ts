/**
 * Streams and buckets that are gone, under a living process and while nobody runs: what is acknowledged from then on is
 * done, and the loss is said. `npm run streams-made-anew` takes each of them away alone.
 */

import { connect, jwtAuthenticator } from 'nats';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bucketStream } from '../../bus/declared.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import type { CurrentValues } from '../../contract/value.ts';
import { call, readLog } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { currentRevision, leaf, logWith, ping, programOf, submitProgram } from '../support/run-program.ts';
import { until } from '../support/until.ts';

/** A verification that is lost with its stream takes its twenty seconds. */
const PATIENTLY = { timeoutMs: 90_000 };
let nats: TestNats;
let cell: DemoCell | undefined;

beforeEach(async () => {
  nats = await startNats();
});
afterEach(async () => {
  await cell?.stop();
  await nats.stop();
}, 60_000);

async function removed(...names: string[]): Promise<void> {
  const { jwt, seed } = nats.credentials;
  const connection = await connect({
    servers: nats.url,
    authenticator: jwtAuthenticator(jwt, Buffer.from(seed)),
  });
  const manager = await connection.jetstreamManager();
  for (const name of names) await manager.streams.delete(name).catch(() => undefined);
  await connection.close();
}

async function sent(): Promise<string | undefined> {
  const { api } = cell!;
  const body = { target: 'sat1', telecommand: 'obc.set_watchdog', args: { period: '30 s' } };
  const answer = await until(async () => {
    const now = await call<TcReply>('POST', `${api}/v1/tc`, body);
    return now.status === 202 && now;
  }, PATIENTLY);
  return (await readLog<TcEvent>(`${api}/v1/tc/sat1/${answer.body.id}/events`)).at(-1)?.state;
}

/** What is acknowledged is done; of what was sent while the loss was being found it may not be known. */
async function works(): Promise<void> {
  const { api, bus } = cell!;
  const states: (string | undefined)[] = [];
  await until(
    async () => {
      states.push(await sent());
      return states.at(-1) === 'VERIFIED';
    },
    { ...PATIENTLY, what: () => `VERIFIED behind ${states.join(', ')}` },
  );
  const config = await currentRevision(bus);
  await until(async () => {
    // Refused where its stream is not there again yet.
    const run = await submitProgram(bus, programOf(config, [leaf('ping', [ping()])])).catch(() => undefined);
    if (run === undefined) return false;
    const [last] = (await logWith(bus, run, 'finished', PATIENTLY)).slice(-1);
    return last?.event === 'finished' && last.ok;
  }, PATIENTLY);
  const before = Date.now();
  await until(
    async () => {
      const { body } = await call<CurrentValues>('GET', `${api}/v1/targets/sat1/values`);
      return body.values?.some(({ sample }) => Date.parse(sample.ground_time) > before);
    },
    { ...PATIENTLY, what: 'new values' },
  );
}

const lost = async (): Promise<unknown> =>
  (await call<{ lost?: unknown }>('GET', `${cell!.api}/healthz`)).body.lost;

/** Without its configuration a cell has nothing to do: it is published again by a person. */
const NEEDED: readonly string[] = ['KV_mcs_config'];
const STREAMS = Object.values(streams).map(({ name }) => name);
const BUCKETS = Object.values(buckets).map((bucket) => bucketStream(bucket));
const EACH = [...STREAMS, ...BUCKETS].filter((name) => !NEEDED.includes(name));

const GONE: readonly (readonly [string, readonly string[]])[] =
  process.env['STREAMS_MADE_ANEW'] === 'each'
    ? EACH.map((name) => [name, [name]] as const)
    : [['every stream', STREAMS]];

describe.each(GONE)('%s', (_, names) => {
  it('gone while nobody runs (low-water-mark.F8)', async () => {
    cell = await startDemoCell({ nats });
    await works();
    expect(await lost()).toBeUndefined();
    await cell.stop();
    await removed(...names);
    cell = await startDemoCell({ nats });
    await works();
    if (names.includes('TC_COMMANDS')) expect(await lost()).toMatchObject({ until: expect.any(String) });
  }, 300_000);

  it('gone under a living process', async () => {
    cell = await startDemoCell({ nats });
    await works();
    await removed(...names);
    await works();
    await works();
  }, 300_000);
});
