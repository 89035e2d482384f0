import { describe, expect, it, onTestFinished } from 'vitest';
import type { AssetHandle } from '../../bus/asset.ts';
import type { Assets } from '../../bus/assets.ts';
import { Replicas } from '../../bus/replicas.ts';
import { REPLICAS_SURE_LOOKS } from '../../contract/limits/bus.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';

/** Streams that are looked at, each with what its looks find one after the other, the last again and again. */
function looking(found: Readonly<Record<string, readonly (number | 'away')[]>>) {
  const log = keptLog();
  const looks = new Map<string, number>();
  const handles = Object.entries(found).map(([name, inPlace]) => ({
    name,
    copies: async () => {
      const n = looks.get(name) ?? 0;
      looks.set(name, n + 1);
      const now = inPlace[Math.min(n, inPlace.length - 1)]!;
      if (now === 'away') throw new Error('no leader');
      return { stream: name, inPlace: now };
    },
  }));
  const replicas = new Replicas({
    connection: { connected: true, onChange: () => () => undefined },
    assets: { replicas: 3, install: () => undefined } as unknown as Assets,
    handles: () => handles as unknown as AssetHandle[],
    log,
  });
  onTestFinished(() => replicas.stop());
  replicas.install({ replicas: 3, overrides: {} });
  return { replicas, looks, log };
}

describe('copies of streams', () => {
  it('replicas.R3 a copy that is behind for a moment is not missing', async () => {
    const { replicas, looks, log } = looking({ BUSY: [2, 2, 3], IDLE: [3] });
    await until(() => looks.get('BUSY') === REPLICAS_SURE_LOOKS);
    // Looked at again only where something is short.
    expect(looks.get('IDLE')).toBe(1);
    await until(() => looks.get('BUSY') === REPLICAS_SURE_LOOKS && replicas.short.length === 0);
    expect(log.said).toEqual([]);
  });

  it('replicas.R2 replicas.R3 one that is missing each time is said, and what nobody could ask; soon behind it that they are there', async () => {
    const { replicas, log } = looking({
      LOST: [2, 2, 2, 2, 3],
      AWAY: ['away', 'away', 'away', 3],
      WELL: [3],
    });
    await until(() => replicas.short.length > 0);
    expect(replicas.short).toEqual([
      { stream: 'AWAY', inPlace: 0 },
      { stream: 'LOST', inPlace: 2 },
    ]);
    await until(() => replicas.short.length === 0);
    expect(log.said.map(({ message }) => message)).toEqual(['streams have fewer copies than configured']);
  });
});
