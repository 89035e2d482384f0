/**
 * Content of the service into files of whoever looks, with the token in the header of the request and never in an
 * address.
 *
 * S1. Where the browser lets a page write a file, bytes go there as they come and none are kept; elsewhere the browser
 *     keeps them until all are there.
 * S2. A file appears when all of its bytes are there: what was cut off, or has another length, is given up.
 */

import { content } from '../../service.ts';
import { ServiceError } from '../../service-error.ts';
import { contentPath, type Transfer, transferKey } from './transfer-words.ts';

export interface Saved {
  readonly state: 'under way' | 'saved' | 'failed';
  readonly bytes: number;
  readonly size: number;
  readonly name: string;
  readonly refusal?: ServiceError | undefined;
  readonly stop: () => void;
}

type Picker = (options: { readonly suggestedName: string }) => Promise<FileSystemFileHandle>;
/** What is in it is nobody's to guess: a browser would add an ending to its name. */
const PLAIN = { 'content-type': 'application/octet-stream' };
/** How long the browser may take to begin with what it was given. */
const REVOKE_MS = 60_000;

export class Saving {
  readonly #changed: () => void;
  readonly files = new Map<string, Saved>();

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  async save(transfer: Transfer): Promise<void> {
    const key = transferKey(transfer);
    if (this.files.get(key)?.state === 'under way') return;
    const name = `${transfer.target}-${transfer.file_id}-${transfer.generation}`;
    const handle = await chosen(name);
    if (handle === 'nothing') return;
    const end = new AbortController();
    const begun: Saved = {
      state: 'under way',
      bytes: 0,
      size: transfer.size,
      name: handle?.name ?? name,
      stop: () => end.abort(),
    };
    this.#put(key, begun);
    try {
      const response = await content(contentPath(transfer), end.signal);
      const counted = response.body!.pipeThrough(
        counter(transfer.size, (bytes) => this.#put(key, { ...begun, bytes })),
      );
      if (handle !== undefined) await counted.pipeTo(await handle.createWritable(), { signal: end.signal });
      else give(await new Response(counted, { headers: PLAIN }).blob(), name);
      this.#put(key, { ...begun, state: 'saved', bytes: transfer.size });
    } catch (error) {
      this.#put(key, { ...begun, state: 'failed', refusal: refusalOf(error) });
    }
  }

  #put(key: string, saved: Saved): void {
    this.files.set(key, saved);
    this.#changed();
  }
}

/** Where to; undefined: the browser decides when all is there. `nothing`: nowhere after all. */
async function chosen(name: string): Promise<FileSystemFileHandle | undefined | 'nothing'> {
  const picker = (globalThis as { showSaveFilePicker?: Picker }).showSaveFilePicker;
  if (picker === undefined) return undefined;
  try {
    return await picker({ suggestedName: name });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return 'nothing';
    throw error;
  }
}

/** S2: passes bytes on, counts them, and fails where they are not as many as they should be. */
function counter(size: number, counted: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(piece, controller) {
      bytes += piece.byteLength;
      counted(bytes);
      controller.enqueue(piece);
    },
    flush(controller) {
      if (bytes !== size) controller.error(new ServiceError(0, [cutOff(bytes, size)]));
    },
  });
}

function give(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_MS);
}

function cutOff(bytes: number, size: number): { code: string; message: string } {
  return { code: 'unreached', message: `${bytes} of ${size} bytes came; nothing was saved` };
}

function refusalOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const isStopped = error instanceof DOMException && error.name === 'AbortError';
  const message = isStopped
    ? 'stopped; nothing was saved'
    : `it could not be saved: ${error instanceof Error ? error.message : String(error)}`;
  return new ServiceError(0, [{ code: isStopped ? 'stopped' : 'not-saved', message }]);
}
