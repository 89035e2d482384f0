/** The framer of a configuration. */

import { assertNever } from '../../contract/assert.ts';
import type { FramingConfiguration } from '../../mission/endpoint.ts';
import type { Framer } from './framer.ts';
import { KissFramer } from './kiss-framer.ts';
import { LineFramer } from './line-framer.ts';
import { MarkerFramer } from './marker-framer.ts';
import { PacketFramer } from './packet-framer.ts';

/** A framer for a stream that begins now. */
export function createFramer(framing: FramingConfiguration): Framer {
  switch (framing.kind) {
    case 'space-packet':
      return new PacketFramer(framing);
    case 'line':
      return new LineFramer(framing);
    case 'marker':
      return new MarkerFramer(framing);
    case 'kiss':
      return new KissFramer(framing);
    default:
      return assertNever(framing);
  }
}
