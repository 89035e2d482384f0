/**
 * A board as a process of its own, which outlives every daemon: the model behind an iiod. Prints the port it listens
 * on.
 */

import { serveIiod } from '../../radio/iio/server.ts';
import { createStub } from '../../radio/stub/stub.ts';
import { realClock } from '../../supervision/clock.ts';
import { keptLog } from '../support/silent-log.ts';

const [port = '0'] = process.argv.slice(2);
const context = createStub({ seed: 5, clock: realClock });
const served = await serveIiod({ context, port: Number(port), clock: realClock, log: keptLog() });
process.send?.({ port: served.port });
process.on('disconnect', () => process.exit());
