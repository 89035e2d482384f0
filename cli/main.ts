/** `mcs`: the command line of the service. Its commands are in `commands.ts`; this file is the process. */

import { runCommand } from './commands.ts';

// Whoever reads has enough: `mcs alarm list | head -1` is no failure. A service goes on without a reader, and where
// its disk is full (process-end.N2).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (['serve', 'demo'].includes(process.argv[2] ?? '')) return;
  if (error.code !== 'EPIPE') throw error;
  // One that follows something ends by itself, and says by its code that it has not seen the end.
  if (process.stdout.listenerCount('error') === 1) process.exit();
});

try {
  process.exitCode = await runCommand(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`mcs: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
