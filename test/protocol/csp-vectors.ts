/** Vectors of CSP made by libcsp; see test/data/vectors. */

import { readFileSync } from 'node:fs';
import type { CspHeader, CspVersion } from '../../protocol/csp.ts';

interface Vector {
  readonly id: string;
  readonly group: 'csp1' | 'csp2' | 'csp-kiss';
  readonly version: CspVersion;
  readonly header: CspHeader;
  readonly data: Buffer;
  readonly bytes: Buffer;
}

interface Written {
  readonly id: string;
  readonly group: Vector['group'];
  readonly hex: string;
  readonly fields: Record<'version' | 'pri' | 'src' | 'dst' | 'dport' | 'sport' | 'flags', number> & {
    readonly data: string;
  };
}

const file = new URL('../data/vectors/csp.json', import.meta.url);
const written = (JSON.parse(readFileSync(file, 'utf8')) as { vectors: Written[] }).vectors;

export const cspVectors: readonly Vector[] = written.map(({ id, group, hex, fields }) => ({
  id,
  group,
  version: fields.version as CspVersion,
  header: {
    priority: fields.pri,
    source: fields.src,
    destination: fields.dst,
    destinationPort: fields.dport,
    sourcePort: fields.sport,
    flags: fields.flags,
  },
  data: Buffer.from(fields.data, 'hex'),
  bytes: Buffer.from(hex, 'hex'),
}));
