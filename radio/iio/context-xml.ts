/**
 * The description of an IIO context as iiod sends it: the format of libiio 0.24.
 *
 * D1. What is written is read back the same.
 * D2. Elements and attributes that are not known are skipped: later libraries add some. What is known must be complete.
 */

import { IIOD_XML_BYTES } from '../../contract/limits/bench.ts';
import { accepted, type Result, refused, refusedAll } from '../../contract/result.ts';
import type { IioChannel, IioDevice } from './context.ts';
import { escapeXml, readXml, type XmlElement } from './xml.ts';

export interface ContextDescription {
  /** Of the board and its system, in words. */
  readonly description: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly devices: readonly IioDevice[];
}

/** The description as XML with its document type, in one line. */
export function writeContextXml({ description, attributes, devices }: ContextDescription): string {
  const content = [
    ...[...attributes].map(([name, value]) => empty('context-attribute', { name, value })),
    ...devices.map(deviceXml),
  ];
  return HEADER + element('context', { name: 'local', ...VERSION, description }, content);
}

/** The description in a text; refused with every fault. */
export function readContextXml(text: string): Result<ContextDescription, string> {
  if (text.length > IIOD_XML_BYTES)
    return refused(`the description has ${text.length} characters, more than ${IIOD_XML_BYTES}`);
  const root = readXml(text);
  if (!root.ok) return root;
  if (root.value.name !== 'context') return refused(`the description is of a ${root.value.name}`);
  return new ContextReader().read(root.value);
}

const VERSION = { 'version-major': '0', 'version-minor': '24', 'version-git': 'v0.24' };

const ELEMENTS = {
  context: '(device | context-attribute)*',
  'context-attribute': 'EMPTY',
  device: '(channel | attribute | debug-attribute | buffer-attribute)*',
  channel: '(scan-element?, attribute*)',
  attribute: 'EMPTY',
  'scan-element': 'EMPTY',
  'debug-attribute': 'EMPTY',
  'buffer-attribute': 'EMPTY',
};

const ATTRIBUTES = {
  context:
    'name CDATA #REQUIRED version-major CDATA #REQUIRED version-minor CDATA #REQUIRED version-git CDATA #REQUIRED description CDATA #IMPLIED',
  'context-attribute': 'name CDATA #REQUIRED value CDATA #REQUIRED',
  device: 'id CDATA #REQUIRED name CDATA #IMPLIED label CDATA #IMPLIED',
  channel: 'id CDATA #REQUIRED type (input|output) #REQUIRED name CDATA #IMPLIED',
  'scan-element': 'index CDATA #REQUIRED format CDATA #REQUIRED scale CDATA #IMPLIED',
  attribute: 'name CDATA #REQUIRED filename CDATA #IMPLIED',
  'debug-attribute': 'name CDATA #REQUIRED',
  'buffer-attribute': 'name CDATA #REQUIRED',
};

/** libiio checks a description against the document type in it. */
const HEADER = `<?xml version="1.0" encoding="utf-8"?><!DOCTYPE context [${[
  ...Object.entries(ELEMENTS).map(([name, content]) => `<!ELEMENT ${name} ${content}>`),
  ...Object.entries(ATTRIBUTES).map(([name, list]) => `<!ATTLIST ${name} ${list}>`),
].join('')}]>`;

type Values = Readonly<Record<string, string | undefined>>;

function tag(name: string, values: Values): string {
  const written = Object.entries(values).filter(([, value]) => value !== undefined);
  return `<${name}${written.map(([key, value]) => ` ${key}="${escapeXml(value!)}"`).join('')}`;
}

function empty(name: string, values: Values): string {
  return `${tag(name, values)} />`;
}

function element(name: string, values: Values, content: readonly string[]): string {
  return `${tag(name, values)} >${content.join('')}</${name}>`;
}

function deviceXml(device: IioDevice): string {
  return element('device', { id: device.id, name: device.name }, [
    ...device.channels.map(channelXml),
    ...device.attributes.map((name) => empty('attribute', { name })),
    ...device.debugAttributes.map((name) => empty('debug-attribute', { name })),
    ...device.bufferAttributes.map((name) => empty('buffer-attribute', { name })),
  ]);
}

function channelXml({ id, name, output, scan, attributes }: IioChannel): string {
  const layout = scan && empty('scan-element', { index: `${scan.index}`, format: scan.format });
  return element('channel', { id, type: output ? 'output' : 'input', name }, [
    ...(layout === undefined ? [] : [layout]),
    ...attributes.map((attribute) => empty('attribute', { ...attribute })),
  ]);
}

/** Collects the faults of one description. */
class ContextReader {
  readonly #faults: string[] = [];

  read(root: XmlElement): Result<ContextDescription, string> {
    const devices = named(root, 'device').map((device) => this.#device(device));
    this.#once('the description', 'device', devices);
    const attributes = named(root, 'context-attribute').map(
      (attribute) => [this.#text(attribute, 'name'), this.#text(attribute, 'value')] as const,
    );
    if (this.#faults.length > 0) return refusedAll(this.#faults);
    const description = root.attributes.get('description') ?? '';
    return accepted({ description, attributes: new Map(attributes), devices });
  }

  #device(device: XmlElement): IioDevice {
    const id = this.#text(device, 'id');
    const channels = named(device, 'channel').map((channel) => this.#channel(channel, id));
    for (const output of [true, false])
      this.#once(
        id,
        output ? 'output' : 'input',
        channels.filter((channel) => channel.output === output),
      );
    return {
      id,
      // Triggers and some parts have none; libiio finds them by their identifier.
      name: device.attributes.get('name') ?? id,
      attributes: this.#names(device, 'attribute'),
      debugAttributes: this.#names(device, 'debug-attribute'),
      bufferAttributes: this.#names(device, 'buffer-attribute'),
      channels,
    };
  }

  #channel(channel: XmlElement, device: string): IioChannel {
    const id = this.#text(channel, 'id');
    const type = channel.attributes.get('type');
    if (type !== 'input' && type !== 'output')
      this.#faults.push(`channel ${id} of ${device} is neither input nor output`);
    const name = channel.attributes.get('name');
    const [scan] = named(channel, 'scan-element').map((element) => this.#scan(element, `${device} ${id}`));
    return {
      id,
      ...(name !== undefined && { name }),
      output: type === 'output',
      attributes: named(channel, 'attribute').map((attribute) => {
        const name = this.#text(attribute, 'name');
        return { name, filename: attribute.attributes.get('filename') ?? name };
      }),
      ...(scan !== undefined && { scan }),
    };
  }

  #scan(element: XmlElement, of: string): { index: number; format: string } {
    const index = this.#text(element, 'index');
    if (!/^\d{1,4}$/.test(index))
      this.#faults.push(`the scan index of ${of} is "${index}", which is no number`);
    return { index: Number(index), format: this.#text(element, 'format') };
  }

  #names(of: XmlElement, kind: string): string[] {
    return named(of, kind).map((attribute) => this.#text(attribute, 'name'));
  }

  #text(of: XmlElement, attribute: string): string {
    const text = of.attributes.get(attribute);
    if (text === undefined) this.#faults.push(`${of.name} without ${attribute}`);
    return text ?? '';
  }

  #once(where: string, kind: string, things: readonly { readonly id: string }[]): void {
    const seen = new Set<string>();
    for (const { id } of things) {
      if (seen.has(id)) this.#faults.push(`${where} has ${kind} ${id} twice`);
      seen.add(id);
    }
  }
}

function named(parent: XmlElement, name: string): XmlElement[] {
  return parent.children.filter((child) => child.name === name);
}
