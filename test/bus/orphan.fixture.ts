/** A process that starts the embedded server, says where it is, and waits to be killed. */

import { startEmbeddedServer } from '../../bus/server.ts';
import { quiet } from '../support/nats.ts';

const [stateDir = ''] = process.argv.slice(2);
const server = await startEmbeddedServer({ stateDir, log: quiet });
process.stdout.write(`${JSON.stringify({ pid: server.pid, url: server.url })}\n`);
setInterval(() => {}, 60_000);
