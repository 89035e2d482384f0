/** Two benches over the same records and the same board: what the earlier one has under way when it is replaced. */

import { afterEach, describe, expect, it } from 'vitest';
import type { BoardHolder } from '../../../../actors/sdr/radio/board-user.ts';
import type { RadioContext } from '../../../../machines/bench/radio-protocol.ts';
import { Modem } from '../../../../radio/board/modem.ts';
import { controlBit, register } from '../../../../radio/board/registers.ts';
import type { IioAttribute, IioContext } from '../../../../radio/iio/context.ts';
import { createStub, type StubBoard } from '../../../../radio/stub/stub.ts';
import { realClock } from '../../../../supervision/clock.ts';
import { until } from '../../../support/until.ts';
import { accepted, type BenchWorld, refused, startBenchWorld } from '../bench-world.ts';

const RUN: BoardHolder = { kind: 'campaign', id: '01J0000000000000000000000A' };
const SOON = { timeoutMs: 5_000, what: 'a silent board' };
const MUTE = { do: 'radio.gain', with: { tx_gain_db: -89 } } as const;
const AIR = { target: 'air', profile: 'fast' } as const;

type Write = { readonly at: IioAttribute; readonly value: string };

/** A write to the board that waits until it is let go on. */
interface Gate {
  readonly of: (write: Write) => boolean;
  held: boolean;
  readonly opened: Promise<void>;
  readonly letGo: () => void;
}

let board: StubBoard;
/** What of the first bench waits. */
let gate: Gate | undefined;
let worlds: BenchWorld[] = [];
const held: { letGo: () => void }[] = [];
/** Levels that have reached the board, in dB. */
let levels: number[] = [];
afterEach(async () => {
  for (const gate of held.splice(0)) gate.letGo();
  for (const world of worlds) await world.stop();
  worlds = [];
});

/** The same board by a connection of its own. */
function connection(isFirst: boolean): IioContext {
  const write: IioContext['write'] = async (at, value) => {
    if (isFirst && gate?.held === false && gate.of({ at, value })) {
      gate.held = true;
      await gate.opened;
    }
    await board.write(at, value);
    if (isLevel(at)) levels.push(Number(value));
  };
  return new Proxy(board, {
    get(of, name) {
      if (name === 'close') return async () => undefined;
      if (name === 'write') return write;
      const value = Reflect.get(of, name, of);
      return typeof value === 'function' ? value.bind(of) : value;
    },
  });
}

/** The next such write of the first bench waits until it is let go on. */
function gateAt(of: Gate['of']): Gate {
  let letGo = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  gate = { of, held: false, opened, letGo };
  held.push(gate);
  return gate;
}

async function startFirst(): Promise<BenchWorld> {
  board = createStub({ seed: 1, clock: realClock });
  gate = undefined;
  levels = [];
  let opened = 0;
  const open = async () => connection(opened++ === 0);
  const world = await startBenchWorld({ clock: realClock, board: { kind: 'given', open } });
  worlds.push(world);
  return world;
}

async function startSecond(first: BenchWorld): Promise<BenchWorld> {
  const second = await first.beside();
  worlds.push(second);
  expect(await radiates()).toBe(false);
  return second;
}

function isLevel(at: IioAttribute): boolean {
  return at.name === 'hardwaregain' && at.of === 'channel' && at.output && at.channel === 'voltage0';
}

/** That the commands of that bench have ended is recorded only once it is let go on. */
function holdEnds(world: BenchWorld): { held: boolean; letGo: () => void } {
  const { session } = world.context();
  const ends = { held: false, letGo: (): void => undefined };
  const opened = new Promise<void>((resolve) => {
    ends.letGo = resolve;
  });
  held.push(ends);
  const { before } = world.store;
  world.store.before = async (commit) => {
    const { context } = commit.envelope().snapshot as { readonly context: RadioContext };
    if (context.session !== session || context.running.length > 0) return before(commit);
    ends.held = true;
    await opened;
  };
  return ends;
}

