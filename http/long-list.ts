/**
 * A list of a body as an answer, also where it is very long.
 *
 * G1. Who asks does not choose the cost: of a long list never more is text at once than a slice, the next one is made
 *     when the client has taken it, and between two of them the loop serves others.
 */

import { setImmediate } from 'node:timers/promises';
import { LIST_AT_ONCE, LIST_SLICE } from '../contract/limits/connection.ts';
import type { Reply } from './reply.ts';

/** 200 with a body of one field, which holds the items as they are shown. */
export function listReply<Item>(
  field: string,
  items: readonly Item[],
  shown: (item: Item) => unknown,
): Reply {
  if (items.length <= LIST_AT_ONCE) return { status: 200, body: { [field]: items.map(shown) } };
  return { status: 200, stream: { bytes: undefined, pieces: () => piecesOf(field, items, shown) } };
}

async function* piecesOf<Item>(
  field: string,
  items: readonly Item[],
  shown: (item: Item) => unknown,
): AsyncIterable<Uint8Array> {
  let before = `{${JSON.stringify(field)}:[`;
  for (let from = 0; from < items.length; from += LIST_SLICE) {
    const slice = JSON.stringify(items.slice(from, from + LIST_SLICE).map(shown));
    yield Buffer.from(before + slice.slice(1, -1));
    before = ',';
    await setImmediate();
  }
  yield Buffer.from(']}');
}
