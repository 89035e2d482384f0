/**
 * How the gateways of units are, as they say it themselves. Mission Control Service, section 2.9.
 *
 * G1. What a gateway said is taken again for `UNIT_GATEWAY_KEPT_MS`, and whoever asks meanwhile waits for the same
 *     answer: many readers of the fleet ask no more than one.
 * G2. At most `UNIT_GATEWAYS_ASKED` are asked at once; what does not answer holds nobody up longer than a second.
 */

import { assertNever } from '../contract/assert.ts';
import { subject } from '../contract/bus/subjects.ts';
import { GATEWAY_STATE_MS } from '../contract/limits/link.ts';
import { UNIT_GATEWAY_KEPT_MS, UNIT_GATEWAYS_ASKED } from '../contract/limits/unit.ts';
import { linkStateIn } from '../contract/link.ts';
import { asObject, type Foreign, readReply, textIn } from '../contract/reply.ts';
import type { UnitGateway } from '../contract/unit.ts';
import { ask } from '../messaging/ask.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';

interface GatewayPorts {
  readonly bus: Bus;
  readonly clock: Clock;
}

interface Kept {
  readonly at: number;
  readonly said: Promise<UnitGateway>;
}

export class UnitGateways {
  readonly #ports: GatewayPorts;
  readonly #kept = new Map<string, Kept>();
  readonly #waiting: (() => void)[] = [];
  #asking = 0;

  constructor(ports: GatewayPorts) {
    this.#ports = ports;
  }

  /** Throws `Outage` when the bus is away. */
  state(name: string): Promise<UnitGateway> {
    const now = this.#ports.clock.monotonic();
    const kept = this.#kept.get(name);
    if (kept !== undefined && now - kept.at <= UNIT_GATEWAY_KEPT_MS) return kept.said;
    this.#forgetOld(now);
    const said = this.#inTurn(() => stateOf(name, this.#ports.bus));
    this.#kept.delete(name);
    this.#kept.set(name, { at: now, said });
    said.catch(() => this.#kept.delete(name));
    return said;
  }

  #forgetOld(now: number): void {
    for (const [name, { at }] of this.#kept) {
      if (now - at <= UNIT_GATEWAY_KEPT_MS) return;
      this.#kept.delete(name);
    }
  }

  async #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#asking >= UNIT_GATEWAYS_ASKED)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#asking += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#asking -= 1;
      else next();
    }
  }
}

async function stateOf(name: string, bus: Bus): Promise<UnitGateway> {
  const to = subject.gatewayVerb(name, 'state');
  const asked = await ask(bus, { to, read: readReply, timeoutMs: GATEWAY_STATE_MS });
  switch (asked.outcome) {
    case 'answered':
      return present(name, asked.answer);
    case 'unreadable':
      return present(name, {});
    case 'unserved':
      return absent(name, 'no process runs it');
    case 'unanswered':
      return absent(name, `it did not answer within ${GATEWAY_STATE_MS} ms`);
    default:
      return assertNever(asked);
  }
}

/** One of others need not say how its radio is: it answers. */
function present(name: string, said: Foreign): UnitGateway {
  const health = linkStateIn(said) ?? { state: 'up' as const };
  return { name, registered: true, health, links: linksIn(said) };
}

function linksIn({ bindings }: Foreign): UnitGateway['links'] {
  if (!Array.isArray(bindings)) return [];
  return bindings.flatMap((each) => {
    const binding = asObject(each);
    const target = binding && textIn(binding, 'target');
    const link = binding && textIn(binding, 'link');
    return target === undefined || link === undefined ? [] : { target, link };
  });
}

function absent(name: string, reason: string): UnitGateway {
  return { name, registered: false, health: { state: 'absent', reason }, links: [] };
}