async function levelDb(): Promise<number> {
  const text = await board.read({
    device: 'ad9361-phy',
    of: 'channel',
    channel: 'voltage0',
    output: true,
    name: 'hardwaregain',
  });
  return Number.parseFloat(text);
}

async function radiates(): Promise<boolean> {
  return board.truth().transmitting && (await levelDb()) > -80;
}

const isRate = ({ at }: Write): boolean => at.name === 'sampling_frequency';
const isRaise = ({ at, value }: Write): boolean => isLevel(at) && Number(value) > -80;
const replaced = (first: BenchWorld) => until(() => first.kind.peek('board') === undefined);

describe('roles/bench.R1 a command under way when another bench takes the board', () => {
  it('takeover.D2 what it has put on the air by the time that this is known is silenced', async () => {
    const first = await startFirst();
    const write = gateAt(isRate);
    const asked = refused(first.bench.chain.condition(AIR));
    await until(() => write.held);
    await startSecond(first);
    write.letGo();
    expect(await asked).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('another bench'),
    });
    await until(async () => !(await radiates()), SOON);
    await first.stop();
    expect(first.log.said.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/another bench took the board: transmitter at -10 dB .*; muted$/),
    );
  });

  it('takeover.D1 a level that it has handed to the board lands, and is undone', async () => {
    const first = await startFirst();
    const write = gateAt(isRaise);
    const asked = refused(first.bench.chain.condition(AIR));
    await until(() => write.held);
    await startSecond(first);
    await refused(first.user.hold(RUN));
    expect(await asked).toMatchObject({ code: 'unavailable' });
    write.letGo();
    await until(() => levels.includes(-10), { what: 'the level' });
    await until(async () => (await levelDb()) < -80, SOON);
  });

  it('takeover.D2 the board is left alone where the other one has set it since', async () => {
    const first = await startFirst();
    const ends = await conditioned(first);
    const second = await startSecond(first);
    await radiating(second);
    ends.letGo();
    await replaced(first);
    await first.stop();
    expect(await radiates()).toBe(true);
  });

  it('takeover.D2 and where the other one is setting it', async () => {
    const first = await startFirst();
    const ends = await conditioned(first);
    const second = await startSecond(first);
    const others = holdEnds(second);
    const asked = radiating(second);
    await until(() => others.held);
    await openEgress();
    ends.letGo();
    await replaced(first);
    await first.stop();
    expect(await radiates()).toBe(true);
    others.letGo();
    await asked;
  });
});

/** It has conditioned the board, which is not recorded yet. */
async function conditioned(world: BenchWorld): Promise<{ letGo(): void }> {
  const ends = holdEnds(world);
  world.bench.chain.condition(AIR).catch(() => undefined);
  await until(() => ends.held);
  expect(await radiates()).toBe(true);
  return ends;
}

/** The devices of the modem are the first one's while it lives: the egress is opened past both. */
async function radiating({ bench }: BenchWorld): Promise<void> {
  await accepted(bench.radio.gain({ tx_gain_db: -10 }));
  await openEgress();
  expect(await radiates()).toBe(true);
}

function openEgress(): Promise<void> {
  return new Modem(board).change(register.control, controlBit.egress, controlBit.egress);
}

describe('roles/bench.R1 a bench that was replaced', () => {
  it('takeover.D1 lets none of its runs stop what is the other one’s; a person still can', async () => {
    const first = await startFirst();
    await accepted(first.user.hold(RUN));
    const second = await startSecond(first);
    await radiating(second);
    await refused(first.user.perform({ do: 'datapath.enable', with: {} }, RUN));
    await replaced(first);
    expect(await refused(first.user.perform(MUTE, RUN))).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('another bench'),
    });
    expect(await radiates()).toBe(true);
    await accepted(first.bench.radio.gain(MUTE.with));
    expect(await radiates()).toBe(false);
  });
});
