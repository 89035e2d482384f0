/**
 * What stops the transmitter goes before everything, and what was asked before it does not undo it. RF Bench Service,
 * section 4.
 */

import { afterEach, describe, expect, it } from 'vitest';
import { RADIO_ID } from '../../../../actors/sdr/radio/binding.ts';
import type { BoardHolder } from '../../../../actors/sdr/radio/board-user.ts';
import type { Refusable } from '../../../../ports/bench.ts';
import type { IioAttribute } from '../../../../radio/iio/context.ts';
import { prbs } from '../../../../radio/prbs.ts';
import { until } from '../../../support/until.ts';
import { accepted, type BenchWorld, refused, startBenchWorld } from '../bench-world.ts';

const PRBS = prbs(15, 8 * 4096);
const RUN: BoardHolder = { kind: 'campaign', id: '01J0000000000000000000000A' };
const HOUR_MS = 3_600_000;
const MUTE = { tx_gain_db: -89 };

let world: BenchWorld;
afterEach(async () => world.stop());

async function onAir(): Promise<void> {
  world = await startBenchWorld();
  await accepted(world.bench.chain.condition({ target: 'air', profile: 'fast' }));
  expect(await radiates()).toBe(true);
}

/** As anybody with a tool sees it. */
async function radiates(): Promise<boolean> {
  const { levels, truth } = { levels: await levelsDb(), truth: world.board().truth() };
  return truth.transmitting && levels.some((db) => db > -80);
}

async function levelsDb(): Promise<number[]> {
  const gain = (channel: string): IioAttribute => ({
    device: 'ad9361-phy',
    of: 'channel',
    channel,
    output: true,
    name: 'hardwaregain',
  });
  const texts = await Promise.all(['voltage0', 'voltage1'].map((each) => world.board().read(gain(each))));
  return texts.map(Number.parseFloat);
}

/** The board answers writes of this kind only when it is let go on. */
function hangs(isHeld: (at: IioAttribute, value: string) => boolean): { letGo(): void; held(): boolean } {
  const board = world.board();
  const write = board.write.bind(board);
  let letGo = (): void => undefined;
  let held = false;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  board.write = async (at, value) => {
    if (isHeld(at, value)) {
      held = true;
      await gate;
    }
    return write(at, value);
  };
  return { letGo: () => letGo(), held: () => held };
}

const isRate = ({ name }: IioAttribute): boolean => name === 'sampling_frequency';
const never = (): void => world.board().inject({ stalled: { receive: true } });

/** What may be under way or wait; each ends when the test does. */
const busy: Readonly<Record<string, () => Promise<unknown>>> = {
  'a capture that waits': async () => {
    never();
    return world.bench.datapath.capture({ blocks: 1, timeout_ms: HOUR_MS });
  },
  'a measurement that waits': async () => {
    never();
    return world.bench.datapath.measure(PRBS, { timeoutMs: HOUR_MS });
  },
  'a loopback that waits': async () => {
    never();
    return world.bench.datapath.loopback(PRBS, { timeoutMs: HOUR_MS });
  },
  'an apply that the board holds up': async () => {
    hangs(isRate);
    return world.bench.profiles.apply('other');
  },
  'a campaign': async () => {
    await accepted(world.user.hold(RUN));
    never();
    return world.user.perform({ do: 'datapath.measure', with: { blocks: 1, timeout_ms: HOUR_MS } }, RUN);
  },
  'a hundred settings that wait': async () => {
    hangs(isRate);
    return Promise.all(
      ['other', ...Array.from({ length: 99 }, () => 'fast')].map((name) => world.bench.profiles.apply(name)),
    );
  },
};

const stops: Readonly<Record<string, () => Promise<Refusable<unknown>>>> = {
  'radio/gain that mutes': () => world.bench.radio.gain(MUTE),
  'datapath/disable': () => world.bench.datapath.disable(),
};

