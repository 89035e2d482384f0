/**
 * Where a gateway with kind `udp` or `tcp` meets its radio, and how the bytes there are cut into frames, as the
 * compiled configuration says it. Mission Control Service, section 1 (gateways); the settings are ours.
 */

export interface Address {
  readonly host: string;
  readonly port: number;
}

export type FramingConfiguration =
  | {
      readonly kind: 'space-packet';
      /** Longest packet, header included. */
      readonly maxBytes: number;
      /** The APIDs on this link; absent: any. */
      readonly apids?: readonly number[];
    }
  | { readonly kind: 'line'; readonly maxBytes: number; readonly ending: 'lf' | 'crlf' }
  | { readonly kind: 'kiss'; readonly maxBytes: number }
  | MarkerFramingConfiguration;

export interface MarkerFramingConfiguration {
  readonly kind: 'marker';
  /** Hexadecimal. */
  readonly marker: string;
  /** Longest frame after its marker. */
  readonly maxBytes: number;
  readonly length: FixedLength | LengthField;
  /** Frames follow each other without a gap. */
  readonly contiguous: boolean;
  /** The marker is part of the frame, both ways. */
  readonly keep: boolean;
}

export interface FixedLength {
  readonly kind: 'fixed';
  /** After the marker. */
  readonly bytes: number;
}

export interface LengthField {
  readonly kind: 'field';
  /** First byte of the field, from the end of the marker. */
  readonly at: number;
  readonly bytes: 1 | 2 | 4;
  readonly endian: 'big' | 'little';
  /** What the value lacks to the bytes after the marker. */
  readonly add: number;
}

export interface UdpEndpoint {
  readonly kind: 'udp';
  readonly bind: Address;
  /** Where frames are sent to; absent: it only receives. */
  readonly peer?: Address;
  /** Whose datagrams are taken: those of the host of the peer, all, or those of a list (`source-address.ts`). */
  readonly accept: 'peer' | 'any' | readonly string[];
  /** What the kernel is asked to hold of what comes; default `UDP_RECEIVE_BYTES`. */
  readonly receiveBytes?: number;
  readonly multicast?: { readonly group: string; readonly interface?: string; readonly ttl: number };
  /** Absent: a datagram is a frame. */
  readonly framing?: FramingConfiguration;
  readonly silentAfterMs?: number;
}

export interface TcpEndpoint {
  readonly kind: 'tcp';
  /** Whether it opens the connection or waits for it. */
  readonly side: 'connect' | 'listen';
  readonly address: Address;
  /** Who may open the connection (`source-address.ts`); absent: anybody. Of one that listens. */
  readonly accept?: readonly string[];
  /** A further connection takes the place of the one that stands, instead of being refused. Of one that listens. */
  readonly replace?: boolean;
  readonly framing: FramingConfiguration;
  readonly silentAfterMs?: number;
}

export type Endpoint = UdpEndpoint | TcpEndpoint;
