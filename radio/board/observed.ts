/** What a board answered, or why it did not: nothing that could not be read is ever taken for a value. */

import { IioFailure } from '../iio/context.ts';

export type Observed<Value> = { readonly value: Value } | { readonly error: string };

export function known<Value>(value: Value): Observed<Value> {
  return { value };
}

export function unreadable(error: string): Observed<never> {
  return { error };
}

/** The value, or undefined when it could not be read. */
export function knownValue<Value>(observed: Observed<Value>): Value | undefined {
  return 'value' in observed ? observed.value : undefined;
}

/** What comes of the value, where there is one. */
export function mapped<From, To>(observed: Observed<From>, change: (value: From) => To): Observed<To> {
  return 'value' in observed ? { value: change(observed.value) } : observed;
}

/** What a reading gives; a refusal of the board becomes its reason, a lost board stays a failure. */
export async function observe<Value>(reading: Promise<Value>): Promise<Observed<Value>> {
  try {
    return { value: await reading };
  } catch (error) {
    if (error instanceof IioFailure) return { error: error.message };
    throw error;
  }
}
