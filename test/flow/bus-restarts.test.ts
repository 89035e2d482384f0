/**
 * nats-server is killed and started again, over and over, under a load of telecommands, with executor, gateways and
 * drivers in processes of their own: none of them dies, so no telecommand may end as if the gateway or the driver did
 * not run. `BUS_RESTARTS` sets how often (`npm run bus-restarts`: 40).
 */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { call } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { endAllMcs, startMcs } from '../support/mcs.ts';
import { until } from '../support/until.ts';

const RESTARTS = Number(process.env['BUS_RESTARTS'] ?? 3);
const SEED = Number(process.env['BUS_SEED'] ?? 1);

let cell: DemoCell;

beforeAll(async () => {
  cell = await startDemoCell({ roles: ['api', 'telemetry'] });
  const at = ['--nats', cell.nats.url, '--credentials', cell.nats.credentialsFile];
  for (const role of ['executor', 'gateways', 'drivers'])
    await startMcs({ args: ['serve', '--roles', role, ...at] });
}, 120_000);
afterAll(async () => {
  await endAllMcs();
  await cell?.stop();
});

const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

it(
  'MC-TC-038 a gateway and a driver that live are never said not to run, however often the bus is restarted',
  async () => {
    const random = seededRandom(SEED);
    const acknowledged = new Set<string>();
    let loading = true;
    const load = (async () => {
      while (loading) {
        const body = { target: 'sat1', telecommand: 'camera.ping' };
        const answer = await call<TcReply>('POST', `${cell.api}/v1/tc`, body).catch(() => undefined);
        if (answer?.status === 202) acknowledged.add(answer.body.id);
        await wait(10);
      }
    })();
    await until(() => acknowledged.size > 20, { timeoutMs: 60_000, what: 'telecommands being taken' });
    for (let n = 0; n < RESTARTS; n += 1) {
      await cell.nats.kill();
      await wait(random.next() * 4_000);
      await cell.nats.start();
      const before = acknowledged.size;
      await until(() => acknowledged.size > before + 20, {
        timeoutMs: 60_000,
        what: 'telecommands being taken again',
      });
      await wait(random.next() * 1_500);
    }
    loading = false;
    await load;
    const last = new Map<string, TcEvent>();
    await cell.bus.follow(
      streams.telecommandEvents,
      subject.tcEvents('sat1'),
      { from: 'start' },
      ({ data }) => {
        const event = JSON.parse(Buffer.from(data).toString()) as TcEvent;
        last.set(event.tc, event);
      },
    );
    const isOver = (id: string): boolean =>
      !['PENDING', 'ENCODED', 'SENT'].includes(last.get(id)?.state ?? 'PENDING');
    await until(() => [...acknowledged].every(isOver), {
      timeoutMs: 90_000,
      what: 'every telecommand being over',
    });
    const ends = [...acknowledged].map((id) => last.get(id)!);
    const count = (state: string): number => ends.filter((each) => each.state === state).length;
    const absent = ends.filter(({ detail = '' }) => detail.includes('is not running'));
    console.log(
      `${RESTARTS} restarts, ${ends.length} telecommands: ${count('COMPLETE')} complete, ${count('SEND_FAILED')} SEND_FAILED, ${count('ENCODE_FAILED')} ENCODE_FAILED, ${absent.length} of them "not running"`,
      [
        ...new Set(
          ends.filter(({ state }) => state !== 'COMPLETE').map(({ state, detail }) => `${state}: ${detail}`),
        ),
      ],
    );
    expect(absent).toEqual([]);
  },
  180_000 + RESTARTS * 30_000,
);