describe('command-queue.K6 what stops the transmitter waits for nothing', () => {
  it.each(Object.keys(stops).flatMap((stop) => Object.keys(busy).map((what) => [stop, what] as const)))(
    'RB-RAD-004 RB-DP-007 %s is done behind nobody, not %s',
    async (stop, what) => {
      await onAir();
      const asked = busy[what]!();
      asked.catch(() => undefined);
      await until(() => world.context().running.length > 0);
      await accepted(stops[stop]!() as never);
      expect(await radiates()).toBe(false);
      // The run itself is not over by that: what it does now is not received.
      if (what === 'a campaign')
        expect(
          await refused(world.user.perform({ do: 'radio.gain', with: { tx_gain_db: -10 } }, RUN)),
        ).toMatchObject({
          code: 'conflict',
          message: expect.stringContaining('has stopped the transmitter'),
        });
    },
  );

  it('a mute is done while the record cannot be written, and is in it later', async () => {
    await onAir();
    let write = (): void => undefined;
    const away = new Promise<void>((resolve) => {
      write = resolve;
    });
    world.store.before = () => away;
    expect(await accepted(world.bench.radio.gain(MUTE))).toMatchObject({ tx_gain_db: -89 });
    expect(await radiates()).toBe(false);
    expect(await world.bench.profiles.active()).toMatchObject({ dirty: true });
    write();
    await until(() => world.kind.peek('board')?.quiet !== false);
    expect(world.bench.events.events({ kind: 'transmitter.muted', limit: 9 })).toHaveLength(1);
  });

  it('a mute ends what is fed over the air, with the reason, and leaves a loopback alone', async () => {
    await onAir();
    world.board().inject({ stalled: { receive: true } });
    const measured = world.bench.datapath.measure(PRBS, { timeoutMs: HOUR_MS });
    await until(() => world.board().truth().queued > 0);
    await accepted(world.bench.radio.gain(MUTE));
    expect(await refused(measured)).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('POST /api/v1/radio/gain has muted'),
    });
    expect(world.board().truth().queued).toBe(0);
    world.board().inject({ stalled: undefined });
    await accepted(world.bench.chain.condition({ target: 'pl-loopback' }));
    const inside = world.bench.datapath.measure(PRBS, {});
    await accepted(world.bench.radio.gain(MUTE));
    expect(await accepted(inside)).toMatchObject({ verdict: 'BytePerfect' });
  });

  it('registers that are held up hold no egress open', async () => {
    await onAir();
    const hung = hangs(({ name }, value) => name === 'direct_reg_access' && value === '0x3c');
    void world.bench.radio.aux();
    await until(hung.held);
    await accepted(world.bench.datapath.disable());
    expect(world.board().truth().transmitting).toBe(false);
    hung.letGo();
  });
});

describe('stops.Z1 nothing asked before a stop makes the transmitter radiate behind it', () => {
  const raising: Readonly<Record<string, () => Promise<Refusable<unknown>>>> = {
    'an apply': () => world.bench.profiles.apply('other'),
    'a conditioning': () => world.bench.chain.condition({ target: 'air', profile: 'other' }),
    'a gain': () => world.bench.radio.gain({ tx_gain_db: -3 }),
    enable: () => world.bench.datapath.enable(),
    'a transmission': () =>
      world.bench.datapath.transmit({
        force: true,
        packets: [{ protocol: 'raw', payload_hex: 'ff'.repeat(9000) }],
      }),
    'a measurement': () => world.bench.datapath.measure(PRBS, { force: true, timeoutMs: 200 }),
    'a loopback': () => world.bench.datapath.loopback(PRBS, { force: true, timeoutMs: 200 }),
  };

  it.each(Object.keys(stops).flatMap((stop) => Object.keys(raising).map((what) => [what, stop] as const)))(
    '%s that waited, behind %s',
    async (what, stop) => {
      await onAir();
      const first = hangs(isRate);
      const before = world.bench.profiles.apply('fast');
      await until(first.held);
      const waiting = raising[what]!();
      await accepted(stops[stop]!() as never);
      first.letGo();
      await Promise.allSettled([before, waiting]);
      expect(await radiates()).toBe(false);
      expect(world.board().truth().queued).toBe(0);
      // A command that is newer does.
      await accepted(world.bench.chain.condition({ target: 'air', profile: 'fast' }));
      expect(await radiates()).toBe(true);
    },
  );

  it('a level that was on its way to the board is undone when it lands', async () => {
    await onAir();
    await accepted(world.bench.radio.gain(MUTE));
    const hung = hangs(({ name }, value) => name === 'hardwaregain' && value.startsWith('-3'));
    const raised = world.bench.radio.gain({ tx_gain_db: -3 });
    await until(hung.held);
    await accepted(world.bench.radio.gain(MUTE));
    hung.letGo();
    expect(await refused(raised)).toMatchObject({ code: 'conflict' });
    expect(await radiates()).toBe(false);
  });
});

