/**
 * Blocks that were received, newest first: when, under which profile, what the coding says, and their bytes. RF Bench
 * Service, section 2 (FrameDRO).
 */

import type { BenchFrame, FramePage } from '../../contract/bench/frame.ts';
import { arrange, byId, element, setText } from '../element.ts';
import { duration } from '../moment.ts';
import { act, read } from './bench-service.ts';
import { hexLines } from './hex-lines.ts';
import { OutcomeLine } from './outcome-line.ts';

/** Each has 4096 bytes; more are for the route. */
const SHOWN = 20;
/** Bytes in the line of a block, and in a line of its bytes. */
const FIRST_BYTES = 16;

export class FramesView {
  readonly #list = byId('frames-list', HTMLOListElement);
  readonly #none = byId('frames-none', HTMLElement);
  readonly #count = byId('frames-count', HTMLElement);
  readonly #purge = byId('frames-purge', HTMLButtonElement);
  readonly #outcome = new OutcomeLine(byId('frames-outcome', HTMLElement));
  readonly #drawn = new Map<string, HTMLLIElement>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
    this.#purge.addEventListener('click', () => void this.#forget());
  }

  /** The newest; blocks that are open stay so. */
  async refresh(): Promise<void> {
    const { frames, empty_reason } = await read<FramePage>(`/api/v1/frames?limit=${SHOWN}`);
    this.#none.hidden = frames.length > 0;
    setText(this.#none, `No block has been received: ${empty_reason ?? 'nothing was captured'}.`);
    setText(this.#count, frames.length === 0 ? '' : `the newest ${frames.length}, a block of the DMA each`);
    this.#purge.disabled = frames.length === 0;
    const ids = new Set(frames.map(({ id }) => id));
    for (const id of this.#drawn.keys()) if (!ids.has(id)) this.#drawn.delete(id);
    arrange(
      this.#list,
      frames.map((frame) => this.#drawn.get(frame.id) ?? this.#make(frame)),
    );
  }

  #make(frame: BenchFrame): HTMLLIElement {
    const { id, timestamp, profile, payload_hex } = frame;
    const bytes = element('pre', { class: 'mono', tabindex: '0', 'aria-label': 'Bytes of the block' });
    const details = element(
      'details',
      {},
      element(
        'summary',
        {},
        element('span', { class: 'mono' }, `+${duration(Date.parse(timestamp))}`),
        ` · ${profile ?? 'no profile'} · `,
        element('span', { class: codingTone(frame) }, codingWords(frame)),
        element('span', { class: 'mono muted first-bytes' }, hexLines(payload_hex, FIRST_BYTES, 1)),
      ),
      bytes,
    );
    // 4096 bytes of many blocks are drawn when somebody looks at them.
    details.addEventListener('toggle', () => {
      if (details.open) setText(bytes, hexLines(payload_hex, FIRST_BYTES));
    });
    const item = element('li', {}, details);
    this.#drawn.set(id, item);
    return item;
  }

  async #forget(): Promise<void> {
    await this.#outcome.run(
      this.#purge,
      () => act<{ readonly purged: number }>('DELETE', '/api/v1/frames'),
      ({ purged }) => `${purged} blocks discarded`,
    );
    await this.refresh();
    this.#changed();
  }
}

function codingWords({ fec_status, crc_ok }: BenchFrame): string {
  const coding = fec_status === 'none' ? 'not coded' : `coding ${fec_status}`;
  return crc_ok === undefined ? coding : `${coding}, CRC ${crc_ok ? 'right' : 'wrong'}`;
}

function codingTone({ fec_status, crc_ok }: BenchFrame): string {
  if (fec_status === 'uncorrectable' || crc_ok === false) return 'bad';
  return fec_status === 'unknown' ? 'warn' : 'muted';
}
