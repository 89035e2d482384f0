/**
 * Settings of drivers that speak CFDP, and the links they are bound to: those of protocol `cfdp`, and those of `pus-c`
 * that carry it beside telecommands.
 *
 * N1. An identifier fits in the width that every PDU gives it, and the ground is not the spacecraft.
 * N2. PDUs have an APID of their own: of the telecommands' they would be read as telemetry.
 * N3. What one side says of CFDP the other must know of: a section of a link needs that of its driver.
 */

import { bounded } from '../../contract/bounded.ts';
import { checkShape } from '../../contract/shape.ts';
import { CfdpCarriedDocument, CfdpDriverDocument, CfdpTransportDocument } from '../document/cfdp.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { DriverDocument, LinkDocument } from '../document/topology.ts';
import { durationIn } from './quantity.ts';

const DRIVER = bounded(CfdpDriverDocument);
const TRANSPORT = bounded(CfdpTransportDocument);
const CARRIED = bounded(CfdpCarriedDocument);
/** Octets of entity identifiers where nothing else is said. */
const ENTITY_BYTES = 2;
const MAX_PACKET_DATA_BYTES = 65_536;
const TIMERS = ['ack_timer', 'nak_timer', 'inactivity_timer', 'begin_timer'] as const;

/** Reports settings that do not hold: all of a driver, or its section `cfdp`. */
export function checkCfdpDriver(settings: unknown, faults: FaultsAt): void {
  if (!checkShape(DRIVER, settings, faults)) return;
  const document = settings as CfdpDriverDocument;
  checkFits(document.entity, document, faults.in('entity'));
  for (const timer of TIMERS) {
    const text = document[timer];
    if (text !== undefined && durationIn(text, faults.in(timer)) === 0)
      faults.in(timer).fault('the time is zero', 'give one above zero, longer than a round trip');
  }
}

/** Reports what the link does not say of the other entity. */
export function checkCfdpLink({ transport }: LinkDocument, driver: DriverDocument, faults: FaultsAt): void {
  if (transport === undefined) {
    const help = 'add transport: { kind: cfdp, entity: 2 }';
    faults.warning('it does not say which entity the spacecraft is: no file goes over it', help);
    return;
  }
  const at = faults.in('transport');
  if (!checkShape(TRANSPORT, transport, at)) return;
  checkEnds(transport as unknown as CfdpTransportDocument, driver as Partial<CfdpDriverDocument>, at);
}

/** Reports what a link of telecommands says of CFDP beside them, and what does not fit its driver. */
export function checkCfdpBeside({ transport }: LinkDocument, driver: DriverDocument, faults: FaultsAt): void {
  const section = transport?.['cfdp'];
  if (section === undefined) return;
  const at = faults.in('transport', 'cfdp');
  const ground = (driver as { readonly cfdp?: unknown }).cfdp;
  if (driver.protocol !== 'pus-c' || ground === undefined) {
    const help =
      driver.protocol === 'pus-c'
        ? 'add cfdp: { entity: 1 } to the driver'
        : 'bind a driver of protocol pus-c with a section cfdp, or one of protocol cfdp';
    at.keyFault('the driver of the link does not speak CFDP', help); // N3
  }
  if (!checkShape(CARRIED, section, at)) return;
  const { entity, apid } = section as CfdpCarriedDocument;
  if (transport?.['kind'] !== 'space-packet') {
    const help = 'write kind: space-packet, or give CFDP a link and a driver of its own';
    faults.in('transport').fault('only a transport of space packets carries CFDP beside telecommands', help);
  }
  checkEnds({ entity, apid }, typeof ground === 'object' && ground !== null ? ground : {}, at);
  const telecommands = transport?.['apid'] ?? (driver as { readonly apid?: unknown }).apid;
  // N2
  if (apid === telecommands)
    at.in('apid').fault(`${apid} is the APID of the telecommands`, 'give PDUs one of their own');
}

/** What the link says beside what its driver says. */
function checkEnds(
  { entity, apid }: Pick<CfdpTransportDocument, 'entity' | 'apid'>,
  ground: Partial<CfdpDriverDocument>,
  faults: FaultsAt,
): void {
  checkFits(entity, ground, faults.in('entity'));
  if (entity === ground.entity)
    faults.in('entity').fault(`${entity} is the identifier of the ground`, 'give that of the spacecraft');
  if (apid !== undefined && ground.pdu !== undefined && ground.pdu > MAX_PACKET_DATA_BYTES)
    faults
      .in('apid')
      .fault(
        `PDUs of ${ground.pdu} bytes fit in no space packet`,
        `make pdu ${MAX_PACKET_DATA_BYTES} at most`,
      );
}

/** N1 */
function checkFits(
  entity: number,
  { entity_bytes: bytes = ENTITY_BYTES }: Pick<CfdpDriverDocument, 'entity_bytes'>,
  faults: FaultsAt,
): void {
  if (entity < 2 ** (8 * bytes)) return;
  faults.fault(`${entity} does not fit in ${bytes} octets`, 'make entity_bytes larger');
}
