/** The conditions of the chain as a table by stage; rows are kept by their key, so that reading is not disturbed. */

import type { ChainState, Condition } from '../../contract/bench/chain.ts';
import { arrange, element, setAttribute, setText } from '../element.ts';

const SIGNS = { met: '✓', unmet: '✗', unknown: '?' } as const;
const TONES = { met: 'ok', unmet: 'bad', unknown: 'warn' } as const;

interface Row {
  readonly row: HTMLTableRowElement;
  readonly update: (condition: Condition, stage: string, isNext: boolean) => void;
}

export class ConditionTable {
  readonly #body: HTMLTableSectionElement;
  readonly #table: HTMLTableElement;
  readonly #rows = new Map<string, Row>();

  constructor(table: HTMLTableElement) {
    this.#table = table;
    this.#body = table.tBodies[0]!;
  }

  /** With what each condition breaks, also where it is met. */
  explain(isOn: boolean): void {
    this.#table.classList.toggle('explained', isOn);
  }

  show({ conditions, next }: ChainState): void {
    const keys = new Set(conditions.map(({ key }) => key));
    for (const key of this.#rows.keys()) if (!keys.has(key)) this.#rows.delete(key);
    let stage = '';
    const rows = conditions.map((condition) => {
      const row = this.#rows.get(condition.key) ?? this.#make(condition.key);
      row.update(
        condition,
        condition.stage === stage ? '' : condition.stage,
        condition.key === next?.condition,
      );
      stage = condition.stage;
      return row.row;
    });
    arrange(this.#body, rows);
  }

  #make(key: string): Row {
    const stageCell = element('td', { class: 'stage muted' });
    const breaks = element('span', { class: 'breaks' });
    const source = element('span', { class: 'source muted' });
    const name = element('th', { scope: 'row' }, element('span', { class: 'mono' }, key), source, breaks);
    const required = element('td', {});
    const observed = element('td', { class: 'mono' });
    const verdict = element('td', { class: 'verdict' });
    const row = element('tr', {}, stageCell, name, required, observed, verdict);
    const update = (condition: Condition, stage: string, isNext: boolean): void => {
      setAttribute(
        row,
        'class',
        `${condition.verdict}${isNext ? ' next' : ''}${stage === '' ? '' : ' first'}`,
      );
      setAttribute(row, 'aria-current', isNext ? 'step' : undefined);
      setText(stageCell, stage);
      setText(breaks, condition.breaks);
      setText(source, condition.source === 'session' ? ' known to the daemon' : '');
      setText(required, condition.required);
      setText(observed, condition.observed);
      setText(verdict, `${SIGNS[condition.verdict]} ${condition.verdict}`);
      setAttribute(verdict, 'class', `verdict ${TONES[condition.verdict]}`);
    };
    const made = { row, update };
    this.#rows.set(key, made);
    return made;
  }
}
