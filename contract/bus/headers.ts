/**
 * Headers of the messages on the bus, which are case-sensitive. Mission Control Service, section 6; others are marked
 * (ours).
 */

export const header = {
  config: 'Mcs-Config',
  user: 'Mcs-User',
  roles: 'Mcs-Role',
  delivery: 'Mcs-Delivery',
  /** Fencing token of the writer (ours). */
  epoch: 'Mcs-Epoch',
  /** On an ENCODED event: what a new owner of the lane needs to go on (ours). */
  frame: 'Mcs-Frame',
  reference: 'Mcs-Reference',
  /** On an ENCODED or SEND_FAILED event: the gateway it was given, where that is not the one of its link (ours). */
  gateway: 'Mcs-Gateway',
  /** On a PENDING event: what its chart was begun with and the event does not say (ours). */
  begun: 'Mcs-Begun',
  /** On a SEND_FAILED event: what the gateway said, as `SendFailure` (ours). */
  outcome: 'Mcs-Outcome',
  /** Position in the input stream that a message was made from; on an event of a run, of the answer it logs (ours). */
  source: 'Mcs-Source',
  /**
   * When the message was stored that stands at that position: a stream that was put back has another one there (ours).
   */
  sourceAt: 'Mcs-Source-At',
  /** On a chunk of a file: which writing of the file it is of, and the offset of its first byte (MC-XFER-046). */
  generation: 'Mcs-Generation',
  offset: 'Mcs-Offset',
  /** On a chunk of a file: the transaction that brought it (ours; `contract/file-chunk.ts`). */
  transaction: 'Mcs-Transaction',
  /** On samples decoded of a file: which frames of which file they are of, and what came of it so far (ours). */
  file: 'Mcs-File',
  /** On a value batch: more batches made from the same decoded samples follow it (ours). */
  part: 'Mcs-Part',
  /** On a value batch: position of the frames it was made from (ours). */
  received: 'Mcs-Received',
  /** On a SENT event: where the bus stood when the frame was handed over (ours). */
  handed: 'Mcs-Handed',
  /** On an answer or a command to a run: number of the last event of its log when it was given, 0 for none (ours). */
  seen: 'Mcs-Seen',
  /** On a command to a run: its identifier, the same in every repetition (ours). */
  request: 'Mcs-Request',
  /** On a value batch that no sample caused: the moment at which time alone changed what it holds (ours). */
  turned: 'Mcs-Turned',
} as const;

/** In `header.gateway`: no gateway served the link; names have no dots. */
export const NO_GATEWAY = '.';
