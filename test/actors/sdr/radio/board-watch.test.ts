/** Another tool on the same board: Debian's IIO tools on the port of the model, beside the bench that drives it. */

import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { serveIiod } from '../../../../radio/iio/server.ts';
import { realClock } from '../../../../supervision/clock.ts';
import { keptLog } from '../../../support/silent-log.ts';
import { until } from '../../../support/until.ts';
import { accepted, type BenchWorld, startBenchWorld } from '../bench-world.ts';

const run = promisify(execFile);
const ends: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A bench under a profile, on the air, and where its board is served to others. */
async function start(condition = true): Promise<{ world: BenchWorld; uri: string }> {
  const world = await startBenchWorld();
  ends.push(() => world.stop());
  if (condition) await accepted(world.bench.chain.condition({ target: 'air', profile: 'fast' }));
  const server = await serveIiod({ context: world.board(), port: 0, clock: realClock, log: keptLog() });
  ends.push(() => server.stop());
  return { world, uri: `ip:127.0.0.1:${server.port}` };
}

const active = ({ bench }: BenchWorld) => bench.profiles.active();
const eventsOf = ({ bench }: BenchWorld, kind: string) =>
  bench.events.events({ limit: 1000 }).filter((event) => event.kind === kind);

describe('RB-PROF-003 another IIO client writes what the applied profile sets', () => {
  const attribute = (...args: string[]) => args;
  const writes: Readonly<Record<string, readonly [string[], string]>> = {
    'the oscillator of the receiver': [
      attribute('-c', '-o', 'ad9361-phy', 'RX_LO', 'frequency', '2401000000'),
      'lo.rx reads 2401000000',
    ],
    'the oscillator of the transmitter, powered down': [
      attribute('-c', '-o', 'ad9361-phy', 'TX_LO', 'powerdown', '1'),
      'lo.tx',
    ],
    'the level of the transmitter': [
      attribute('-c', '-o', 'ad9361-phy', 'voltage0', 'hardwaregain', '-20'),
      'tx.level reads -20 dB',
    ],
    'the gain of the receiver': [
      attribute('-c', '-i', 'ad9361-phy', 'voltage0', 'hardwaregain', '12'),
      'gain.rx reads 12 dB',
    ],
    'the mode of the gain': [
      attribute('-c', '-i', 'ad9361-phy', 'voltage0', 'gain_control_mode', 'slow_attack'),
      'gain.mode reads slow_attack',
    ],
    'a bandwidth': [attribute('-c', '-i', 'ad9361-phy', 'voltage0', 'rf_bandwidth', '5000000'), 'bandwidth'],
    'the sample rate': [
      attribute('-c', '-i', 'ad9361-phy', 'voltage0', 'sampling_frequency', '4000000'),
      'rate.sps',
    ],
    'a register of the modem': [
      attribute('-D', 'modem-ctl', 'direct_reg_access', '0x14 0x0'),
      'pl.config reads MODULATION=0',
    ],
    'a digital offset': [
      attribute('-D', 'modem-ctl', 'direct_reg_access', '0x38 0x400'),
      'nco.tx reads 1024 Hz',
    ],
  };

  it.each(Object.keys(writes))('%s: dirty, with what is read, and an event', async (what) => {
    const { world, uri } = await start();
    expect(await active(world)).toEqual({ name: 'fast', dirty: false });
    const [args, reason] = writes[what]!;
    await run('iio_attr', ['-u', uri, ...args]);
    expect(await active(world)).toEqual({
      name: 'fast',
      dirty: true,
      dirty_reason: expect.stringContaining(`on the board: ${reason}`),
    });
    expect(world.context().record).toMatchObject({ proof: undefined });
    expect(eventsOf(world, 'profile.dirty')).toHaveLength(1);
  });

  it('is noticed by itself, without anybody who asks', async () => {
    const { world, uri } = await start();
    await run('iio_attr', ['-u', uri, '-c', '-o', 'ad9361-phy', 'RX_LO', 'frequency', '2401000000']);
    await until(() => world.radio.applied().dirty, { what: 'a look at the board' });
  });

  it('stays dirty when it is set back, until an apply; the first change is the reason', async () => {
    const { world, uri } = await start();
    const tune = (hertz: string) =>
      run('iio_attr', ['-u', uri, '-c', '-o', 'ad9361-phy', 'RX_LO', 'frequency', hertz]);
    await tune('2401000000');
    const dirty = await active(world);
    await tune('2400000000');
    await run('iio_attr', ['-u', uri, '-c', '-i', 'ad9361-phy', 'voltage0', 'hardwaregain', '12']);
    expect(await active(world)).toEqual(dirty);
    await accepted(world.bench.profiles.apply('fast'));
    expect(await active(world)).toEqual({ name: 'fast', dirty: false });
  });

  it.each(['air', 'device-loopback', 'pl-loopback'] as const)(
    'what the bench itself sets is clean: applied, conditioned to %s, applied again there',
    async (target) => {
      const { world } = await start(false);
      for (const profile of ['fast', 'other']) {
        await accepted(world.bench.profiles.apply(profile));
        expect(await active(world)).toEqual({ name: profile, dirty: false });
        await accepted(world.bench.chain.condition({ target }));
        expect(await active(world)).toEqual({ name: profile, dirty: false });
      }
    },
  );

  it('board-watch.B1 looks beside commands take nothing that the bench sets for another tool', async () => {
    const { world } = await start();
    const { bench } = world;
    let isOver = false;
    const looking = (async () => {
      while (!isOver) await bench.profiles.active();
    })();
    for (const profile of ['other', 'fast', 'other', 'fast']) {
      await accepted(bench.profiles.apply(profile));
      await accepted(bench.chain.condition({ target: profile === 'fast' ? 'air' : 'device-loopback' }));
    }
    await accepted(bench.radio.gain({ tx_gain_db: -89 }));
    isOver = true;
    await looking;
    expect(await bench.profiles.active()).toMatchObject({ dirty_reason: 'POST /api/v1/radio/gain' });
    expect(eventsOf(world, 'profile.dirty')).toHaveLength(1);
  });

  it('a board that cannot be read is no other tool', async () => {
    const { world } = await start();
    world.board().inject({ attributes: { 'ad9361-phy altvoltage0 (out) frequency': 5 } });
    expect(await active(world)).toEqual({ name: 'fast', dirty: false });
  });
});

