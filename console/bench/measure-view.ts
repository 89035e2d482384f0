/** A measurement: a payload made here is fed, captured and compared byte by byte. RF Bench Service, rule 10. */

import type { BlockMatch, Measurement, MeasureVerdict } from '../../contract/bench/datapath.ts';
import { type PrbsOrder, prbs } from '../../radio/prbs.ts';
import { byId, drawn, element, setAttribute, setText } from '../element.ts';
import { act } from './bench-service.ts';
import { OutcomeLine } from './outcome-line.ts';
import { percent } from './quantity.ts';

/** Useful bytes of one block of the DMA; a payload of whole blocks is not padded. */
const BLOCK_BYTES = 4096;
const TONES: Readonly<Record<MeasureVerdict, string>> = {
  BytePerfect: 'ok',
  Degraded: 'warn',
  NoCorrelation: 'bad',
};
const SIGNS: Readonly<Record<MeasureVerdict, string>> = {
  BytePerfect: '✓',
  Degraded: '▲',
  NoCorrelation: '✗',
};
const BARS = { height: 64, step: 12, width: 9 } as const;

export class MeasureView {
  readonly #changed: () => void;
  readonly #button = byId('measure-go', HTMLButtonElement);
  readonly #outcome = new OutcomeLine(byId('measure-outcome', HTMLElement));
  readonly #result = byId('measure-result', HTMLElement);

  constructor(changed: () => void) {
    this.#changed = changed;
    byId('measure-form', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault();
      void this.measure();
    });
  }

  async measure(): Promise<void> {
    const order = Number(byId('measure-prbs', HTMLSelectElement).value) as PrbsOrder;
    const payload = prbs(order, BLOCK_BYTES * numberOf('measure-payload', 1)) as Uint8Array<ArrayBuffer>;
    const query = new URLSearchParams({ blocks: String(numberOf('measure-blocks', 8)) });
    const warmup = byId('measure-warmup', HTMLInputElement).value;
    if (warmup !== '') query.set('warmup', warmup);
    const measurement = await this.#outcome.run(
      this.#button,
      () => act<Measurement>('POST', `/api/v1/datapath/measure?${query}`, payload),
      ({ blocks, detail }) =>
        `compared ${blocks.length} blocks with PRBS-${order}${detail === undefined ? '' : `; ${detail}`}`,
    );
    if (measurement !== undefined) this.#show(measurement);
    this.#changed();
  }

  #show(measurement: Measurement): void {
    const { verdict, rotation_slip, overall_ratio, worst_block_ratio, capture_bytes, warmup, blocks } =
      measurement;
    this.#result.hidden = false;
    const badge = byId('measure-verdict', HTMLElement);
    setText(badge, `${SIGNS[verdict]} ${verdict}`);
    setAttribute(badge, 'class', `badge ${TONES[verdict]}`);
    setText(byId('measure-overall', HTMLElement), percent(overall_ratio));
    setText(byId('measure-worst', HTMLElement), percent(worst_block_ratio));
    setText(byId('measure-slip', HTMLElement), rotation_slip ? '▲ yes, at a block boundary' : 'no');
    setText(byId('measure-size', HTMLElement), `${capture_bytes} bytes after ${warmup} blocks of warm-up`);
    byId('measure-bars', HTMLElement).replaceChildren(barsOf(blocks));
    byId('measure-table', HTMLTableElement).tBodies[0]!.replaceChildren(...blocks.map(rowOf));
  }
}

function numberOf(id: string, otherwise: number): number {
  const { value } = byId(id, HTMLInputElement);
  return value === '' ? otherwise : Number(value);
}

/** A bar for each block, as high as its share of right bytes; the whole of it in its title. */
function barsOf(blocks: readonly BlockMatch[]): SVGSVGElement {
  const { height, step, width } = BARS;
  const bars = blocks.map(({ index, ratio, rotation, matched, total }) => {
    const tall = Math.max(1, ratio * height);
    const title = `block ${index}: ${matched} of ${total} bytes, rotation ${rotation}`;
    const bar = { x: index * step + 1, y: height - tall, width, height: tall };
    return drawn(
      'g',
      {},
      drawn('title', {}, title),
      drawn('rect', { class: 'field', x: index * step + 1, y: 0, width, height }),
      drawn('rect', { class: ratio === 1 ? 'whole' : 'part', ...bar }),
    );
  });
  const wide = Math.max(1, blocks.length) * step + 2;
  return drawn(
    'svg',
    {
      role: 'img',
      'aria-label': 'Share of correct bytes of each block; the table has the numbers',
      viewBox: `0 0 ${wide} ${height}`,
      width: wide,
      height,
    },
    ...bars,
  );
}

function rowOf({ index, matched, total, ratio, rotation }: BlockMatch): HTMLTableRowElement {
  const cells = [`${matched} of ${total}`, percent(ratio), String(rotation)];
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, String(index)),
    ...cells.map((text) => element('td', { class: 'mono' }, text)),
  );
}
