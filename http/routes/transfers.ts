/**
 * Transfers of files: created, listed, read. Mission Control Service, sections 2.8 and 4.7. Which one a request comes
 * to is decided in `messaging/transfer-writes.ts`; what becomes of it, by the transfer manager.
 *
 * X1. What can be asked for is what the directory says, as `GET …/files` answers it: one store.
 * X2. A transfer is in the lists of this process when the answer leaves.
 */

import { TRANSFER_LIST_MOST } from '../../contract/limits/transfer.ts';
import {
  isOpenTransfer,
  shownTransfer,
  Transfer,
  TransferList,
  TransferRequest,
  transferKey,
} from '../../contract/transfer.ts';
import { createDownload } from '../../messaging/transfer-writes.ts';
import type { FileDirectory } from '../../ports/file-directory.ts';
import type { FileValues } from '../../telemetry/files/file-values.ts';
import { busUnavailable } from '../errors.ts';
import { defineFollow } from '../follow.ts';
import { nameOf } from '../identity.ts';
import { currentMission, strangerRefusal } from '../mission-of.ts';
import { flagInQuery, targetInQuery } from '../parameters.ts';
import { defineRoute } from '../route.ts';
import { cursorInQuery, listOfTransfers } from '../transfer-lists.ts';
import { directionInQuery, nameIn, recordedTransfer, transferInPath } from '../transfer-record.ts';
import { TransferWatch } from '../transfer-watch.ts';
import { storeOf } from './values.ts';

export const listTransfers = defineRoute({
  method: 'GET',
  path: '/v1/transfers',
  operationId: 'listTransfers',
  summary: 'Transfers of every target, or of one, by priority, then by age',
  description:
    'Those that have been over for a day are left out unless asked for; they are kept for a year, and listed behind the ' +
    `others, the latest day first. At most ${TRANSFER_LIST_MOST} are listed; where more match, \`next\` is what to give ` +
    'as `after` to continue.',
  tag: 'Transfers',
  query: {
    target: targetInQuery,
    all: flagInQuery('With transfers that have been over for more than a day.'),
    after: cursorInQuery,
  },
  replies: { 200: TransferList },
  errors: ['api::unknown-target', 'api::unavailable'],
  async handle({ query }, ports) {
    if (!ports.transfers.live) return busUnavailable();
    const list = await listOfTransfers(query, ports);
    const stranger = list.transfers.length === 0 ? strangerRefusal(query.target, ports) : undefined;
    return stranger ?? { ok: true, value: { status: 200, body: list satisfies TransferList } };
  },
});

export const readTransfer = defineRoute({
  method: 'GET',
  path: '/v1/transfers/:target/:file_id/:generation',
  operationId: 'readTransfer',
  summary: 'One transfer: the download of a generation of a file, or its upload',
  description:
    'With the ranges of bytes that are there, and what keeps it waiting, if anything does. Also one that is long over.',
  tag: 'Transfers',
  params: transferInPath,
  query: { direction: directionInQuery },
  replies: { 200: Transfer },
  errors: ['transfer::unknown', 'api::unavailable'],
  async handle({ params, query: { direction } }, ports) {
    const found = await recordedTransfer(nameIn(params, direction), ports);
    if (!found.ok) return found;
    return { ok: true, value: { status: 200, body: shownTransfer(found.value) satisfies Transfer } };
  },
});

export const createTransfer = defineRoute({
  method: 'POST',
  path: '/v1/transfers',
  operationId: 'createTransfer',
  summary: 'Bring a file down: the generation that was listed last',
  description:
    'A generation is brought down once: a caller who asks again gets the transfer that is there, as it stands, also one that ' +
    'came down corrupted. Files are sent up by runs alone.',
  tag: 'Transfers',
  body: TransferRequest,
  invalidBody: 'transfer::invalid',
  replies: { 201: Transfer },
  errors: [
    'api::no-configuration',
    'api::unknown-target',
    'api::no-catalogue',
    'transfer::invalid',
    'files::no-directory',
    'transfer::not-listed',
    'api::unavailable',
  ],
  statuses: { 'files::no-directory': [422] },
  async handle({ body, caller }, ports) {
    const mission = currentMission(ports);
    if (!mission.ok) return mission;
    const store = storeOf(body.target, ports);
    if (!store.ok) return store;
    if (!ports.transfers.live) return busUnavailable();
    const { bus, clock, transfersOver: over } = ports;
    const tools = { bus, clock, over, files: asListed(store.value.files) };
    const made = await createDownload(body, { by: nameOf(caller) }, mission.value, tools);
    if (!made.ok) {
      const [{ code }] = made.faults;
      return { ok: false, faults: made.faults, ...(code === 'files::no-directory' && { status: 422 }) };
    }
    // What is long over is in no list that is not asked for it.
    if (isOpenTransfer(made.value)) await ports.transfers.seen(transferKey(made.value));
    return { ok: true, value: { status: 201, body: shownTransfer(made.value) satisfies Transfer } };
  },
});

export const watchTransfers = defineFollow({
  path: '/v1/transfers/watch',
  operationId: 'watchTransfers',
  summary: 'Follow transfers: every one, then each that changes state or progresses',
  description:
    'Each as it stands, by priority, then by age, without those that have been over for a day; then at most ten messages a ' +
    'second for each transfer. Behind a slow client the newest state of each transfer is kept, and older ones are left out.',
  tag: 'Transfers',
  query: { target: targetInQuery },
  policy: 'latest',
  message: Transfer,
  errors: ['api::unknown-target', 'api::unavailable'],
  open({ query: { target } }, ports, writer) {
    const stranger = strangerRefusal(target, ports);
    if (stranger !== undefined) return stranger;
    const { transfers, clock } = ports;
    if (!transfers.live) return busUnavailable();
    return { ok: true, value: new TransferWatch({ transfers, clock, writer, target }) };
  },
});

/** X1 */
function asListed(files: FileValues | undefined): Pick<FileDirectory, 'file'> {
  return {
    file(_, id) {
      const known = files?.file(id);
      if (known?.listedMs === undefined) return undefined;
      const { fileType, size, checksum, generation, listedMs, transferMs } = known;
      return { fileType, size, checksum, generation, listedAt: listedMs, statedAt: transferMs };
    },
  };
}

export const transferRoutes = [listTransfers, readTransfer, createTransfer];
export const transferFollows = [watchTransfers];
