/** What `--json` prints: replies as the service says them, and of what is followed one event in a line. */
import { jsonText } from './printable.ts';

export function printJson(reply: unknown): void {
  process.stdout.write(`${jsonText(reply, 2)}\n`);
}

export function printJsonLine(event: unknown): void {
  process.stdout.write(`${jsonText(event)}\n`);
}
