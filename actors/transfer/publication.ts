/** Publishes the state of a transfer as the measure `transfer` of its file. Mission Control Service, section 3.5. */

import { type DecodedBatch, encodeBatch } from '../../contract/batch.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { transferKey } from '../../contract/transfer.ts';
import type { TransferEffect } from '../../machines/transfer/protocol.ts';
import type { Bus } from '../../ports/bus.ts';
import type { MissionSource } from '../../ports/mission-source.ts';

/** Twice the same is one message. Throws `Outage`. */
export async function publishState(
  { name, change }: Extract<TransferEffect, { type: 'effect.publish' }>,
  { bus, missions }: { readonly bus: Bus; readonly missions: MissionSource },
): Promise<void> {
  const target = missions.current?.targets.get(name.target);
  if (target?.platform === undefined) return;
  const batch: DecodedBatch = {
    platform: target.platform.digest,
    link: target.defaultLink,
    blocks: [],
    reports: [],
    files: [
      {
        file: name.file_id,
        ground: Date.parse(change.at),
        onboard: Number.NaN,
        transfer: change.state,
        transfer_generation: name.generation,
      },
    ],
  };
  const id = `transfer-${transferKey(name)}-${change.state}-${change.at}`;
  const headers = { [header.config]: missions.current?.revision ?? '' };
  await bus.append(streams.decoded, subject.decoded(name.target), encodeBatch(batch), { id, headers });
}
