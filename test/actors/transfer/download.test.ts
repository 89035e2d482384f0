import { describe, expect, it } from 'vitest';
import { bytesUnder } from '../../../mission/transfer/pipeline.ts';
import { type Requested, seededBytes, TransferWorld } from './world.ts';

/** Bytes that were asked and had neither come nor been given up, at each request. */
function pipelineOf(requests: readonly Requested[], delayMs: number): number[] {
  return requests.map(({ at }, n) =>
    requests
      .slice(0, n + 1)
      .filter((each) => at - each.at < delayMs)
      .reduce((sum, { length }) => sum + length, 0),
  );
}

describe('a download', () => {
  it('MC-XFER-036 MC-XFER-038 MC-XFER-040 MC-XFER-044 MC-XFER-045 MC-XFER-047 MC-XFER-054 comes down and is verified', async () => {
    const world = await TransferWorld.start();
    const manager = await world.manager('one');
    const content = seededBytes(30_000);
    await world.list('7', content, { generation: 3 });
    await world.download('7');
    const stored = await world.until('sat1.7.3', 'VERIFIED');
    expect(stored).toMatchObject({ received: [[0, 30_000]], size: 30_000 });
    expect(await world.content(stored)).toEqual(content);
    expect(new Set(world.requests.map(({ user }) => user))).toEqual(new Set(['transfers']));
    expect(world.requests.every(({ length }) => length <= 200)).toBe(true);
    expect(Math.max(...pipelineOf(world.requests, world.delayMs))).toBeLessThanOrEqual(bytesUnder(64_000));
    await world.run(2_000);
    expect(world.objects()).toEqual(['sat1/7/3']);
    expect(world.open()).toEqual([]);
    expect(world.published.map(({ transfer }) => transfer)).toEqual([
      'REQUESTED',
      'PARTIAL',
      'COMPLETE',
      'VERIFIED',
    ]);
    const counted = await manager.registry.getSingleMetricAsString('mcs_transfers_bytes_total');
    expect(counted).toContain('mcs_transfers_bytes_total{target="sat1",outcome="asked"} 30000');
    expect(counted).toContain('mcs_transfers_bytes_total{target="sat1",outcome="received"} 30000');
    expect(manager.failures).toEqual([]);
    await manager.stop();
  });
});
