/** Prints the fingerprint of a seed: run as a process of its own by `simulation.test.ts`. */

import { scenarioOf } from './scenario.ts';
import { run } from './world.ts';

const { trace } = await run(scenarioOf(Number(process.argv[2]), 'both'));
console.log(trace.fingerprint());
