/** The self-test of a simulated unit: what it can really look at, and a radio that is made up. */

import { availableParallelism, freemem, totalmem } from 'node:os';
import type { SelftestReport } from '../../contract/unit.ts';

interface Looked {
  readonly hardware: string;
  readonly gateways: readonly string[];
  /** Whether the bus is there. */
  readonly connected: boolean;
  /** The radio is made to fail. */
  readonly fails: boolean;
}

const MIB = 2 ** 20;

export function selftest({ hardware, gateways, connected, fails }: Looked): SelftestReport {
  const free = Math.round(freemem() / MIB);
  const checks = [
    { name: 'memory', passed: free > 0, detail: `${free} of ${Math.round(totalmem() / MIB)} MiB free` },
    { name: 'processors', passed: true, detail: `${availableParallelism()}` },
    { name: 'bus', passed: connected, detail: connected ? 'connected' : 'not connected' },
    {
      name: 'hardware',
      passed: true,
      detail: `revision ${hardware}, gateways ${gateways.join(', ') || 'none'}`,
    },
    {
      name: 'radio-loopback',
      passed: !fails,
      detail: fails ? 'bit error rate 0.012, limit 0.000001' : 'bit error rate 0 (simulated)',
    },
  ];
  return { passed: checks.every(({ passed }) => passed), checks };
}
