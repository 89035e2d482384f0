/** Something is larger than the bus takes in one message: no outage, since it never will, and no defect. */

export class TooLarge extends RangeError {
  readonly bytes: number;
  readonly most: number;
  /** What to do about it. */
  readonly remedy: string;

  constructor(what: string, bytes: number, most: number) {
    super(`${what} takes ${bytes} bytes, and the bus takes ${most} in one message`);
    this.name = 'TooLarge';
    this.bytes = bytes;
    this.most = most;
    this.remedy = 'Raise `max_payload` of nats-server (8MB is meant), or make it smaller.';
  }
}
