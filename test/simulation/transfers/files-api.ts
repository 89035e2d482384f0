/**
 * What people and runs reach of a simulated process where files are concerned: `POST /v1/transfers` with its real
 * ports, and the creation of transfers as a step of a run does it. Mission Control Service, sections 2.8 and 4.7.
 */

import { createHash } from 'node:crypto';
import { objectStores } from '../../../contract/bus/buckets.ts';
import { type StoredTransfer, shownTransfer } from '../../../contract/transfer.ts';
import type { RoutePorts } from '../../../http/ports.ts';
import type { Handled, Reply } from '../../../http/reply.ts';
import { createTransfer } from '../../../http/routes/transfers.ts';
import { createDownload, createUpload } from '../../../messaging/transfer-writes.ts';
import type { FileDirectory } from '../../../ports/file-directory.ts';

export type FileRequest =
  | {
      readonly kind: 'download';
      readonly target: string;
      readonly file: string;
      readonly priority: number;
      /** Who asks, where that is a run. */
      readonly run?: string;
    }
  | {
      readonly kind: 'upload';
      readonly target: string;
      readonly file: string;
      readonly content: Buffer;
      readonly run: string;
    };

export async function askForFile(
  what: FileRequest,
  ports: RoutePorts,
  files: FileDirectory,
): Promise<Handled<Reply>> {
  const { target, file, run } = what;
  if (what.kind === 'download' && run === undefined) {
    const caller = { kind: 'declared', name: 'ada', roles: [] } as const;
    const body = { target, file_id: file, priority: what.priority };
    return createTransfer.handle({ params: {}, query: {}, content: undefined, body, caller }, ports);
  }
  const { bus, clock, transfersOver: over, missions } = ports;
  const mission = missions.current;
  if (mission === undefined) return { ok: false, faults: [{ code: 'api::unavailable', message: '' }] };
  await files.upToDate(target);
  const tools = { bus, clock, over, files };
  const requester = { by: `run ${run}`, ...(run !== undefined && { run }) };
  if (what.kind === 'download') {
    const request = { target, file_id: file, priority: what.priority };
    return handled(await createDownload(request, requester, mission, tools));
  }
  const source = createHash('sha256').update(what.content).digest('hex');
  await bus.objects(objectStores.uploads).put(source, one(what.content));
  return handled(await createUpload({ target, file_id: file, source }, requester, mission, tools));
}

function handled(made: Awaited<ReturnType<typeof createDownload>>): Handled<Reply> {
  if (!made.ok) return { ok: false, faults: made.faults };
  return { ok: true, value: { status: 201, body: shownTransfer(made.value satisfies StoredTransfer) } };
}

async function* one(content: Buffer): AsyncIterable<Uint8Array> {
  yield content;
}
