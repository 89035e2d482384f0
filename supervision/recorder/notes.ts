/** What the log says of itself: what it could not record. */

import type { LoggedEvent } from '../../contract/event.ts';

export function lostText(stream: string, first: number, last: number): string {
  const which = first === last ? `Message ${first}` : `Messages ${first} to ${last}`;
  return `${which} of ${stream} had been discarded before the log recorded them.`;
}

export function unreadableText(stream: string, position: number): string {
  return `Message ${position} of ${stream} cannot be read.`;
}

export function replacedText(stream: string, at: number): string {
  return `${stream} is another stream, or went back: what happened after ${new Date(at).toISOString()} may be missing.`;
}

export function noteOf(at: number, text: string, source: string): LoggedEvent {
  const time = new Date(at).toISOString();
  return { time, kind: 'log', severity: 'warning', subject: source, text, source };
}
