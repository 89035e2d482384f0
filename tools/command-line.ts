/**
 * What a script for engineers is asked on its command line. `--help` prints the comment that the script begins with;
 * what it does not know is a sentence and exit code 2.
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/** The options of the script at that address; does not return where it was asked for help, or wrongly. */
export function optionsOf<const Own extends Options>(script: string, options: Own) {
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean' } } });
    if ((values as { help?: boolean }).help !== true)
      return values as ReturnType<typeof parseArgs<{ options: Own }>>['values'];
    process.stdout.write(helpOf(readFileSync(fileURLToPath(script), 'utf8')));
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\nwith --help it says what it takes\n`);
    process.exit(2);
  }
}

/** The comment that a source begins with, as text. */
export function helpOf(source: string): string {
  const [, comment = ''] = /^\/\*\*([\s\S]*?)\*\//.exec(source) ?? [];
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\*? ?/, '').trimEnd());
  return `${lines.join('\n').trim()}\n`;
}