describe('RB-GEN-001 another tool feeds the transmitter', () => {
  it('samples of iio_writedev are seen: in the status, in the chain, as events, until they end', async () => {
    const { world, uri } = await start();
    const { bench } = world;
    expect(await accepted(bench.radio.status())).toMatchObject({ tx_source: 'modem' });
    await accepted(bench.datapath.disable());
    expect(await accepted(bench.radio.status())).toMatchObject({ tx_state: 'idle', tx_source: 'modem' });
    const child = spawn('iio_writedev', ['-u', uri, '-b', '65536', '-c', 'cf-ad9361-dds-core-lpc']);
    const gone = new Promise((resolve) => child.on('close', resolve));
    ends.push(() => child.kill('SIGKILL'));
    child.stdin.on('error', () => undefined);
    child.stdin.end(Buffer.alloc(65_536 * 8, 1));
    await until(() => world.board().truth().source === 'samples', { what: 'samples of the tool' });
    expect(await accepted(bench.radio.status())).toMatchObject({ tx_state: 'active', tx_source: 'samples' });
    const { ready, conditions } = await accepted(bench.chain.state('air'));
    expect(ready).toBe(false);
    expect(conditions.find(({ key }) => key === 'dma.tone')).toMatchObject({
      verdict: 'unmet',
      observed: expect.stringContaining('another tool sends samples'),
    });
    await until(() => eventsOf(world, 'transmitter.foreign').length === 1, {
      what: 'the event of the samples',
    });
    // A mute is what stops them.
    await accepted(bench.radio.gain({ tx_gain_db: -89 }));
    child.kill('SIGTERM');
    await gone;
    await until(() => eventsOf(world, 'transmitter.foreign').length === 2, {
      what: 'the event of their end',
    });
    expect(await accepted(bench.radio.status())).toMatchObject({ tx_source: 'modem' });
  });

  it('a tone is seen likewise, and an apply lets neither out', async () => {
    const { world, uri } = await start();
    const { bench } = world;
    await accepted(bench.radio.gain({ tx_gain_db: -89 }));
    await run('iio_attr', ['-u', uri, '-c', '-o', 'cf-ad9361-dds-core-lpc', 'TX1_I_F1', 'raw', '1']);
    await until(() => eventsOf(world, 'transmitter.foreign').length === 1, { what: 'the event of the tone' });
    expect(await accepted(bench.radio.status())).toMatchObject({ tx_state: 'active', tx_source: 'tone' });
    const tx = await world.board().open('cf-ad9361-dds-core-lpc', { samples: 16, mask: 3 });
    expect(world.board().truth().source).toBe('samples');
    await accepted(bench.profiles.apply('fast'));
    // The level is that of the profile again, and nothing leaves at it until the chain is conditioned.
    expect(await accepted(bench.radio.status())).toMatchObject({ tx_rf_gain_db: -10, tx_state: 'idle' });
    expect(world.board().truth()).toMatchObject({ source: 'modem', transmitting: false });
    await tx.close();
  });

  it('the command that the chain names gives the transmitter back to the modem', async () => {
    const { world, uri } = await start();
    const child = spawn('iio_writedev', ['-u', uri, '-b', '65536', '-c', 'cf-ad9361-dds-core-lpc']);
    ends.push(() => child.kill('SIGKILL'));
    child.stdin.on('error', () => undefined);
    child.stdin.end(Buffer.alloc(65_536 * 8, 1));
    await until(() => world.board().truth().source === 'samples', { what: 'samples of the tool' });
    const { next } = await accepted(world.bench.chain.state('air'));
    expect(next).toMatchObject({ condition: 'dma.tone', command: 'POST /api/v1/datapath/enable' });
    await accepted(world.bench.datapath.enable());
    expect(world.board().truth().source).toBe('modem');
    expect(await accepted(world.bench.chain.state('air'))).toMatchObject({ ready: true });
  });
});
