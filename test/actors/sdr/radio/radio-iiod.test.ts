/** The same radio over a board behind an iiod. */

import { afterEach, describe, expect, it } from 'vitest';
import { type IiodServer, serveIiod } from '../../../../radio/iio/server.ts';
import { prbs } from '../../../../radio/prbs.ts';
import { createStub, type StubBoard } from '../../../../radio/stub/stub.ts';
import { realClock } from '../../../../supervision/clock.ts';
import { keptLog } from '../../../support/silent-log.ts';
import { until } from '../../../support/until.ts';
import { accepted, type BenchWorld, refused, startBenchWorld } from '../bench-world.ts';

const PRBS = prbs(15, 8 * 4096);
const DEADLINE_MS = 2_000;

let world: BenchWorld;
let server: IiodServer;
let stub: StubBoard;
afterEach(async () => {
  await world.stop();
  await server.stop();
  await stub.close();
});

async function serve(port = 0): Promise<void> {
  stub = createStub({ seed: 3, clock: realClock });
  server = await serveIiod({ context: stub, port, clock: realClock, log: keptLog() });
}

async function overIiod(): Promise<void> {
  await serve();
  const board = { kind: 'iiod', host: '127.0.0.1', port: server.port, deadlineMs: DEADLINE_MS } as const;
  world = await startBenchWorld({ board });
}

describe('a board behind an iiod', () => {
  it.each(['pl-loopback', 'air'] as const)(
    'RB-CHAIN-009 RB-DP-015 is conditioned to %s and measured BytePerfect',
    async (target) => {
      await overIiod();
      const { bench, user } = world;
      const done = await accepted(bench.chain.condition({ target, profile: 'fast' }));
      expect(done.state.ready).toBe(true);
      expect(await accepted(bench.datapath.measure(PRBS, {}))).toMatchObject({ verdict: 'BytePerfect' });
      expect(await accepted(bench.radio.status())).toMatchObject({ rx_state: 'active', tx_state: 'active' });
      expect(await accepted(bench.radio.capabilities())).toMatchObject({ mock: true });
      expect(await user.sample(['rx.frame_sync', 'rx.ebn0_db'])).toEqual({
        'rx.frame_sync': true,
        'rx.ebn0_db': null,
      });
      expect(user.provider).toContain('iiod at 127.0.0.1');
      await accepted(
        bench.datapath.transmit({ packets: [{ protocol: 'raw', payload_hex: 'aa'.repeat(300) }] }),
      );
      expect(await accepted(bench.datapath.flush({ blocks: 2 }))).toMatchObject({ useful_bytes: 300 });
    },
  );

  it('RB-DP-003 a capture that nothing comes to is refused in time, and the next one works', async () => {
    await overIiod();
    const { bench } = world;
    await accepted(bench.chain.condition({ target: 'pl-loopback', profile: 'fast' }));
    expect(await refused(bench.datapath.capture({ blocks: 2, timeout_ms: 100 }))).toMatchObject({
      code: 'timeout',
    });
    expect(await accepted(bench.datapath.measure(PRBS, {}))).toMatchObject({ verdict: 'BytePerfect' });
  });

  it('that breaks off in the middle of a command is unavailable, not failing', async () => {
    await overIiod();
    const asked = world.bench.chain.condition({ target: 'air', profile: 'fast' });
    await until(() => world.context().running.length > 0);
    await server.stop();
    expect(await refused(asked)).toMatchObject({ code: 'unavailable' });
  });

  it('RB-RAD-004 is muted while iiod has another question in its hands, and what hangs does not undo it', async () => {
    await overIiod();
    const { bench } = world;
    await accepted(bench.chain.condition({ target: 'air', profile: 'fast' }));
    const write = stub.write.bind(stub);
    let letGo = (): void => undefined;
    let isHeld = false;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    stub.write = async (at, value) => {
      if (at.name === 'hardwaregain' && value.startsWith('-3')) {
        isHeld = true;
        await held;
      }
      return write(at, value);
    };
    const raised = bench.radio.gain({ tx_gain_db: -3 });
    await until(() => isHeld);
    expect(await accepted(bench.radio.gain({ tx_gain_db: -89 }))).toMatchObject({ tx_rf_gain_db: -89 });
    letGo();
    expect(await refused(raised)).toMatchObject({ code: 'conflict' });
    expect(await accepted(bench.radio.status())).toMatchObject({ tx_rf_gain_db: -89.75 });
  });

  it('that goes away is lost, and connected again when it is back', async () => {
    await overIiod();
    const { bench } = world;
    const { port } = server;
    await accepted(bench.profiles.apply('fast'));
    await server.stop();
    await stub.close();
    await until(() => world.context().board === undefined);
    expect(await refused(bench.radio.gain({ rx_gain_db: 3 }))).toMatchObject({ code: 'unavailable' });
    expect(await bench.profiles.active()).toEqual({ dirty: false });
    await serve(port);
    await until(() => world.context().board !== undefined);
    await accepted(bench.radio.gain({ rx_gain_db: 3 }));
  });
});
