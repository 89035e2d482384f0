/** `mcs unit image`: a signed image for a simulated unit. What images real units take is their maker's matter. */

import { readFile, writeFile } from 'node:fs/promises';
import { signedImage } from '../supervision/unit/simulate.ts';
import { defineCommand } from './command.ts';
import { WrongUsage } from './command-line.ts';
import { IMAGE_USAGE } from './unit-usage.ts';

const OPTIONS = {
  key: { type: 'string' },
  hardware: { type: 'string' },
  version: { type: 'string' },
  content: { type: 'string' },
} as const;

export const image = defineCommand({
  usage: IMAGE_USAGE,
  words: ['FILE'],
  options: OPTIONS,
  async run({ words: [file], values }) {
    const { key, hardware, version, content } = values;
    if (!key || !hardware || !version) throw new WrongUsage('--key, --hardware and --version are needed');
    const bytes =
      content === undefined ? Buffer.from(`made up, version ${version}\n`) : await readFile(content);
    const head = { hardware: hardware.split(',').map((each) => each.trim()), version };
    await writeFile(file, await signedImage(head, bytes, key));
    process.stdout.write(`${file}\n`);
    return 0;
  },
});
