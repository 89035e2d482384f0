/** The radio: what it is set to, as read back, and the ways to tune it and set its gains. RF Bench Service, rule 7. */

import type { FrequencyBody, GainBody, RadioStatus } from '../../contract/bench/radio.ts';
import { rxGainRange, TX_GAIN_RANGE } from '../../radio/ad9361/gain.ts';
import { byId, element, setAttribute, setText } from '../element.ts';
import { act } from './bench-service.ts';
import { confirmed } from './confirm-dialog.ts';
import { mayEmit } from './fix-command.ts';
import { OutcomeLine } from './outcome-line.ts';
import { decibels, hertzOf, megahertz, scaled } from './quantity.ts';

type Side = 'rx' | 'tx';

const UNREADABLE = 'unreadable';

export class RadioView {
  readonly #changed: () => void;
  readonly #isOnAir: () => boolean;
  readonly #outcome = new OutcomeLine(byId('radio-outcome', HTMLElement));
  readonly #cells = new Map<string, HTMLTableCellElement>();
  readonly #receive = byId('gain-rx', HTMLInputElement);
  readonly #transmit = byId('gain-tx', HTMLInputElement);

  /** `isOnAir`: the board is wired to the connector. */
  constructor(changed: () => void, isOnAir: () => boolean) {
    this.#changed = changed;
    this.#isOnAir = isOnAir;
    this.#table();
    this.#form('tune-form', (button) => this.#tune(button));
    this.#form('gain-form', (button) => this.#gain(button));
    setText(
      byId('gain-tx-range', HTMLElement),
      rangeText(Math.ceil(TX_GAIN_RANGE.least), TX_GAIN_RANGE.most),
    );
  }

  show(status: RadioStatus): void {
    for (const side of ['rx', 'tx'] as const) this.#showSide(side, status);
    setText(byId('radio-center', HTMLElement), centerText(status));
    setText(byId('gain-rx-range', HTMLElement), receiveRange(status.rx_lo_hz));
    this.#receive.placeholder = String(status.rx_gain_db ?? '?');
    this.#transmit.placeholder = String(status.tx_gain_db ?? '?');
  }

  #showSide(side: Side, status: RadioStatus): void {
    const oscillator = status[`${side}_lo_hz`];
    const offset = status[`${side}_nco_offset_hz`];
    const gain = status[`${side}_rf_gain_db`] ?? status[`${side}_gain_db`];
    const width = status[`${side}_bandwidth_hz`];
    this.#set(side, 'lo', oscillator, megahertz);
    this.#set(side, 'nco', offset, (hertz) => `${hertz >= 0 ? '+' : '−'}${Math.abs(hertz)} Hz`);
    this.#set(side, 'gain', gain, gainText);
    this.#set(side, 'width', width, (hertz) => scaled(hertz, 'Hz'));
  }

  /** What the board does not report is said, never shown as a number. */
  #set(side: Side, row: string, value: number | null | undefined, words: (value: number) => string): void {
    const cell = this.#cells.get(`${side}.${row}`)!;
    const isKnown = value !== null && value !== undefined;
    setText(cell, isKnown ? words(value) : `? ${UNREADABLE}`);
    setAttribute(cell, 'class', isKnown ? 'mono' : 'warn');
  }

  #table(): void {
    const rows = [
      ['lo', 'Oscillator'],
      ['nco', 'Digital offset'],
      ['gain', 'Gain'],
      ['width', 'Analog filter'],
    ] as const;
    const body = byId('radio-table', HTMLTableElement).tBodies[0]!;
    for (const [row, name] of rows) {
      const cells = (['rx', 'tx'] as const).map((side) => {
        const cell = element('td', { class: 'mono' }, '–');
        this.#cells.set(`${side}.${row}`, cell);
        return cell;
      });
      body.append(element('tr', {}, element('th', { scope: 'row' }, name), ...cells));
    }
  }

  #form(id: string, send: (button: HTMLButtonElement) => Promise<void>): void {
    const form = byId(id, HTMLFormElement);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void send(form.querySelector('button')!);
    });
  }

  async #tune(button: HTMLButtonElement): Promise<void> {
    const input = byId('tune-frequency', HTMLInputElement);
    const hertz = hertzOf(input.value);
    if (hertz === undefined) {
      this.#outcome.wrong('The frequency is a number of MHz, to the hertz: 2400 or 2400.000500.');
      return input.focus();
    }
    const body: FrequencyBody = {
      center_frequency_hz: hertz,
      channel: byId('tune-channel', HTMLSelectElement).value as Side | 'both',
      tune_lo: byId('tune-lo', HTMLInputElement).checked,
    };
    await this.#outcome.run(
      button,
      () => act<RadioStatus>('POST', '/api/v1/radio/frequency', body),
      ({ center_frequency_hz: is }) =>
        `tuned ${body.channel}: receiver at ${is === null ? UNREADABLE : megahertz(is)}`,
    );
    this.#changed();
  }

  async #gain(button: HTMLButtonElement): Promise<void> {
    const [receive, transmit] = [numberIn(this.#receive), numberIn(this.#transmit)];
    if (receive === undefined && transmit === undefined)
      return this.#outcome.wrong('Write at least one gain in dB; an empty one stays as it is.');
    const body: GainBody = {
      ...(receive !== undefined && { rx_gain_db: receive }),
      ...(transmit !== undefined && { tx_gain_db: transmit }),
    };
    const path = '/api/v1/radio/gain';
    const raises = this.#isOnAir() && mayEmit({ method: 'POST', path, body }, 'air');
    const text = `The transmitter goes to ${transmit} dB while the board is wired to the connector.`;
    if (raises && !(await confirmed('Set the level at the connector?', text, 'Set it'))) return;
    const done = await this.#outcome.run(
      button,
      () => act<RadioStatus>('POST', path, body),
      ({ rx_gain_db: rx, tx_gain_db: tx }) =>
        `receiver ${rx === null ? UNREADABLE : decibels(rx)}, transmitter ${tx === null ? UNREADABLE : decibels(tx)}`,
    );
    if (done !== undefined) [this.#receive.value, this.#transmit.value] = ['', ''];
    this.#changed();
  }
}

function numberIn(input: HTMLInputElement): number | undefined {
  return input.value.trim() === '' ? undefined : Number(input.value);
}

function gainText(db: number): string {
  return decibels(db, Number.isInteger(db) ? 0 : 2);
}

/** The range follows from the band of the oscillator. */
function receiveRange(oscillatorHz: number | undefined): string {
  if (oscillatorHz === undefined) return 'the band cannot be read';
  const { least, most } = rxGainRange(oscillatorHz);
  return `${rangeText(least, most)} in this band`;
}

function rangeText(least: number, most: number): string {
  return `${String(least).replace('-', '−')} to ${most} dB`;
}

function centerText(status: RadioStatus): string {
  const { profile_center_frequency_hz: wanted, center_frequency_hz: is, sample_rate_sps: rate } = status;
  const parts = [`receives ${is === null ? `at a frequency that is ${UNREADABLE}` : megahertz(is)}`];
  if (wanted !== undefined) parts.push(`profile ${megahertz(wanted)}`);
  if (rate !== undefined) parts.push(scaled(rate, 'S/s'));
  return parts.join(' · ');
}
