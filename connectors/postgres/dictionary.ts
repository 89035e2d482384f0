/**
 * Names of measures and of where samples came from as the small numbers that stand in each row.
 *
 * D1. A number is given once and never changes its meaning: a measure whose type, unit or labels change has another.
 * D2. Numbers are given before the rows that use them, each in a statement of its own: one that no row uses in the end
 *     does no harm.
 * D3. What is known here is known of one session: a database that was put back has given other numbers.
 */

import { createHash } from 'node:crypto';
import type { MeasureDefinition, Platform } from '../../mission/platform.ts';
import type { Queries } from './session.ts';

/**
 * What no double holds of a measure: `value`, an integer that is its value; `raw`, one that is not, as nothing brings it
 * to the unit of the measure (telemetry/reading/unknown-value.U1); `text`, its text, whatever it is made of.
 */
type WideMeaning = 'value' | 'raw' | 'text';

export interface KnownMeasure {
  readonly id: number;
  /** Whether what is no number is a value of the measure, and not that there is none. */
  readonly keepsNaN: boolean;
  readonly wide: WideMeaning;
}

/** A measure that has no number yet. */
interface Wanted extends Omit<KnownMeasure, 'id'> {
  readonly definition: string;
  readonly target: string;
  readonly name: string;
  readonly type: string;
  readonly unit: string | null;
  readonly labels: string | null;
}

/** Named so that samples without a catalogue are kept under their ordinals, apart from those of other catalogues. */
function strange(target: string, platform: string, ordinal: number): Wanted {
  return wantedOf({ target, name: `#${ordinal}`, type: 'unknown', platform, keepsNaN: true, wide: 'text' });
}

function wantedOf(of: {
  readonly target: string;
  readonly name: string;
  readonly type: string;
  readonly unit?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly platform?: string;
  readonly keepsNaN: boolean;
  readonly wide: WideMeaning;
}): Wanted {
  const { target, name, type, unit = null, platform = null, keepsNaN, wide } = of;
  const labels = of.labels === undefined ? null : JSON.stringify(of.labels);
  const definition = createHash('sha256')
    .update(JSON.stringify([target, name, type, unit, labels, platform]))
    .digest('base64url');
  return { definition, target, name, type, unit, labels, keepsNaN, wide };
}

function measureOf(target: string, name: string, definition: MeasureDefinition): Wanted {
  const { type, unit, enumeration, calibrate } = definition;
  const labels =
    enumeration &&
    Object.fromEntries(enumeration.names.map((label) => [String(enumeration.numberOf(label)), label]));
  const keepsNaN = enumeration === undefined && (type === 'f32' || type === 'f64' || calibrate !== undefined);
  const wide = wideMeaning(definition);
  return wantedOf({ target, name, type: labels === undefined ? type : 'enum', unit, labels, keepsNaN, wide });
}

function wideMeaning({ type, calibrate }: MeasureDefinition): WideMeaning {
  if (type === 'string' || type === 'bytes') return 'text';
  return calibrate !== undefined || type === 'bool' ? 'raw' : 'value';
}

/** Measures of files on board come and go, and are no part of a catalogue. */
const FILE_TYPES: Readonly<Record<string, string>> = { checksum: 'bytes', transfer: 'string' };

const CONTEXTS = `insert into contexts (link, delivery, superseded) values ($1, $2, $3) on conflict do nothing`;
const CONTEXT = 'select id from contexts where link = $1 and delivery = $2 and superseded = $3';
const ADD = `insert into measures (definition, target, name, type, unit, labels)
select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::jsonb[])
order by 1 on conflict do nothing`;
const FIND = 'select id, definition from measures where definition = any($1::text[])';

