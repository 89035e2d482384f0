/**
 * What may become part of the protocol: subjects, filters, keys, buckets and headers. The client checks none of them:
 * a space ends a subject and a line break starts a command of its own. Mission Control Service, "Conventions".
 *
 * K1. Whatever is not an address is a `TypeError` here and nothing is sent.
 * K2. Every subject begins with `mcs.` and every bucket with `mcs_`.
 */

import { isKey, KEY_TOKEN } from '../contract/token.ts';
import type { Headers } from '../ports/bus.ts';

const TOKEN = '[A-Za-z0-9_-]+';
const SUBJECT = new RegExp(`^mcs(\\.${TOKEN})+$`);
const FILTER = new RegExp(`^mcs(\\.(${TOKEN}|\\*))*(\\.>)?$`);
const KEY_FILTER = new RegExp(`^(>|(${KEY_TOKEN}|\\*)(\\.(${KEY_TOKEN}|\\*))*(\\.>)?)$`);
const BUCKET = new RegExp(`^mcs_${TOKEN}$`);
const NAME = new RegExp(`^${TOKEN}$`);
const OBJECT = new RegExp(`^${TOKEN}(/${TOKEN})*$`);
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not pass
const HEADER_VALUE = /^[^\u0000-\u001f\u007f]*$/;

/** Throws unless `text` is one subject without wildcards. */
export function checkSubject(text: string): string {
  return check(SUBJECT, text, 'subject');
}

/** Throws unless `text` is a subject in which tokens may be `*` and the last one `>`. */
export function checkFilter(text: string): string {
  return check(FILTER, text, 'subject filter');
}

/** Throws unless `text` is one key of a bucket. */
export function checkKey(text: string): string {
  return check({ test: isKey }, text, 'key');
}

export function checkKeyFilter(text: string): string {
  return check(KEY_FILTER, text, 'key filter');
}

export function checkBucket(text: string): string {
  return check(BUCKET, text, 'bucket');
}

/** Throws unless `text` can name a stream, a queue or a client. */
export function checkName(text: string): string {
  return check(NAME, text, 'name');
}

/** Throws unless `text` can name an object: tokens with `/` between them. */
export function checkObject(text: string): string {
  return check(OBJECT, text, 'name of an object');
}

/** Throws on a header whose name is not a token or whose value holds a control character. */
export function checkHeaders(headers: Headers): Headers {
  for (const [name, value] of Object.entries(headers)) {
    check(NAME, name, 'header name');
    check(HEADER_VALUE, value, `value of header ${name}`);
  }
  return headers;
}

function check(pattern: Pick<RegExp, 'test'>, text: string, what: string): string {
  if (typeof text !== 'string' || !pattern.test(text))
    throw new TypeError(`not a ${what}: ${JSON.stringify(text)}`);
  return text;
}
