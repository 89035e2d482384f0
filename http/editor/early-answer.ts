/**
 * The connection of a request to the editor, read to its end also where it no longer takes anything.
 *
 * Servers answer a body that they do not want (507, 413, 401) and close. What is written then fails, and node ends a
 * socket at once when a write fails: the answer, there to be read, would be lost.
 *
 * A1. A write that fails ends nothing: the reason to end comes from reading, behind all that the editor sent.
 * A2. Nothing is written behind it; it is as if the editor took nothing any more.
 */

import type { Socket } from 'node:net';

type Written = (error?: Error | null) => void;

/** Call before anything is written. `brokeOff` is called once, when a write has failed. */
export function readBehindFailedWrites(socket: Socket, brokeOff: () => void): void {
  const unlessFailed =
    (written: Written): Written =>
    (error) => {
      if (error) brokeOff();
      else written(error);
    };
  const { _write, _writev } = socket;
  socket._write = (chunk, encoding, written) => _write.call(socket, chunk, encoding, unlessFailed(written));
  if (_writev !== undefined)
    socket._writev = (chunks, written) => _writev.call(socket, chunks, unlessFailed(written));
}
