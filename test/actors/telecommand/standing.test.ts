/**
 * Telecommands by chance, lived by real cells on a log in memory: restored from what was kept of them, and from the log
 * alone.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTelecommandBinding } from '../../../actors/telecommand/binding.ts';
import { createHistoryStore } from '../../../actors/telecommand/history-store.ts';
import { cutBy, historyBefore } from '../../../actors/telecommand/taking-over.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { TELECOMMAND_VERSION } from '../../../machines/telecommand/fold.ts';
import type {
  TelecommandEffect,
  TelecommandEvent,
  TelecommandInput,
} from '../../../machines/telecommand/telecommand.ts';
import { HandOvers } from '../../../messaging/hand-overs.ts';
import { KeptEnvelopes, keptBytes } from '../../../messaging/kept-envelopes.ts';
import type { Binding } from '../../../ports/entity.ts';
import { Cell } from '../../../supervision/cells/cell.ts';
import { busAt, bytesOf, CountingBus, Dice, envelopeIn, spoiled } from '../../support/kept-life.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';

const START = 1_700_000_000_000;
/** When somebody else goes on. */
const LATER = START + 30_000;
const INPUT: TelecommandInput = {
  id: '01J0000000000000000000000A',
  target: 'sat1',
  component: 'obc',
  telecommand: 'act',
  changesState: false,
  verifyWithinMs: 600_000,
  at: START,
  run: 'r',
  step: 's',
};
const CELL = `sat1.${INPUT.id}`;
const numbers = fc.array(fc.nat(1_000), { minLength: 5, maxLength: 40 });

/** What driver, gateway and spacecraft say; times of a gateway may have parts of a millisecond. */
function reply(effect: TelecommandEffect, dice: Dice, at: number): TelecommandEvent | undefined {
  switch (effect.type) {
    case 'effect.check':
      return { type: 'requires.satisfied', at };
    case 'effect.encode':
      return {
        type: 'driver.encoded',
        at: at + 0.25,
        frame: dice.pick(['c0ffee', '', 'AB']),
        ...(dice.hits(2) && { reference: dice.pick(['17', ' 4 2 ']) }),
        ...(dice.hits(2) && { gateway: dice.pick(['kiruna-1', '.']) }),
      };
    case 'effect.send':
      if (dice.hits(4)) return { type: 'gateway.unknown', at, detail: 'nobody knows' };
      return {
        type: 'gateway.sent',
        at: at + 0.75,
        ...(dice.hits(2) && { handed: { frames: 1, decoded: 2, values: 3 } }),
      };
    default:
      return undefined;
  }
}

interface Life {
  readonly bus: CountingBus;
  readonly kept: readonly Uint8Array[];
  readonly length: number;
}

function storeOf(bus: CountingBus, kept?: KeptEnvelopes, appended: () => void = () => undefined) {
  const how = { bus, inputOf: () => INPUT, now: () => LATER, appended };
  return createHistoryStore({ ...how, ...(kept !== undefined && { kept }) });
}

/** One that is verified never: it has not ended when the chance is used up. */
async function lived(drawn: readonly number[]): Promise<Life> {
  const clock = new ManualClock(START);
  const bus = new CountingBus();
  bus.now = () => clock.now();
  const dice = new Dice(drawn);
  const kept: Uint8Array[] = [];
  const bound = createTelecommandBinding({
    bus,
    clock,
    handOvers: new HandOvers(clock),
    store: storeOf(bus, undefined, () => keep()),
    servicesOf: () => undefined,
    isOwned: () => true,
  });
  const answers = Object.keys(bound.effects).map((type) => [
    type,
    (effect: TelecommandEffect) => reply(effect, dice, clock.now()),
  ]);
  const binding = { ...bound, effects: Object.fromEntries(answers) } as unknown as Binding;
  const cell = new Cell({
    binding,
    id: CELL,
    epoch: 3,
    clock,
    down: () => undefined,
    rests: () => keep(),
  });
  /** Whenever somebody might ask for it. */
  function keep(): void {
    const envelope = cell.kept();
    if (envelope !== undefined) kept.push(keptBytes(envelope));
  }
  cell.start({ input: INPUT });
  for (let turn = 0; turn < 8 && cell.alive; turn += 1) {
    await settled();
    clock.advance(7);
    const echo = { type: 'gateway.echoed', at: clock.now() + 0.5, conforming: dice.hits(2) } as const;
    if (dice.hits(2)) cell.tell(echo);
    keep();
  }
  await settled();
  cell.stop();
  return { bus, kept, length: bus.messages(streams.telecommandEvents).length };
}

