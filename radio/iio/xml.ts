/**
 * The part of XML that the description of an IIO context is written in: elements with attributes, nothing in their
 * text.
 *
 * X1. Every text ends in a tree or in a fault that names its place, in time that grows with its length only.
 * X2. A document type is skipped and declares nothing: an entity is one of the five of XML or a character by its
 *     number.
 */

import { IIOD_XML_DEPTH } from '../../contract/limits/bench.ts';
import { accepted, type Result, refused } from '../../contract/result.ts';

export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
}

/** The outermost element of a text; refused with what is wrong at which character. */
export function readXml(text: string): Result<XmlElement, string> {
  try {
    return accepted(new XmlScanner(text).document());
  } catch (error) {
    if (error instanceof XmlFault) return refused(error.message);
    throw error;
  }
}

/** The text as the value of an attribute between double quotes; what XML has no character for becomes U+FFFD. */
export function escapeXml(text: string): string {
  return text.replace(SPECIAL, (character) => ESCAPES[character] ?? '\ufffd');
}

class XmlFault extends Error {}

interface OpenElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElement[];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is to be found
const SPECIAL = /[&<>"\u0000-\u001f\ufffe\uffff]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const LARGEST_CHARACTER = 0x10_ffff;

const SPACE = /\s*/y;
const DECLARATION = /<\?[^>]*\?>|<!DOCTYPE[^[>]*(?:\[[^\]]*\]\s*)?>/y;
const START = /<([A-Za-z_:][\w:.-]*)/y;
const ATTRIBUTE = /\s+([A-Za-z_:][\w:.-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const START_END = /\s*(\/?)>/y;
const END = /<\/([A-Za-z_:][\w:.-]*)\s*>/y;
const ENTITY = /&(?:(\w{1,8})|#(\d{1,7})|#x([\da-fA-F]{1,6}));|&/g;

class XmlScanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): XmlElement {
    while (this.#skipSpace() || this.#take(DECLARATION) || this.#skipComment());
    const root = this.#tree();
    while (this.#skipSpace() || this.#skipComment());
    if (this.#at < this.#text.length) throw this.#fault('text after the outermost element');
    return root;
  }

  #tree(): XmlElement {
    const open: OpenElement[] = [];
    for (;;) {
      const closed = this.#start(open) ?? this.#end(open);
      if (closed === undefined) continue;
      const parent = open.at(-1);
      if (parent === undefined) return closed;
      parent.children.push(closed);
    }
  }

  /** Takes a start tag; gives its element when that is empty. */
  #start(open: OpenElement[]): XmlElement | undefined {
    if (open.length > 0) this.#skipText();
    const name = this.#take(START)?.[1];
    if (name === undefined) {
      if (!this.#text.startsWith('</', this.#at)) throw this.#fault('neither an element nor the end of one');
      return undefined;
    }
    const element = { name, attributes: this.#attributes(name), children: [] };
    const end = this.#take(START_END);
    if (end === undefined) throw this.#fault(`the tag of ${name} does not end`);
    if (end[1] === '/') return element;
    open.push(element);
    if (open.length > IIOD_XML_DEPTH)
      throw this.#fault(`more than ${IIOD_XML_DEPTH} elements within one another`);
    return undefined;
  }

  #end(open: OpenElement[]): XmlElement | undefined {
    this.#skipText();
    if (this.#text[this.#at] === '<' && this.#text[this.#at + 1] !== '/') return undefined;
    const element = open.at(-1);
    const name = this.#take(END)?.[1];
    if (element === undefined || name !== element.name)
      throw this.#fault(`no end of ${element?.name ?? 'the text'}`);
    open.pop();
    return element;
  }

  #attributes(element: string): Map<string, string> {
    const attributes = new Map<string, string>();
    for (let taken = this.#take(ATTRIBUTE); taken !== undefined; taken = this.#take(ATTRIBUTE)) {
      const name = taken[1]!;
      if (attributes.has(name)) throw this.#fault(`${element} has ${name} twice`);
      attributes.set(name, this.#unescape(taken[2] ?? taken[3] ?? ''));
    }
    return attributes;
  }

  #unescape(text: string): string {
    if (!text.includes('&')) return text;
    return text.replace(ENTITY, (whole, name?: string, decimal?: string, hex?: string) => {
      const code =
        decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : undefined;
      if (code !== undefined && code <= LARGEST_CHARACTER) return String.fromCodePoint(code);
      const character = name === undefined ? undefined : ENTITIES[name];
      if (character === undefined) throw this.#fault(`an unknown entity ${whole}`);
      return character;
    });
  }

  #skipText(): void {
    do {
      const next = this.#text.indexOf('<', this.#at);
      if (next < 0) throw this.#fault('the text ends within an element');
      this.#at = next;
    } while (this.#skipComment());
  }

  #skipComment(): boolean {
    if (!this.#text.startsWith('<!--', this.#at)) return false;
    const end = this.#text.indexOf('-->', this.#at + 4);
    if (end < 0) throw this.#fault('a comment does not end');
    this.#at = end + 3;
    return true;
  }

  #skipSpace(): boolean {
    return this.#take(SPACE)![0] !== '';
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.#text);
    if (taken === null) return undefined;
    this.#at = pattern.lastIndex;
    return taken;
  }

  #fault(what: string): XmlFault {
    return new XmlFault(`${what}, at character ${this.#at}`);
  }
}
