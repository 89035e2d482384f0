/**
 * The mode of a target: read, and declared by a person. Mission Control Service, sections 2.5 and 4.3. Nothing is sent
 * to the target; what the mode asks of it is set by a run (`configure`), and passed to drivers and gateways by the
 * reconciler.
 *
 * O1. Who declares a mode has read the entry before it asked who holds the target: what a run sets in between is in the
 *     way of the write, and everything is asked again. The hold is read from the bus: no executor checks it later.
 * O2. A run that takes the target meanwhile finds the mode that stood before, and the person is refused, whatever
 *     becomes of this process in between (messaging/mode-declaration).
 */

import { assert } from '../../contract/assert.ts';
import type { TargetMode } from '../../contract/mode.ts';
import { ModeBody, ModeView } from '../../contract/mode.ts';
import { nearHelp } from '../../contract/near.ts';
import { declareMode } from '../../messaging/mode-declaration.ts';
import type { Target } from '../../mission/mission.ts';
import type { CurrentMode } from '../../mission/mode.ts';
import { refuse } from '../errors.ts';
import { nameOf } from '../identity.ts';
import { targetOf } from '../mission-of.ts';
import { targetInPath } from '../parameters.ts';
import type { RoutePorts } from '../ports.ts';
import type { Handled, Refusal } from '../reply.ts';
import { defineRoute } from '../route.ts';
import { operatorRefusal } from '../run-policy.ts';
import { readMode } from '../target-mode.ts';

const TARGET_ERRORS = ['api::no-configuration', 'api::unknown-target', 'api::unavailable'] as const;

export const showMode = defineRoute({
  method: 'GET',
  path: '/v1/targets/:target/mode',
  operationId: 'readMode',
  summary: 'Current mode of a target',
  description: 'A target that was never set is in its default mode, the first that the topology declares.',
  tag: 'Modes',
  params: { target: targetInPath },
  replies: { 200: ModeView },
  errors: TARGET_ERRORS,
  async handle({ params }, ports) {
    const target = targetOf(params.target, ports);
    if (!target.ok) return target;
    const current = await readMode(target.value, ports);
    if (!current.ok) return current;
    return { ok: true, value: { status: 200, body: viewOf(target.value, current.value) } };
  },
});

export const setMode = defineRoute({
  method: 'PUT',
  path: '/v1/targets/:target/mode',
  operationId: 'setMode',
  summary: 'Declare the mode a target is in',
  description: 'Sends nothing to the target. Refused while a run holds it.',
  tag: 'Modes',
  params: { target: targetInPath },
  body: ModeBody,
  replies: { 200: ModeView },
  errors: ['api::anonymous', 'mode::unknown', 'mode::target-held', ...TARGET_ERRORS],
  async handle({ params, body: { mode }, caller }, ports) {
    const target = targetOf(params.target, ports);
    if (!target.ok) return target;
    // A mode belongs to no environment, so that a name is asked for and no particular kind of identity.
    const anonymous = operatorRefusal(caller, undefined);
    if (anonymous !== undefined) return anonymous;
    if (!target.value.modes.includes(mode)) return unknownMode(target.value, mode);
    const by = nameOf(caller);
    assert(by !== undefined, 'a caller who is not anonymous has a name');
    const set = { mode, since: new Date(ports.clock.now()).toISOString(), by };
    const written = await declare(target.value, set, ports);
    if (!written.ok) return written;
    return { ok: true, value: { status: 200, body: viewOf(target.value, { mode, set }) } };
  },
});

/** O1, O2 */
async function declare(target: Target, set: TargetMode, ports: RoutePorts): Promise<Handled<true>> {
  const declared = await declareMode(ports.bus, target.name, set, () => heldRefusal(target, ports));
  if (declared.outcome === 'set') return { ok: true, value: true };
  if (declared.outcome === 'held') return declared.held;
  return refuse('api::unavailable', `the mode of ${target.name} is being set by somebody else`, {
    help: 'Try again in a moment.',
  });
}

/** A shared hold counts like any other: the run reads what the mode says (MC-MODE-018). */
async function heldRefusal({ name }: Target, ports: RoutePorts): Promise<Refusal | undefined> {
  const reason = await ports.holds.now(name);
  if (reason === undefined) return undefined;
  return refuse('mode::target-held', `target ${reason}`, {
    help: 'Wait for its end, or suspend it: mcs run suspend.',
  });
}

function unknownMode({ name, modes }: Target, mode: string): Refusal {
  const help = nearHelp(mode, modes, 'modes', 'declare modes of the target in the topology');
  return refuse('mode::unknown', `target ${name} has no mode "${mode}"`, { help, path: 'mode' });
}

function viewOf({ name, modes }: Target, { mode, set }: CurrentMode): ModeView {
  const [usual] = modes;
  return {
    target: name,
    mode,
    ...(usual !== undefined && { default: usual }),
    modes: [...modes],
    since: set?.since ?? null,
    ...(set?.by !== undefined && { by: set.by }),
    ...(set?.run !== undefined && { run: set.run }),
  };
}

export const modeRoutes = [showMode, setMode];
