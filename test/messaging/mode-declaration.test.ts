import { beforeEach, describe, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { declareMode, removeAnnouncedMode } from '../../messaging/mode-declaration.ts';
import { readTargetMode } from '../../mission/mode.ts';
import type { Bus } from '../../ports/bus.ts';
import { type EffectWorld, effectWorld } from '../actors/run/effects/effect-world.ts';

const SAFE = { mode: 'safe', since: '2026-02-01T12:00:00Z', by: 'ada' };
const NOMINAL = { mode: 'nominal', since: '2026-03-01T12:00:00Z', by: 'ada' };
let world: EffectWorld;
let bus: Bus;

beforeEach(async () => {
  world = await effectWorld();
  bus = world.bus;
});

async function finished<Value>(work: Promise<Value>): Promise<Value> {
  await world.passes(20, 1);
  return work;
}

const entry = () => world.server.bucket(buckets.modes).last(`$KV.${buckets.modes.name}.sat1`);
const text = () => Buffer.from(entry()?.data ?? '').toString();
const mode = () => readTargetMode(entry()?.data);

describe('a mode that is declared', () => {
  it.each([
    ['a mode', JSON.stringify(SAFE), SAFE],
    ['none', undefined, undefined],
    ['what cannot be read', '{', 'unreadable'],
  ])(
    'mode-declaration.N2 is not set where a run took the target behind the last look at the holds: over %s',
    async (_, before, stands) => {
      if (before !== undefined)
        await finished(bus.bucket(buckets.modes).overwrite('sat1', Buffer.from(before)));
      let looks = 0;
      let isHeld = false;
      const looked = async () => {
        looks += 1;
        const found = isHeld ? 'a run' : undefined;
        if (looks !== 2) return found;
        // The process of the person sleeps with what it has seen, and a run goes on.
        isHeld = true;
        expect(mode()).toEqual(stands);
        await removeAnnouncedMode(bus, 'sat1');
        return found;
      };
      const declared = await finished(declareMode(bus, 'sat1', NOMINAL, looked));
      expect(declared).toEqual({ outcome: 'held', held: 'a run' });
      expect(mode()).toEqual(stands);
      expect(text()).not.toContain('announced');
    },
  );

  it('mode-declaration.N3 is none while it is only announced, and the next one to declare takes its place', async () => {
    let looks = 0;
    const dead = async () => {
      looks += 1;
      return looks === 2 ? Promise.reject(new Error('dead')) : undefined;
    };
    const died = declareMode(bus, 'sat1', NOMINAL, dead).catch(String);
    expect(await finished(died)).toContain('dead');
    expect([mode(), text()]).toEqual([undefined, expect.stringContaining('announced')]);
    const declared = await finished(declareMode(bus, 'sat1', SAFE, async () => undefined));
    expect([declared, text()]).toEqual([{ outcome: 'set' }, JSON.stringify(SAFE)]);
  });

  it('stays as it is where nothing is announced and a run takes the target', async () => {
    await finished(bus.bucket(buckets.modes).overwrite('sat1', Buffer.from(JSON.stringify(SAFE))));
    const before = entry();
    await finished(removeAnnouncedMode(bus, 'sat1'));
    expect(entry()).toEqual(before);
  });
});
