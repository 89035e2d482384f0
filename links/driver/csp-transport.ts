/**
 * What the transport of a link says to the driver of CSP, with defaults applied. Its shape and its sense were checked
 * when the documents were compiled (`mission/check/csp.ts`).
 *
 * P1. The port of a telecommand is that of its `encode`, else of its component, else of the transport.
 */

import { accepted, type Result, refused } from '../../contract/result.ts';
import type { CspTransportDocument } from '../../mission/document/csp.ts';
import type { Link } from '../../mission/mission.ts';
import type { Telecommand } from '../../mission/platform.ts';
import type { CspVersion } from '../../protocol/csp.ts';

export interface CspTransport {
  readonly version: CspVersion;
  /** Address of the ground. */
  readonly source: number;
  readonly sourcePort: number;
  readonly priority: number;
  readonly crc: boolean;
  readonly kiss: boolean;
  /** Address of a component on board. */
  destinationOf(component: string): number;
  /** Undefined when nothing names one. */
  portOf(telecommand: Telecommand): number | undefined;
  /** Whether a packet comes from a node of this link and is for the ground. */
  isOwn(source: number, destination: number): boolean;
}

const PRIORITIES = ['critical', 'high', 'normal', 'low'];
/** The first port that libcsp gives to whoever begins a conversation. */
const DEFAULT_SOURCE_PORT = 48;

/** The transport of a link; refuses a link that has none of CSP. */
export function cspTransport(link: Link): Result<CspTransport, string> {
  if (link.transport?.['kind'] !== 'csp')
    return refused(`link "${link.name}" has no transport of kind csp; add its addresses`);
  const document = link.transport as unknown as CspTransportDocument;
  const { version, source, destination, nodes = {}, port, ports = {}, priority = 'normal' } = document;
  const onBoard = new Set([destination, ...Object.values(nodes)]);
  return accepted({
    version: version as CspVersion,
    source,
    sourcePort: document.source_port ?? DEFAULT_SOURCE_PORT,
    priority: PRIORITIES.indexOf(priority),
    crc: document.crc ?? false,
    kiss: document.kiss ?? false,
    destinationOf: (component) => nodes[component] ?? destination,
    portOf: ({ component, encoding }) => encoding?.header['port'] ?? ports[component] ?? port,
    isOwn: (from, to) => onBoard.has(from) && to === source,
  });
}