/** What a new owner finds of the log up to a position, with that kept beside it. */
async function found({ bus: whole }: Life, position: number, value?: Uint8Array) {
  const entry = value && { key: `telecommand.${CELL}`, value };
  const bus = busAt(whole, streams.telecommandEvents, position, entry);
  const kept = new KeptEnvelopes(bus, { kind: 'telecommand', version: TELECOMMAND_VERSION });
  const stored = await storeOf(bus, kept).load(CELL);
  const { delivered } = bus;
  const before = await historyBefore(bus, INPUT.target, INPUT.id, kept);
  const isOver = before === 'over';
  const { isKept, isCut, ...standing } = isOver ? { isKept: false, isCut: false } : before;
  return { bytes: `${bytesOf(stored)} ${JSON.stringify(standing)}`, delivered, isKept, isCut, isOver };
}

describe('a telecommand restored from what is kept beside its log', () => {
  it('MC-TC-038 is what its whole log makes of it, wherever it was kept and whatever is behind it', async () => {
    let restored = 0;
    await fc.assert(
      fc.asyncProperty(numbers, fc.nat(), async (drawn, at) => {
        const life = await lived(drawn);
        for (const value of life.kept) {
          const { covers } = envelopeIn(value);
          for (let position = covers.position; position <= life.length; position += 1) {
            const whole = await found(life, position);
            const kept = await found(life, position, value);
            expect(kept.bytes).toBe(whole.bytes);
            const behind = position - covers.position;
            expect(kept.delivered, 'what is covered is not read').toBe(behind === 0 ? 0 : behind + 1);
            if (!kept.isOver) expect(kept.isKept).toBe(behind === 0);
            restored += 1;
          }
        }
        for (const value of life.kept.slice(0, 2)) {
          for (const position of [envelopeIn(value).covers.position, life.length]) {
            const whole = await found(life, position);
            for (const [how, bytes] of Object.entries(spoiled(value, at))) {
              const { bytes: same, isCut } = await found(life, position, bytes);
              expect(same, how).toBe(whole.bytes);
              expect(isCut, how).toBe(how === 'ahead of its log' && !whole.isOver);
            }
          }
        }
      }),
      { numRuns: 60 },
    );
    expect(restored).toBeGreaterThan(200);
  }, 60_000);

  it('taking-over.R2 of which the log lost all or the end, is not checked and sent as one that is new', async () => {
    const life = await lived([1, 1, 1, 1, 1, 1, 1]);
    const value = life.kept.at(-1)!;
    const { position } = envelopeIn(value).covers;
    for (let left = 0; left < position; left += 1) {
      const bus = busAt(life.bus, streams.telecommandEvents, left, { key: `telecommand.${CELL}`, value });
      const kept = new KeptEnvelopes(bus, { kind: 'telecommand', version: TELECOMMAND_VERSION });
      const standing = await historyBefore(bus, INPUT.target, INPUT.id, kept);
      if (standing === 'over') throw new Error('over');
      const { state } = standing.fold;
      const isKnownToGateway = state === 'ENCODED' || state === 'SENT';
      const cut = cutBy({ at: START, id: INPUT.id }, standing, { wentBack: undefined, lostUntil: 0 });
      expect(cut, `${left} of ${position}`).toBe(
        isKnownToGateway ? undefined : 'stored events of its history are lost',
      );
    }
    expect(position).toBeGreaterThan(2);
  });
});
