/**
 * Of which links a frame may carry a PDU.
 *
 * P1. A frame is looked at once, however many links its gateway has: its APID and the entity in the header of the PDU
 *     say which links come into question.
 * P2. PDUs are distinguished by the APID and both entities over one gateway (`mission/check/cfdp-gateways.ts`), and
 *     over that one alone: a link is asked about frames of gateways that may serve it.
 */

import { readHeader } from '../../protocol/cfdp/header.ts';
import { readSpacePacket } from '../../protocol/space-packet.ts';
import type { CfdpTransport } from '../driver/cfdp-transport.ts';

export interface PduPlace {
  readonly gateways: readonly string[];
  readonly transport: Pick<CfdpTransport, 'apid' | 'peer' | 'pduIn'>;
}

/** Links whose PDUs lie in the same packets. */
interface Carried<Place> {
  readonly pduIn: CfdpTransport['pduIn'];
  readonly first: Place;
  readonly byPeer: Map<bigint, Place[]>;
}

/** By APID; undefined: the whole frame is a PDU. */
type ByApid<Place> = Map<number | undefined, Carried<Place>>;

export class PduPlaces<Place extends PduPlace> {
  readonly #byGateway = new Map<string, ByApid<Place>>();

  constructor(places: Iterable<Place>) {
    for (const place of places) for (const gateway of place.gateways) this.#add(gateway, place);
  }

  /**
   * The links that a frame of that gateway may be of: empty for a PDU of an entity that none of them has; one of them
   * where its header cannot be read; undefined for a frame that carries no PDU.
   */
  of(gateway: string, frame: Buffer): readonly Place[] | undefined {
    const byApid = this.#byGateway.get(gateway);
    if (byApid === undefined) return undefined;
    const packet = readSpacePacket(frame);
    const inPackets = typeof packet === 'string' ? undefined : byApid.get(packet.apid);
    return placesIn(inPackets, frame) ?? placesIn(byApid.get(undefined), frame);
  }

  #add(gateway: string, place: Place): void {
    const { apid, peer, pduIn } = place.transport;
    const byApid: ByApid<Place> = this.#byGateway.get(gateway) ?? new Map();
    this.#byGateway.set(gateway, byApid);
    const carried = byApid.get(apid) ?? { pduIn, first: place, byPeer: new Map<bigint, Place[]>() };
    byApid.set(apid, carried);
    carried.byPeer.set(peer, [...(carried.byPeer.get(peer) ?? []), place]);
  }
}

function placesIn<Place>(carried: Carried<Place> | undefined, frame: Buffer): readonly Place[] | undefined {
  const pdu = carried?.pduIn(frame);
  if (carried === undefined || pdu === undefined) return undefined;
  const read = readHeader(pdu);
  if (typeof read === 'string') return [carried.first];
  const { towards, source, destination } = read.header;
  return carried.byPeer.get(towards === 'receiver' ? source : destination) ?? [];
}
