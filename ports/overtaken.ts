/**
 * What is owned here was written under a later epoch: by another owner, or by one whose epoch the lease does not know
 * any more, since its bucket went back and its positions were used again. Whoever holds the lease gives it back, and
 * takes it above that epoch (holding.H5).
 */
export class Overtaken extends Error {
  readonly epoch: number;

  constructor(message: string, epoch: number) {
    super(message);
    this.name = 'Overtaken';
    this.epoch = epoch;
  }
}
