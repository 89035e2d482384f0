/**
 * Posts what a file holds, one after the other.
 *
 * U1. It stops at the first that is refused or not answered, and reports how many are written: what is behind a fault
 *     may depend on it. All of it can be posted again, since what is there already stays or is replaced by itself.
 */

import { printable } from './printable.ts';
import { type Answered, ask, faultLine } from './request.ts';
import type { Service } from './service.ts';

export interface Posting<Reply> {
  readonly service: Service;
  readonly path: string;
  /** `pass`; one is named by it, several by it and an `s` or `es`. */
  readonly noun: string;
  readonly nouns: string;
  readonly show: (reply: Reply) => void;
}

/** The exit code (U1). */
export async function postAll<Reply>(posting: Posting<Reply>, items: readonly unknown[]): Promise<number> {
  const { noun, nouns } = posting;
  for (const [done, item] of items.entries()) {
    const said = await postOne(posting, item);
    if (said.length === 0) continue;
    for (const line of said) process.stderr.write(`${printable(`${nameOf(noun, item, done)}: ${line}`)}\n`);
    const left = items.length - done - 1;
    if (items.length > 1)
      process.stderr.write(
        `${done} of ${items.length} ${nouns} are written; this one and ${left} behind it are not\n`,
      );
    return 1;
  }
  return 0;
}

/** What is wrong; nothing where it is written. */
async function postOne<Reply>(
  { service, path, show }: Posting<Reply>,
  item: unknown,
): Promise<readonly string[]> {
  let answer: Answered<Reply>;
  try {
    answer = await ask<Reply>(service, 'POST', path, item);
  } catch (error) {
    return [`${error instanceof Error ? error.message : String(error)}; whether it is written is not known`];
  }
  if (!answer.ok) return answer.faults.map(faultLine);
  show(answer.reply);
  return [];
}

/** As the file names it. */
function nameOf(noun: string, item: unknown, index: number): string {
  const { id } = item as { readonly id?: unknown };
  const isNamed = typeof id === 'string' || typeof id === 'number';
  return isNamed ? `${noun} ${id}` : `${noun} ${index + 1} of the file`;
}