export class Dictionary {
  readonly #queries: Queries;
  /** By target and digest of its platform, by ordinal. */
  readonly #measures = new Map<string, (KnownMeasure | undefined)[]>();
  readonly #files = new Map<string, KnownMeasure>();
  readonly #contexts = new Map<string, number>();
  #wanted = new Map<string, { readonly wanted: Wanted; readonly give: (known: KnownMeasure) => void }[]>();

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  /** Numbers of the measures of a target by ordinal; those of `ordinals` are there after `learn`. */
  measures(
    target: string,
    digest: string,
    platform: Platform | undefined,
    ordinals: Uint32Array,
  ): readonly (KnownMeasure | undefined)[] {
    const key = `${target} ${digest} ${platform !== undefined}`;
    let known = this.#measures.get(key);
    if (known === undefined) {
      known = [];
      this.#measures.set(key, known);
    }
    const all = known;
    for (const ordinal of ordinals) {
      if (all[ordinal] !== undefined) continue;
      const measure = platform?.measures[ordinal];
      const wanted =
        measure === undefined
          ? strange(target, digest, ordinal)
          : measureOf(target, measure.key, measure.definition);
      this.#want(wanted, (given) => {
        all[ordinal] = given;
      });
    }
    return all;
  }

  /** Asks for the number of a measure of a file on board; `file` has it after `learn`. */
  wantFile(target: string, name: string): void {
    if (this.#files.has(`${target} ${name}`)) return;
    const type = FILE_TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'u64';
    this.#want(wantedOf({ target, name, type, keepsNaN: false, wide: 'text' }), (known) =>
      this.#files.set(`${target} ${name}`, known),
    );
  }

  file(target: string, name: string): KnownMeasure {
    return this.#files.get(`${target} ${name}`)!;
  }

  context(link: string, deferred: boolean, superseded: boolean): number | undefined {
    return this.#contexts.get(`${deferred} ${superseded} ${link}`);
  }

  /** Makes sure that the context has a number. */
  async learnContext(link: string, deferred: boolean, superseded: boolean): Promise<void> {
    if (this.context(link, deferred, superseded) !== undefined) return;
    const values = [link, deferred ? 'deferred' : 'realtime', superseded];
    let rows = await this.#queries.rows<{ id: number }>(CONTEXT, values);
    if (rows.length === 0) {
      await this.#queries.rows(CONTEXTS, values);
      rows = await this.#queries.rows<{ id: number }>(CONTEXT, values);
    }
    this.#contexts.set(`${deferred} ${superseded} ${link}`, rows[0]!.id);
  }

  /** D2: gives a number to every measure that was asked for. */
  async learn(): Promise<void> {
    if (this.#wanted.size === 0) return;
    const wanted = this.#wanted;
    this.#wanted = new Map();
    await this.#find(wanted);
    const missing = [...wanted.values()].map(([first]) => first!.wanted);
    if (missing.length === 0) return;
    const column = (name: keyof Wanted) => missing.map((each) => each[name]);
    await this.#queries.rows(ADD, [
      column('definition'),
      column('target'),
      column('name'),
      column('type'),
      column('unit'),
      column('labels'),
    ]);
    await this.#find(wanted);
    if (wanted.size > 0) throw new Error('the table measures does not keep the measures that it was given');
  }

  /** Takes those that have a number out of what is wanted. */
  async #find(
    wanted: Map<string, { readonly wanted: Wanted; readonly give: (known: KnownMeasure) => void }[]>,
  ): Promise<void> {
    const found = await this.#queries.rows<{ id: number; definition: string }>(FIND, [[...wanted.keys()]]);
    for (const { id, definition } of found) {
      for (const { give, wanted: asked } of wanted.get(definition) ?? [])
        give({ id, keepsNaN: asked.keepsNaN, wide: asked.wide });
      wanted.delete(definition);
    }
  }

  #want(wanted: Wanted, give: (known: KnownMeasure) => void): void {
    const others = this.#wanted.get(wanted.definition);
    if (others === undefined) this.#wanted.set(wanted.definition, [{ wanted, give }]);
    else others.push({ wanted, give });
  }
}
