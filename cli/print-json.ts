/** What `--json` prints: replies as the service says them, and of what is followed one event in a line. */

export function printJson(reply: unknown): void {
  process.stdout.write(`${JSON.stringify(reply, undefined, 2)}\n`);
}

export function printJsonLine(event: unknown): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
