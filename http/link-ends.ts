/**
 * Asks the driver and the gateways of a link how they are, and which binding of the link they were given. Mission
 * Control Service, section 4.3.
 *
 * K1. Each is asked once, however many links it serves; one that does not answer is `absent`, and holds nobody up.
 * K2. Whether a binding is the one of now is judged by what it says, not by when it came: it may be delivered again.
 */

import { isDeepStrictEqual } from 'node:util';
import { assertNever } from '../contract/assert.ts';
import { subject } from '../contract/bus/subjects.ts';
import { GATEWAY_STATE_MS } from '../contract/limits/link.ts';
import { linkStateIn } from '../contract/link.ts';
import type { LinkEnd } from '../contract/links-view.ts';
import type { LinkBinding } from '../contract/mode.ts';
import { asObject, type Foreign, readReply } from '../contract/reply.ts';
import { askForCaller, type Question } from '../messaging/ask.ts';
import { toDriver } from '../messaging/driver-question.ts';
import type { Target } from '../mission/mission.ts';
import { overriddenValues, parameterValues } from '../mission/parameter-values.ts';
import type { RoutePorts } from './ports.ts';

/** What a binding says of the target, on each of its links. */
type BoundValues = Pick<LinkBinding, 'mode' | 'parameters' | 'overrides'>;

type Whom = Pick<Question<Foreign>, 'to' | 'all'>;

type Said = Foreign | 'absent' | 'silent';

/** Answers of drivers and gateways, each asked at its first mention (K1). */
export class LinkEnds {
  readonly #target: Target;
  readonly #bus: RoutePorts['bus'];
  readonly #clock: RoutePorts['clock'];
  readonly #now: BoundValues;
  readonly #asked = new Map<string, Promise<Said>>();

  /** Of the target in this mode. */
  constructor(target: Target, mode: string | null, { bus, clock }: Pick<RoutePorts, 'bus' | 'clock'>) {
    this.#target = target;
    this.#bus = bus;
    this.#clock = clock;
    this.#now = {
      mode,
      parameters: parameterValues(target, mode, undefined),
      overrides: overriddenValues(target, mode),
    };
  }

  /** The driver, as an end of the link. Throws `Outage` when the bus is away. */
  async driver(name: string, link: string): Promise<LinkEnd> {
    const said = await this.#ask(toDriver(name, 'state', this.#clock));
    if (typeof said === 'string') return absent(name, said);
    return { name, state: 'running', ...this.#bound(said, link) };
  }

  /** The gateway, as an end of the link in these environments. Throws `Outage` when the bus is away. */
  async gateway(name: string, link: string, environments: string[]): Promise<LinkEnd> {
    const said = await this.#ask({ to: subject.gatewayVerb(name, 'state') });
    if (typeof said === 'string') return { ...absent(name, said), environments };
    return {
      // One of others need not say how its radio is: it answers.
      name,
      environments,
      state: 'up',
      ...linkStateIn(said),
      ...this.#bound(said, link),
    };
  }

  #ask(about: Whom): Promise<Said> {
    const asked = this.#asked.get(about.to) ?? stateOf(about, this.#bus);
    this.#asked.set(about.to, asked);
    return asked;
  }

  /** K2; nothing of one that does not say: drivers and gateways of others need not keep bindings. */
  #bound({ bindings }: Exclude<Said, string>, link: string): Pick<LinkEnd, 'bound' | 'mode'> {
    if (!Array.isArray(bindings)) return {};
    const told = bindings
      .map(asObject)
      .find((each) => each?.target === this.#target.name && each.link === link);
    if (told === undefined) return { bound: 'never' };
    const { mode, parameters, overrides } = told;
    const isCurrent = isDeepStrictEqual({ mode, parameters, overrides }, this.#now);
    const isMode = mode === null || typeof mode === 'string';
    return { bound: isCurrent ? 'current' : 'outdated', ...(isMode && { mode }) };
  }
}

/** One that answers is there, whatever it answers. */
async function stateOf(whom: Whom, bus: RoutePorts['bus']): Promise<Said> {
  const asked = await askForCaller(bus, { ...whom, read: readReply, timeoutMs: GATEWAY_STATE_MS });
  switch (asked.outcome) {
    case 'answered':
      return asked.answer;
    case 'unreadable':
      return {};
    case 'unserved':
      return 'absent';
    case 'unanswered':
      return 'silent';
    default:
      return assertNever(asked);
  }
}

function absent(name: string, said: 'absent' | 'silent'): LinkEnd {
  const reason = said === 'absent' ? 'no process runs it' : `it did not answer within ${GATEWAY_STATE_MS} ms`;
  return { name, state: 'absent', reason };
}
