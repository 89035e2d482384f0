/**
 * Why packets are not transmitted, beside what their shape says. RF Bench Service, section 4, rule 11, and section 7.
 */

export interface PacketRefusal {
  readonly code: 'invalid_header' | 'validation_failed' | 'framing_misaligned' | 'packet_too_large';
  readonly message: string;
  /** `packets[2].header.src`; of framing `framing`. */
  readonly path: string;
}
