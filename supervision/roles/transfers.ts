/**
 * The transfers of the cell: one process leads, every other that has the role stands by. Mission Control Service,
 * sections 2.8, 3.5 and 4.7. A transfer that is open is a cell of the leader.
 */

import { createHash } from 'node:crypto';
import { createTransferBinding } from '../../actors/transfer/binding.ts';
import { Cfdp } from '../../actors/transfer/cfdp.ts';
import { Chunked } from '../../actors/transfer/chunked.ts';
import { DecodingOffers } from '../../actors/transfer/decoding.ts';
import type { Deliveries } from '../../actors/transfer/delivery.ts';
import { LeaseWatch } from '../../actors/transfer/lease-watch.ts';
import { Links } from '../../actors/transfer/links.ts';
import { TransferService } from '../../actors/transfer/service.ts';
import { createTransferStore } from '../../actors/transfer/transfer-store.ts';
import { UploadWindow } from '../../actors/transfer/upload-window.ts';
import { Waits } from '../../actors/transfer/waits.ts';
import { ulidOf } from '../../contract/telecommand-id.ts';
import { fileChecksum } from '../../links/file-checksum.ts';
import type { transferMachine } from '../../machines/transfer/transfer.ts';
import { TransfersOver } from '../../messaging/transfers-over.ts';
import { failpointOf } from '../cells/failpoint.ts';
import { type Hosted, hostCells, Owners } from '../cells/host.ts';
import { transferBytes } from '../metrics/transfers.ts';
import type { Worker, WorkerContext } from '../ownership/owned-worker.ts';
import type { Role, RoleContext } from '../role.ts';

/** The one partition of transfers. */
const LEADER = 'transfers';

export async function startTransfers(context: RoleContext): Promise<Role> {
  const { bus, clock, log, missions, registry, files } = context;
  const leading = new Owners<TransferService>(() => LEADER);
  const offers = new DecodingOffers({ bus, clock });
  const over = new TransfersOver({ bus, log });
  const { kind, cells } = transferCells(context, leading, offers);
  const count = transferBytes(registry);

  const start = async (term: WorkerContext): Promise<Worker> => {
    const deliveries = deliveriesOf(context, term);
    const service = new TransferService({
      bus,
      clock,
      log,
      missions,
      files,
      cells,
      count,
      deliveries,
      transfersOver: over,
      room: (target) => offers.room(target),
      checksumOf: fileChecksum,
      ...term,
    });
    return leading.begin(LEADER, service);
  };
  return {
    shared: [],
    leads: [{ name: LEADER, start }],
    kinds: [kind],
    stop: () => kind.drain(),
  };
}

/** By the telecommands of the catalogue or, where it says so, by CFDP. */
function deliveriesOf(
  { bus, clock, log, passes, instance }: RoleContext,
  { holds, epoch }: WorkerContext,
): Deliveries {
  return (events) => {
    const links = new Links({ bus, clock, passes });
    const leases = new LeaseWatch({ bus, clock, log });
    const uploads = new UploadWindow(bus);
    let drawn = 0;
    const newId = (): string => {
      drawn += 1;
      const digest = createHash('sha256').update(`${instance} ${epoch} ${drawn}`).digest();
      return ulidOf(clock.now(), digest);
    };
    const waits = new Waits({ clock, events });
    const tools = { bus, clock, log, links, leases, waits, holds, events };
    const chunked = new Chunked({ ...tools, uploads, newId });
    const cfdp = new Cfdp(tools);
    return {
      links,
      of: (protocol) => (protocol === 'cfdp' ? cfdp : chunked),
      start: () => chunked.start(),
      stop: async () => {
        cfdp.stop();
        await Promise.all([chunked.stop(), links.stop(), leases.stop()]);
      },
    };
  };
}

function transferCells(
  context: RoleContext,
  leading: Owners<TransferService>,
  offers: DecodingOffers,
): Hosted<typeof transferMachine> {
  const { bus, clock, failpoint } = context;
  const service = (): TransferService | undefined => leading.of(LEADER);
  const store = createTransferStore({ bus, term: service, reached: failpointOf('transfer', failpoint) });
  return hostCells(createTransferBinding({ bus, clock, store, offers, services: service }), service, context);
}
