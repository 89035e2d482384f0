/**
 * Checks a value against the JSON Schema of its kind and says every fault in the words of the document: the path, what
 * stands there, what fits. A general validator answers "must match a schema in anyOf" and stops after a few; an
 * operator needs the key and its neighbour. Knows the keywords the schemas of documents use, and no other: those of
 * missions and those of the bench.
 *
 * H1. What it accepts is what a JSON Schema validator accepts (a test compares the two), but for integers that a double
 *     does not hold: those it refuses.
 */

import { nearHelp } from './near.ts';

/** Keys people write where they do not fit, with where they do. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  [
    'on_raise',
    'only a named alarm has a reaction: declare one under alarms, with `when`, severity and on_raise',
  ],
]);

/** The JSON Schema keywords of the document schemas. */
interface Schema {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: Schema | readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** Where faults are gathered, seen from a path in the value. */
export interface ShapeFaults {
  /** How many there are by now, of the whole list. */
  readonly found: number;
  in(...steps: readonly (string | number)[]): ShapeFaults;
  /** At the value of this path. */
  fault(message: string, help: string): void;
  /** At its key: a name that is wrong, not what it holds. */
  keyFault(message: string, help: string): void;
}

/** Adds every fault of the value to the list; true when there is none. */
export function checkShape(schema: object, value: unknown, faults: ShapeFaults): boolean {
  const before = faults.found;
  check(schema as Schema, value, faults);
  return faults.found === before;
}

function check(schema: Schema, value: unknown, faults: ShapeFaults): void {
  if (schema.anyOf !== undefined) {
    checkAny(schema, value, faults);
  } else if (schema.const !== undefined || schema.enum !== undefined) {
    checkChoice(schema, value, faults);
  } else if (schema.type !== undefined && !isOfType(schema.type, value)) {
    faults.fault(`is ${describe(value)}; ${expected(schema)} is expected here`, adviceOf(schema));
  } else {
    checkContent(schema, value, faults);
  }
}

function checkContent(schema: Schema, value: unknown, faults: ShapeFaults): void {
  if (schema.type === undefined) return;
  if (typeof value === 'string') checkText(schema, value, faults);
  else if (typeof value === 'number') checkNumber(schema, value, faults);
  else if (Array.isArray(value)) checkList(schema, value, faults);
  else if (typeof value === 'object' && value !== null) checkMapping(schema, value, faults);
}

/** The alternative whose type fits is checked in depth, so that its own faults are said. */
function checkAny(schema: Schema, value: unknown, faults: ShapeFaults): void {
  const fitting = (schema.anyOf ?? []).filter((each) => fits(each, value));
  const tag = fitting.length > 1 ? tagOf(fitting) : undefined;
  if (tag !== undefined) return checkTagged(fitting, tag, value as object, faults);
  if (fitting.length === 1 && fitting[0] !== undefined) {
    check(fitting[0], value, faults);
    return;
  }
  if (fitting.some((each) => accepts(each, value))) return;
  const choices = (schema.anyOf ?? []).map(expected).join(' or ');
  faults.fault(`is ${describe(value)}; ${choices} is expected here`, adviceOf(schema));
}

/** The key whose value tells alternatives apart: each needs it and has its own words for it. */
function tagOf(alternatives: readonly Schema[]): string | undefined {
  return alternatives[0]?.required?.find((name) => {
    const words = alternatives.map((each) =>
      each.required?.includes(name) ? wordsOf(each.properties?.[name]) : [],
    );
    return words.every((own) => own.length > 0) && new Set(words.flat()).size === words.flat().length;
  });
}

function wordsOf(schema: Schema | undefined): readonly unknown[] {
  return schema?.enum ?? (schema?.const === undefined ? [] : [schema.const]);
}

function checkTagged(alternatives: readonly Schema[], tag: string, value: object, faults: ShapeFaults): void {
  const word = Object.hasOwn(value, tag) ? (value as Record<string, unknown>)[tag] : undefined;
  const chosen = alternatives.find((each) => wordsOf(each.properties?.[tag]).includes(word));
  if (chosen !== undefined) return check(chosen, value, faults);
  const words = alternatives.flatMap((each) => wordsOf(each.properties?.[tag]));
  if (Object.hasOwn(value, tag)) checkChoice({ enum: words }, word, faults.in(tag));
  else faults.fault(`the key "${tag}" is missing`, `allowed: ${words.join(', ')}`);
}

function fits(schema: Schema, value: unknown): boolean {
  if (schema.const !== undefined) return schema.const === value;
  if (schema.enum !== undefined) return schema.enum.includes(value);
  return schema.type === undefined || isOfType(schema.type, value);
}

function accepts(schema: Schema, value: unknown): boolean {
  const silent = new Silent();
  check(schema, value, silent);
  return silent.found === 0;
}

/** Stands in for the list where only "is there a fault" matters. */
class Silent implements ShapeFaults {
  found = 0;
  in(): this {
    return this;
  }
  fault(): void {
    this.found += 1;
  }
  keyFault(): void {
    this.found += 1;
  }
}

function checkChoice(schema: Schema, value: unknown, faults: ShapeFaults): void {
  const choices = schema.enum ?? [schema.const];
  if (choices.includes(value)) return;
  // What is no scalar resembles nothing, and need not have a text.
  const wanted = typeof value === 'object' ? '' : String(value);
  const help = nearHelp(wanted, choices.map(String), 'allowed');
  faults.fault(`is ${describe(value)}; ${expected(schema)} is expected here`, help);
}

function checkText(schema: Schema, value: string, faults: ShapeFaults): void {
  if (schema.minLength !== undefined && value.length < schema.minLength)
    faults.fault('is empty', adviceOf(schema));
  const { maxLength = Number.POSITIVE_INFINITY } = schema;
  // JSON Schema counts characters, where a string has two units for some.
  if (value.length > maxLength && [...value].length > maxLength)
    faults.fault(`has ${[...value].length} characters; at most ${maxLength} fit`, adviceOf(schema));
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) {
    faults.fault(
      `is ${describe(value)}, which is not ${schema.title === undefined ? 'text of the required form' : `a valid ${schema.title}`}`,
      adviceOf(schema),
    );
  }
}

