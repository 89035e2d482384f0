/**
 * Settings of drivers with the protocol `cfdp`, and the links they are bound to.
 *
 * N1. An identifier fits in the width that every PDU gives it, and the ground is not the spacecraft.
 */

import { bounded } from '../../contract/bounded.ts';
import { checkShape } from '../../contract/shape.ts';
import { CfdpDriverDocument, CfdpTransportDocument } from '../document/cfdp.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { DriverDocument, LinkDocument } from '../document/topology.ts';
import { durationIn } from './quantity.ts';

const DRIVER = bounded(CfdpDriverDocument);
const TRANSPORT = bounded(CfdpTransportDocument);
/** Octets of entity identifiers where nothing else is said. */
const ENTITY_BYTES = 2;
const TIMERS = ['ack_timer', 'nak_timer', 'inactivity_timer', 'begin_timer'] as const;

/** Reports settings that do not hold. */
export function checkCfdpDriver(settings: Readonly<Record<string, unknown>>, faults: FaultsAt): void {
  if (!checkShape(DRIVER, settings, faults)) return;
  const document = settings as unknown as CfdpDriverDocument;
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
  const { entity } = transport as unknown as CfdpTransportDocument;
  const ground = driver as Partial<CfdpDriverDocument>;
  checkFits(entity, ground, at.in('entity'));
  if (entity === ground.entity)
    at.in('entity').fault(`${entity} is the identifier of the ground`, 'give that of the spacecraft');
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
