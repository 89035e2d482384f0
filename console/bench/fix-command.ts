/**
 * Commands as the chain names them: `METHOD path {json}`. Pure.
 *
 * F1. Only a command of the interface becomes a button: words for people (`check the board`), paths with a name left
 *     open (`{name}`) and anything outside `/api/v1/` stay text.
 */

import type { ChainTarget } from '../../contract/bench/chain.ts';

export interface FixCommand {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

const COMMAND = /^(POST|PUT|DELETE) (\/api\/v1\/[A-Za-z0-9_./%-]+)(?: (\{.*\}))?$/;
/** Below this level nothing that leaves the connector disturbs. */
const MUTED_DB = -80;

/** The command; undefined for what is no command (F1). */
export function commandOf(text: string): FixCommand | undefined {
  const [, method, path, json] = COMMAND.exec(text.trim()) ?? [];
  if (method === undefined || path === undefined) return undefined;
  const known = { method: method as FixCommand['method'], path };
  if (json === undefined) return known;
  try {
    return { ...known, body: JSON.parse(json) as Record<string, unknown> };
  } catch {
    return undefined;
  }
}

/** A measurement takes a payload, which the page makes. */
export function isMeasurement({ path }: FixCommand): boolean {
  return path === '/api/v1/datapath/measure';
}

/** Whether the command may bring a signal to the connector, on a chain that is for this target. */
export function mayEmit({ path, body }: FixCommand, target: ChainTarget): boolean {
  if (path === '/api/v1/chain/condition') return (body?.['target'] ?? 'air') === 'air';
  if (target !== 'air') return false;
  if (path === '/api/v1/radio/gain') {
    const level = body?.['tx_gain_db'];
    return typeof level === 'number' && level > MUTED_DB;
  }
  // An apply closes the egress and leaves it closed.
  return path === '/api/v1/datapath/enable';
}
