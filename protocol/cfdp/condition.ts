/** Condition codes of a transaction and the handlers of faults. CCSDS 727.0-B-5, section 5.2. */

export const condition = {
  noError: 0,
  positiveAckLimit: 1,
  keepAliveLimit: 2,
  invalidMode: 3,
  filestoreRejection: 4,
  checksumFailure: 5,
  fileSizeError: 6,
  nakLimit: 7,
  inactivity: 8,
  invalidStructure: 9,
  checkLimit: 10,
  unsupportedChecksum: 11,
  suspendRequested: 14,
  cancelRequested: 15,
} as const;

/** 0 to 15; what has no name above is reserved. */
export type Condition = number;

const TEXTS: Readonly<Record<Condition, string>> = {
  [condition.noError]: 'no error',
  [condition.positiveAckLimit]: 'the other entity acknowledges nothing',
  [condition.keepAliveLimit]: 'the receiver is too far behind',
  [condition.invalidMode]: 'the transmission mode is not supported',
  [condition.filestoreRejection]: 'the file store refuses the file',
  [condition.checksumFailure]: 'the checksum differs',
  [condition.fileSizeError]: 'the size of the file differs',
  [condition.nakLimit]: 'what is missing is not sent again',
  [condition.inactivity]: 'nothing is received any more',
  [condition.invalidStructure]: 'the structure of the file is invalid',
  [condition.checkLimit]: 'the file stays incomplete',
  [condition.unsupportedChecksum]: 'the type of checksum is not supported',
  [condition.suspendRequested]: 'suspended on request',
  [condition.cancelRequested]: 'cancelled on request',
};

export function conditionText(code: Condition): string {
  return TEXTS[code] ?? `condition ${code}`;
}

/** What happens at a fault; the position is the code on the wire. */
const HANDLERS = ['reserved', 'cancel', 'suspend', 'ignore', 'abandon'] as const;
export type FaultHandler = Exclude<(typeof HANDLERS)[number], 'reserved'>;

export function handlerOf(code: number): FaultHandler | undefined {
  const handler = HANDLERS[code];
  return handler === 'reserved' ? undefined : handler;
}

export function handlerCode(handler: FaultHandler): number {
  return HANDLERS.indexOf(handler);
}

export type FaultHandlers = Readonly<Partial<Record<Condition, FaultHandler>>>;

/** A fault cancels its transaction, except that a checksum nobody can compute does not make a file worthless. */
export function defaultHandler(code: Condition): FaultHandler {
  return code === condition.unsupportedChecksum ? 'ignore' : 'cancel';
}
