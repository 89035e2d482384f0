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
  it('MC-XFER-036 MC-XFER-038 MC-XFER-040 MC-XFER-044 MC-XFER-045 MC-XFER-047 MC-XFER-054 MC-MET-003 comes down and is verified', async () => {
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

  it('MC-XFER-041 MC-XFER-043 MC-XFER-048 F-18 comes down through lost, doubled, late and refused requests, and no byte is asked twice within 15 s without cause', async () => {
    const world = await TransferWorld.start();
    const manager = await world.manager('one');
    const content = seededBytes(12_345);
    const answers = ['chunk', 'lost', 'doubled', 'late', 'chunk', 'refused', 'failed', 'silent'] as const;
    const given = new Map<string, string>();
    world.answer = (request, n) => {
      const answer = n < 160 ? answers[(n * 7) % answers.length]! : 'chunk';
      given.set(request.id, answer);
      return answer;
    };
    await world.list('7', content);
    await world.download('7');
    const stored = await world.until('sat1.7.1', 'VERIFIED', 30 * 60_000);
    expect((await world.content(stored))?.equals(content)).toBe(true);
    const twice = world.requests.flatMap((later, n) =>
      world.requests
        .slice(0, n)
        .filter(
          ({ offset, length }) => offset < later.offset + later.length && later.offset < offset + length,
        )
        .map((earlier) => [given.get(earlier.id), later.at - earlier.at] as const),
    );
    for (const [answer, ms] of twice) {
      expect(['lost', 'refused', 'failed', 'silent']).toContain(answer);
      if (answer === 'lost') expect(ms).toBeGreaterThanOrEqual(15_000);
      if (answer === 'silent') expect(ms).toBeGreaterThanOrEqual(60_000);
    }
    expect(manager.failures).toEqual([]);
    await manager.stop();
  });

  it('MC-XFER-037 asks nothing while the default link is not available', async () => {
    const world = await TransferWorld.start();
    await world.manager('one');
    world.isLinkUp = false;
    await world.run(20_000);
    await world.list('7', seededBytes(2_000));
    await world.download('7');
    await world.run(20_000);
    expect(world.requests).toEqual([]);
    world.isLinkUp = true;
    await world.until('sat1.7.1', 'VERIFIED');
  });

  it('MC-XFER-050 is sized by what the gateway measures', async () => {
    const world = await TransferWorld.start();
    world.measured = 32_000;
    await world.manager('one');
    await world.run(6_000);
    await world.list('7', seededBytes(60_000));
    await world.download('7');
    await world.run(6_000);
    const [first] = world.requests;
    const together = world.requests.filter(({ at }) => at - first!.at < world.delayMs / 2);
    const asked = together.reduce((sum, { length }) => sum + length, 0);
    expect(asked).toBeLessThanOrEqual(bytesUnder(32_000));
    expect(asked).toBeGreaterThan(bytesUnder(32_000) - 200);
  });

  it('MC-XFER-039 MC-XFER-003 serves the higher priority first, then the older', async () => {
    const world = await TransferWorld.start();
    await world.manager('one');
    world.isLinkUp = false;
    await world.run(20_000);
    for (const file of ['1', '2', '3']) await world.list(file, seededBytes(400, Number(file)));
    await world.download('1');
    await world.run(100);
    await world.download('2');
    await world.download('3', 5);
    world.isLinkUp = true;
    await world.until('sat1.2.1', 'VERIFIED');
    const order = [...new Set(world.requests.map(({ submission }) => submission.instance))];
    expect(order).toEqual(['3', '1', '2']);
  });

  it.each([
    [
      'MC-XFER-026',
      'another checksum',
      { checksum: '00000000' },
      'CORRUPTED',
      /^crc32 is [0-9a-f]{8}, listed is 00000000$/,
    ],
    ['MC-XFER-025', 'no checksum', { checksum: undefined }, 'VERIFIED', /^no checksum to verify$/],
  ] as const)('%s listed with %s it says so', async (_, __, more, state, reason) => {
    const world = await TransferWorld.start();
    await world.manager('one');
    await world.list('7', seededBytes(3_000), more as never);
    await world.download('7');
    expect((await world.until('sat1.7.1', state)).reason).toMatch(reason);
    await world.run(1_000);
    expect(world.open()).toEqual([]);
  });

  it('MC-XFER-019 a file without bytes is there at once, and nothing is asked', async () => {
    const world = await TransferWorld.start();
    await world.manager('one');
    await world.list('7', Buffer.alloc(0));
    expect(await world.download('7')).toMatchObject({ state: 'COMPLETE' });
    await world.until('sat1.7.1', 'VERIFIED');
    expect(world.requests).toEqual([]);
  });
});

describe('another generation', () => {
  const first = seededBytes(120_000, 1);
  const second = seededBytes(110_000, 2);

  it('MC-XFER-030 MC-GEN-022 F-19 a chunk of a newer one supersedes the transfer, and no byte is mixed', async () => {
    const world = await TransferWorld.start();
    await world.manager('one');
    await world.list('7', first);
    await world.download('7');
    await world.until('sat1.7.1', 'PARTIAL');
    world.onboard.set('7', { content: second, generation: 2 });
    expect(await world.until('sat1.7.1', 'SUPERSEDED')).toMatchObject({ reason: 'new generation' });
    await world.run(5_000);
    expect(world.objects()).toEqual([]);
    await world.list('7', second, { generation: 2 });
    const stored = await world.download('7');
    expect(stored.generation).toBe(2);
    await world.until('sat1.7.2', 'VERIFIED');
    expect((await world.content(stored))?.equals(second)).toBe(true);
  });

  it('MC-XFER-029 so does a listing; chunks of an older one are left out', async () => {
    const world = await TransferWorld.start();
    await world.manager('one');
    await world.list('7', first);
    await world.download('7');
    await world.until('sat1.7.1', 'PARTIAL');
    await world.list('7', second, { generation: 2 });
    await world.until('sat1.7.1', 'SUPERSEDED');
    const stored = await world.download('7');
    for (let offset = 0; offset < 110_000; offset += 9_999)
      world.chunk('7', 1, offset, first.subarray(offset, offset + 9_999));
    await world.until('sat1.7.2', 'VERIFIED');
    expect((await world.content(stored))?.equals(second)).toBe(true);
  });

  it('transfer/gathering.A1 transfer/gathering.A2 bytes beyond the size and those that are there are left out', async () => {
    const world = await TransferWorld.start();
    await world.manager('one');
    world.answer = () => 'silent';
    await world.list('7', first);
    const stored = await world.download('7');
    await world.run(1_000);
    world.chunk('7', 1, 500, first.subarray(500, 1_000));
    world.chunk('7', 1, 700, Buffer.alloc(300, 0xff));
    world.chunk('7', 1, 119_990, Buffer.concat([first.subarray(119_990), Buffer.alloc(500)]));
    world.chunk('7', 1, 300_000, Buffer.alloc(10));
    world.chunk('7', 1, 0, first.subarray(0, 119_995));
    await world.until('sat1.7.1', 'VERIFIED');
    expect((await world.content(stored))?.equals(first)).toBe(true);
  });
});
