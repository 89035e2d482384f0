import { expect, it } from 'vitest';
import { Publication } from '../../../actors/transfer/publication.ts';
import { type DecodedBatch, decodeBatch } from '../../../contract/batch.ts';
import type { Bus } from '../../../ports/bus.ts';
import { TestMissions } from '../../support/missions.ts';
import { MISSION } from '../run/effects/effect-world.ts';

it('MC-XFER-032 transfer/publication.P1 the state of a later generation is dated behind those of the one before, and its own stay in their order', async () => {
  const dated: (readonly [string | undefined, number])[] = [];
  const bus = {
    append: async (_stream: unknown, _subject: string, data: Uint8Array) => {
      const [sample] = decodeBatch<DecodedBatch>(data).files ?? [];
      dated.push([sample?.transfer, sample?.ground ?? Number.NaN]);
      return { outcome: 'stored', seq: dated.length };
    },
  } as unknown as Bus;
  const publication = new Publication({ bus, missions: new TestMissions(MISSION) });
  const publish = (generation: number, state: 'REQUESTED' | 'PARTIAL' | 'VERIFIED', at: number) =>
    publication.publish({
      type: 'effect.publish',
      name: { target: 'sat1', file_id: '7', generation, direction: 'download' },
      n: 1,
      change: { at: new Date(at).toISOString(), state },
    });
  await publish(1, 'VERIFIED', 1_000);
  await publish(2, 'REQUESTED', 998);
  await publish(2, 'PARTIAL', 999);
  await publish(2, 'VERIFIED', 1_500);
  await publish(1, 'VERIFIED', 1_000);
  expect(dated).toEqual([
    ['VERIFIED', 1_000],
    ['REQUESTED', 1_001],
    ['PARTIAL', 1_001],
    ['VERIFIED', 1_500],
    ['VERIFIED', 1_000],
  ]);
});
