/** What must hold in every case. Far cheaper than `expect`, of which a hundred thousand cases would be the cost. */

/** Throws the sentence unless it holds. */
export function demand(holds: boolean, sentence: string | (() => string)): asserts holds {
  if (!holds) throw new Error(typeof sentence === 'string' ? sentence : sentence());
}
