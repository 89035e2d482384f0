/** Processor time of a piece of work that does not wait, to compare with that of another one in the same run. */

/** In ms, of this process: what others have of the processor is not in it. */
export function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
