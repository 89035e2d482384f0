/** Processor time of a piece of work that does not wait, to compare with that of another one in the same run. */

const ROUNDS = 20;

/** In ms, of this process: what others have of the processor is not in it. */
export function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * How many times the `ceiling` the `cost` is, both in ms of the processor. They are measured in turn and the least of
 * each counts: a collection of garbage, or a processor that another program slows down, is in some rounds and not in
 * all. Ends once the answer is at most `bound`; work that grows with the square never gets there.
 */
export function timesCeiling(cost: () => number, ceiling: () => number, bound: number): number {
  let [leastCost, leastCeiling] = [cost(), ceiling()];
  for (let round = 1; round < ROUNDS && leastCost > bound * leastCeiling; round += 1) {
    leastCost = Math.min(leastCost, cost());
    leastCeiling = Math.min(leastCeiling, ceiling());
  }
  return leastCost / leastCeiling;
}
