/**
 * What has become of the files that a run uploads, for its log: how much of each is on board and what becomes of it
 * now. Mission Control Service, section 4.7 rule 8.
 *
 * U1. Only a program that uploads is looked at, and only the open uploads of its targets are read.
 * U2. What is acknowledged and not recorded yet is on board as well: at least as much as is said.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import { RUN_UPLOADS_SAID } from '../../contract/limits/run.ts';
import type { Program } from '../../contract/program.ts';
import { readStoredTransfer, receivedBy, type StoredTransfer } from '../../contract/transfer.ts';
import { uploadTargets } from '../../machines/run/uploads.ts';
import type { Bus } from '../../ports/bus.ts';

/** Where the run stops. */
type At = 'suspension' | 'takeover' | 'end';

const FATE: Readonly<Record<At, string>> = {
  suspension: 'it continues when the run is resumed',
  takeover: 'it continues with the run',
  end: 'another upload of the same content continues from there',
};

/** In words, a sentence for each file. Throws `Outage`. */
export async function uploadsLeft(
  bus: Bus,
  { run, program }: { readonly run: string; readonly program: Program },
  at: At,
): Promise<string[]> {
  const left: StoredTransfer[] = [];
  for (const target of uploadTargets(program)) left.push(...(await openUploads(bus, run, target)));
  const said = left.slice(0, RUN_UPLOADS_SAID).map((each) => inWords(each, at));
  const more = left.length - said.length;
  return more > 0 ? [...said, `${more} more`] : said;
}

async function openUploads(bus: Bus, run: string, target: string): Promise<StoredTransfer[]> {
  const entries = await bus.bucket(buckets.openTransfers).list(`${target}.*.*.up`);
  const records = await Promise.all(
    entries.map(async ({ key }) => {
      const entry = await bus.bucket(buckets.transfers).get(key);
      return entry && readStoredTransfer(key, entry.value);
    }),
  );
  return records.filter((record) => record !== undefined).filter(({ actor }) => actor.run === run);
}

function inWords(record: StoredTransfer, at: At): string {
  const { target, file_id, size, state } = record;
  if (state !== 'REQUESTED' && state !== 'PARTIAL')
    return `file ${file_id} of ${target} is on board whole, and the next listing verifies it`;
  return `${receivedBy(record).total} of ${size} bytes of file ${file_id} of ${target} are on board, ${FATE[at]}`;
}