describe('machines/bench/radio.R1 settings go on beside blocks that are waited for', () => {
  it('RB-DP-002 a capture sees what another client transmits meanwhile', async () => {
    await onAir();
    const captured = world.bench.datapath.capture({ blocks: 8, timeout_ms: 5_000 });
    await until(() => world.context().running.length > 0);
    const payload_hex = Buffer.from(prbs(15, 16 * 4096)).toString('hex');
    await accepted(world.bench.datapath.transmit({ packets: [{ protocol: 'raw', payload_hex }] }));
    const bytes = Buffer.from(await accepted(captured));
    expect(bytes).toHaveLength(8 * 4096);
    expect(bytes.indexOf(Buffer.from(payload_hex, 'hex').subarray(4096, 4200))).toBeGreaterThanOrEqual(0);
  });

  it('an apply is not held up by a measurement, which it ends', async () => {
    await onAir();
    world.board().inject({ stalled: { receive: true } });
    const measured = world.bench.datapath.measure(PRBS, { timeoutMs: HOUR_MS });
    await until(() => world.board().truth().queued > 0);
    await accepted(world.bench.profiles.apply('other'));
    expect(await refused(measured)).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('POST /api/v1/profiles/other/apply changes the chain'),
    });
  });

  it('what is asked behind a setting waits for it', async () => {
    world = await startBenchWorld();
    const conditioned = world.bench.chain.condition({ target: 'pl-loopback', profile: 'fast' });
    const measured = world.bench.datapath.measure(PRBS, {});
    await accepted(conditioned);
    expect(await accepted(measured)).toMatchObject({ verdict: 'BytePerfect' });
  });

  it('radio-record.F2 a measurement during which the configuration changed proves nothing', async () => {
    world = await startBenchWorld();
    const { bench } = world;
    await accepted(bench.chain.condition({ target: 'pl-loopback', profile: 'fast' }));
    const measured = bench.datapath.measure(PRBS, { blocks: 64 });
    await until(() => world.board().truth().queued > 0);
    await accepted(bench.radio.gain({ rx_gain_db: 11 }));
    expect(await accepted(measured)).toMatchObject({ verdict: 'BytePerfect' });
    expect(world.context().record.proof).toBeUndefined();
  });
});

describe('machines/bench/radio.R2 a run that was stopped by hand', () => {
  it('its own mutes count as those of everybody, and a new holding is a new beginning', async () => {
    await onAir();
    const { user, bench } = world;
    const raise = { do: 'radio.gain', with: { tx_gain_db: -10 } } as const;
    await accepted(user.hold(RUN));
    await accepted(user.perform({ do: 'radio.gain', with: MUTE }, RUN));
    await accepted(user.perform(raise, RUN));
    await accepted(bench.radio.gain(MUTE));
    expect(await refused(user.perform(raise, RUN))).toMatchObject({ code: 'conflict' });
    await accepted(user.hold(RUN));
    expect(await refused(user.perform(raise, RUN))).toMatchObject({ code: 'conflict' });
    await user.release(RUN);
    await accepted(user.hold(RUN));
    await accepted(user.perform(raise, RUN));
    expect(await radiates()).toBe(true);
  });
});

describe('the end of the daemon', () => {
  it('roles/bench.R3 mutes a radio that has no cell any more, asked for twice at once and once more', async () => {
    await onAir();
    world.kind.drop(RADIO_ID);
    await Promise.all([world.radio.silence(), world.radio.silence()]);
    expect(await radiates()).toBe(false);
    await world.radio.silence();
    expect(await radiates()).toBe(false);
  });
});
