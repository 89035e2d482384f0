/** A promise with its resolvers outside, whose rejection nobody has to wait for. */

import type { Outage } from '../../../contract/outage.ts';

export interface Promised<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: Outage) => void;
}

export function promised<Value>(): Promised<Value> {
  let resolve!: (value: Value) => void;
  let reject!: (error: Outage) => void;
  const promise = new Promise<Value>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