function checkNumber(schema: Schema, value: number, faults: ShapeFaults): void {
  if (schema.type === 'integer' && !Number.isSafeInteger(value)) {
    faults.fault(`is ${value}; numbers beyond 2^53 are not exact`, 'stay below 2^53');
  }
  if (schema.minimum !== undefined && value < schema.minimum) {
    faults.fault(`is ${value}; the minimum is ${schema.minimum}`, adviceOf(schema));
  }
  if (schema.exclusiveMinimum !== undefined && value <= schema.exclusiveMinimum) {
    faults.fault(`is ${value}; it must be above ${schema.exclusiveMinimum}`, adviceOf(schema));
  }
  if (schema.maximum !== undefined && value > schema.maximum) {
    faults.fault(`is ${value}; the maximum is ${schema.maximum}`, adviceOf(schema));
  }
}

function checkList(schema: Schema, value: readonly unknown[], faults: ShapeFaults): void {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items } = schema;
  const tuple = isTuple(items) ? items : undefined;
  const most = tuple?.length ?? maxItems;
  if (value.length < minItems)
    faults.fault(`has ${value.length} items; at least ${minItems} are needed`, adviceOf(schema));
  if (value.length > most) faults.fault(`has ${value.length} items; at most ${most} fit`, adviceOf(schema));
  for (const [index, item] of value.entries()) {
    const itemSchema = tuple === undefined ? (items as Schema | undefined) : tuple[index];
    if (itemSchema !== undefined) check(itemSchema, item, faults.in(index));
  }
}

function isTuple(items: Schema['items']): items is readonly Schema[] {
  return Array.isArray(items);
}

function checkMapping(schema: Schema, value: object, faults: ShapeFaults): void {
  const entries = Object.entries(value);
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema;
  if (entries.length < minProperties || entries.length > maxProperties) {
    const names = Object.keys(schema.properties ?? {});
    const count = `has ${entries.length} keys`;
    const exact = minProperties === maxProperties ? 'exactly' : 'at least';
    faults.fault(
      minProperties < maxProperties && entries.length > maxProperties
        ? `${count}; at most ${maxProperties} fit`
        : `${count}; ${exact} ${minProperties} is needed`,
      names.length > 0 ? `allowed: ${names.join(', ')}` : adviceOf(schema),
    );
  }
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) faults.fault(`the key "${name}" is missing`, `add ${name}: …`);
  }
  for (const [name, item] of entries) checkEntry(schema, name, item, faults);
}

function checkEntry(schema: Schema, name: string, item: unknown, faults: ShapeFaults): void {
  const { properties = {}, patternProperties = {} } = schema;
  const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
  const pattern = Object.entries(patternProperties).find(([form]) => new RegExp(form, 'u').test(name));
  const expectedItem = own ?? pattern?.[1];
  if (expectedItem !== undefined) check(expectedItem, item, faults.in(name));
  if (expectedItem !== undefined || schema.additionalProperties !== false) return;
  const names = Object.keys(properties);
  if (names.length > 0) {
    const help = name.includes(' ')
      ? 'text with a comma inside { } needs quotes'
      : (ELSEWHERE.get(name) ?? nearHelp(name, names, 'allowed'));
    faults.in(name).keyFault(`unknown key "${name}"`, help);
  } else {
    faults
      .in(name)
      .keyFault(
        `"${name}" cannot be a name here`,
        'letters, digits, - and _; begin with a letter where conditions refer to it, and not digits alone',
      );
  }
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'integer') return typeof value === 'number' && Number.isInteger(value);
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'null') return value === null;
  return typeof value === type;
}

function expected(schema: Schema): string {
  if (schema.anyOf !== undefined)
    return schema.title ? `a ${schema.title}` : schema.anyOf.map(expected).join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return `one of ${schema.enum.map(String).join(', ')}`;
  if (schema.type === 'object') return 'a mapping';
  if (schema.type === 'array') return 'a list';
  if (schema.type === 'boolean') return 'true or false';
  if (schema.type === 'integer') return 'an integer';
  if (schema.type === 'string') return schema.title ? `a ${schema.title} (text)` : 'text';
  return schema.type === 'null' ? 'null' : 'a number';
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  if (typeof value === 'string') return `"${value}"`;
  return `the ${typeof value} ${String(value)}`;
}

function adviceOf(schema: Schema): string {
  if (schema.description !== undefined) return schema.description;
  if (schema.title === 'name') return 'begin with a letter, then letters, digits, - and _';
  if (schema.title === 'token') return 'letters, digits, - and _, not digits alone';
  return `write ${expected(schema)}`;
}
