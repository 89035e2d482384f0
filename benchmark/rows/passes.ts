/** Passes of a snapshot written per second, beside bare conditional writes of as many entries. */

import type { Pass, PassSnapshot } from '../../contract/pass.ts';
import { compare, type Result, type Row, type Settings } from '../row.ts';
import { measuredTurn, onGround } from '../with-peers.ts';

const FULL = 5_000;
const QUICK = 50;
const PASS_EVERY_MS = 30 * 60_000;
const BEGIN = Date.UTC(2026, 0, 1);

export const passRow: Row = { name: 'passes.snapshot', run: async (settings) => [await snapshots(settings)] };

async function snapshots(settings: Settings): Promise<Result> {
  const count = settings.quick ? QUICK : FULL;
  const passes = Array.from({ length: count }, (_, n) => passAt(n));
  const at = (n: number): string => new Date(BEGIN + n * PASS_EVERY_MS).toISOString();
  const snapshot: PassSnapshot = { source: 'fds', target: 'sat1', from: at(0), to: at(count), passes };
  const bodies = Object.fromEntries(
    passes.map((pass) => [pass.id, JSON.stringify({ ...pass, contributions: { fds: pass } })]),
  );
  return onGround(async (ground, start) => {
    const [service, bare] = [await start('passes'), await start('bare-passes')];
    for (const peer of [service, bare]) await peer.call('start', ground.address);
    const turn = (peer: typeof service, content: object) => async () =>
      measuredTurn({ ground, peer, operations: count, work: () => peer.call<number>('write', content) });
    return compare(
      {
        row: 'passes.snapshot',
        unit: 'passes/s',
        note: `${count} passes of one target, each merged with what is stored and written again`,
        contenders: [
          { name: 'service', turn: turn(service, snapshot) },
          { name: 'bare conditional writes', turn: turn(bare, bodies) },
        ],
        aim: { share: 0.5, of: 'bare conditional writes', by: 'rate' },
      },
      settings,
    );
  });
}

function passAt(n: number): Pass {
  const aos = BEGIN + n * PASS_EVERY_MS;
  return {
    id: `pass-${n}`,
    target: 'sat1',
    station: n % 2 === 0 ? 'kiruna' : 'santiago',
    aos: new Date(aos).toISOString(),
    los: new Date(aos + PASS_EVERY_MS / 3).toISOString(),
    max_elevation: `${n % 90} deg`,
    source: 'fds',
    status: 'predicted',
  };
}
