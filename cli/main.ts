/** `mcs`: the command line of the service. Each command has a file of its own; this one only chooses. */

const USAGE = `mcs, open mission control

  mcs demo  [--port N] [--bench-port N] [--state DIR]
                                           a whole mission on this machine
  mcs serve [--mission DIR] [--port N] [--host ADDRESS] [--allow-host NAME] [--nats URL]
            [--credentials FILE] [--signer FILE] [--state DIR] [--roles a,b] [--metrics-port N]
            [--bench-port N]
                                           the service, or some roles of it; with --bench-port an RF bench
  mcs config check DIR                     every error of a mission folder
  mcs config publish DIR [--nats URL] [--credentials FILE]
  mcs tc send TARGET TELECOMMAND [argument=value …]
  mcs tc watch [TARGET]                    telecommands as they go
  mcs run start PROCEDURE role=target … [input=value …] --environment E [--follow]
  mcs run list|follow|answer|suspend|resume|abort
                                           runs of procedures; for more: mcs run
  mcs run check DIR [PROCEDURE]            the steps of procedures, how long they last, what they need
  mcs values watch TARGET [SELECTOR …]     current values as they change: a table in a terminal
  mcs mode get|set TARGET [MODE]           the mode of a target
  mcs parameters TARGET                    its parameters by mode, and whether they read back
  mcs file list|refresh TARGET             files on board, as last listed; refresh asks the spacecraft
  mcs file get TARGET FILE                 brings a file down and saves it
  mcs transfer list|watch [TARGET]         files that come down and go up
  mcs link list TARGET                     drivers and gateways of its links, and their bindings
  mcs link watch TARGET [--link L] [--raw] frames as they pass, decoded
  mcs pass list|show|watch|put|feed        passes of targets over stations; for more: mcs pass
  mcs pass predict                         passes of the next days, from orbital elements
  mcs schedule list|show|create|cancel|validate
                                           runs that start automatically on passes; for more: mcs schedule
  mcs rule list|add|remove                 rules that make schedules of passes; for more: mcs rule
  mcs alarm list|watch|ack|shelve|unshelve
                                           alarms; for more: mcs alarm
  mcs actor list|show                      what lives and where, and what is stored of it
  mcs sim faults GATEWAY                   faults of a simulated gateway, and which are on
  mcs sim fault GATEWAY FAULT on|off       switch one
  mcs sim files GATEWAY                    files on board its spacecraft, with their hashes
  mcs test                                 everything that CI runs
`;

/** Loaded when chosen: a client of the API need not wait for the service to be read. */
const commands: Readonly<Record<string, () => Promise<(args: string[]) => Promise<number>>>> = {
  demo: async () => (await import('./demo.ts')).demo,
  serve: async () => (await import('./serve.ts')).serve,
  config: async () => (await import('./config.ts')).config,
  tc: async () => (await import('./tc.ts')).tc,
  run: async () => (await import('./run.ts')).run,
  values: async () => (await import('./values.ts')).values,
  mode: async () => (await import('./mode.ts')).mode,
  parameters: async () => (await import('./parameters.ts')).parameters,
  file: async () => (await import('./file.ts')).file,
  transfer: async () => (await import('./transfer.ts')).transfer,
  link: async () => (await import('./link.ts')).link,
  pass: async () => (await import('./pass.ts')).pass,
  schedule: async () => (await import('./schedule.ts')).schedule,
  rule: async () => (await import('./rule.ts')).rule,
  alarm: async () => (await import('./alarm.ts')).alarm,
  actor: async () => (await import('./actor.ts')).actor,
  sim: async () => (await import('./sim.ts')).sim,
};

async function main([name, ...args]: string[]): Promise<number> {
  const load = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load !== undefined) return (await load())(args);
  const asked = name === undefined || name === 'help' || name === '--help' || name === '-h';
  process[asked ? 'stdout' : 'stderr'].write(
    asked ? USAGE : `mcs: unknown command ${JSON.stringify(name)}\n\n${USAGE}`,
  );
  return asked ? 0 : 2;
}

// Whoever reads has enough: `mcs alarm list | head -1` is no failure. A service goes on without a reader.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  if (!['serve', 'demo'].includes(process.argv[2] ?? '')) process.exit();
});

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`mcs: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
