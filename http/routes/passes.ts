/**
 * Passes: listed, watched, and written by their feeders. Mission Control Service, sections 2.6, 3.6 and 4.5. What a
 * contribution becomes is decided in `mission/pass/`, and how it is written in `messaging/pass-writes.ts`.
 *
 * G1. Nothing is written of a request that is refused, and every fault of it is reported at once.
 * G2. Who writes is in `passes.feeders`, by the subject of a token, or by a declared name while no identity provider is
 *     configured; and writes passes of one source.
 * G3. What was written is in the lists of this process when the answer leaves.
 */

import { PASS_LIST_MOST, SNAPSHOT_BODY_BYTES } from '../../contract/limits/pass.ts';
import { Pass, PassesReplaced, PassList, PassSnapshot, PassView, passKey } from '../../contract/pass.ts';
import { reachOf, TooManyPasses } from '../../messaging/passes-over.ts';
import type { Settings } from '../../mission/mission.ts';
import { passFaults, snapshotFaults } from '../../mission/pass/check.ts';
import { type Author, replaceWindow, upsert } from '../../mission/pass/merge.ts';
import { isOver, type Window, windowOf } from '../../mission/pass/pass.ts';
import type { TargetPasses } from '../../mission/pass/target-passes.ts';
import type { Caller } from '../caller.ts';
import { busUnavailable, refuse } from '../errors.ts';
import { defineFollow } from '../follow.ts';
import { currentMission, strangerRefusal } from '../mission-of.ts';
import { flagInQuery, instantInQuery, passInPath, targetInPath, targetInQuery } from '../parameters.ts';
import { cursorInQuery, listOfPasses, viewOfOver } from '../pass-lists.ts';
import type { RoutePorts } from '../ports.ts';
import type { Handled } from '../reply.ts';
import { defineRoute } from '../route.ts';

/** How many passes a watch sends at its beginning before it looks whether the client takes them. */
const WATCH_SLICE = 256;

/** What may write a pass refuses. */
const WRITE_ERRORS = [
  'api::no-configuration',
  'pass::not-a-feeder',
  'pass::forbidden-source',
  'pass::invalid',
  'pass::unknown-target',
  'api::unavailable',
] as const;

export const listPasses = defineRoute({
  method: 'GET',
  path: '/v1/passes',
  operationId: 'listPasses',
  summary: 'Passes of every target, or of one, by AOS',
  description:
    `Those that are over are left out unless asked for. At most ${PASS_LIST_MOST} are listed; where more match, \`next\` ` +
    'is what to give as `after` to continue. Passes are kept for a year after they are over.',
  tag: 'Passes',
  query: {
    target: targetInQuery,
    all: flagInQuery('With passes that are over.'),
    from: instantInQuery('Only passes that end behind this time.'),
    to: instantInQuery('Only passes that begin before this time.'),
    after: cursorInQuery,
  },
  replies: { 200: PassList },
  errors: ['api::unknown-target', 'api::unavailable'],
  async handle({ query }, ports) {
    if (!ports.passes.live) return busUnavailable();
    const list = await listOfPasses(query, ports);
    const stranger = list.passes.length === 0 ? strangerRefusal(query.target, ports) : undefined;
    return stranger ?? { ok: true, value: { status: 200, body: list } };
  },
});

export const readPass = defineRoute({
  method: 'GET',
  path: '/v1/passes/:target/:id',
  operationId: 'readPass',
  summary: 'One pass, by its identifier or by that of a contribution to it',
  description: 'With the check of its gateway, from ten minutes before AOS on.',
  tag: 'Passes',
  params: { target: targetInPath, id: passInPath },
  replies: { 200: PassView },
  errors: ['pass::unknown', 'api::unavailable'],
  async handle({ params: { target, id } }, { passes, passesOver }) {
    if (!passes.live) return busUnavailable();
    const pass = passes.find(target, id);
    const over = pass === undefined ? await passesOver.find(target, id) : undefined;
    if (over !== undefined) return { ok: true, value: { status: 200, body: viewOfOver(over) } };
    if (pass === undefined) {
      return refuse('pass::unknown', `no pass ${id} of target ${target}`, {
        help: 'GET /v1/passes lists those there are; with all=true also those that are over.',
      });
    }
    return { ok: true, value: { status: 200, body: passes.viewOf(pass) } };
  },
});

export const writePass = defineRoute({
  method: 'POST',
  path: '/v1/passes',
  operationId: 'writePass',
  summary: 'Contribute a pass: a prediction or a booking',
  description:
    'Merged with what is stored: with the pass of that identifier, or with the one over the same station at that time. ' +
    'A pass keeps the identifier it was first stored under. Repeating it changes nothing.',
  tag: 'Passes',
  body: Pass,
  invalidBody: 'pass::invalid',
  replies: { 200: PassView },
  errors: WRITE_ERRORS,
  async handle({ body, caller }, ports) {
    const mission = currentMission(ports);
    if (!mission.ok) return mission;
    const author = authorOf(caller, mission.value.settings, [body.source], ports);
    if (!author.ok) return author;
    const [first, ...more] = passFaults(mission.value, body);
    if (first !== undefined) return { ok: false, faults: [first, ...more] };
    const written = await write(ports, body.target, {
      change: (stored) => upsert(stored, body, author.value),
      reach: reachOf([windowOf(body)], ports.clock.now()),
    });
    if (!written.ok) return written;
    return { ok: true, value: { status: 200, body: ports.passes.viewOf(written.value) } };
  },
});

export const replacePasses = defineRoute({
  method: 'POST',
  path: '/v1/passes/replace_window',
  operationId: 'replacePasses',
  summary: 'Replace what a source says of an interval: every pass of a target that it knows there',
  description:
    'Every pass of the snapshot is written; then the contribution of the source to every other pass of the interval is ' +
    'cancelled. One fault refuses the whole. After an answer that did not arrive, repeat it: it comes to the same end.',
  tag: 'Passes',
  body: PassSnapshot,
  bodyBytes: SNAPSHOT_BODY_BYTES,
  invalidBody: 'pass::invalid',
  replies: { 200: PassesReplaced },
  errors: WRITE_ERRORS,
  async handle({ body, caller }, ports) {
    const mission = currentMission(ports);
    if (!mission.ok) return mission;
    const sources = [body.source, ...body.passes.map(({ source }) => source)];
    const author = authorOf(caller, mission.value.settings, sources, ports);
    if (!author.ok) return author;
    const [first, ...more] = snapshotFaults(mission.value, body);
    if (first !== undefined) return { ok: false, faults: [first, ...more] };
    const interval = windowOf({ aos: body.from, los: body.to });
    const written = await write(ports, body.target, {
      change: (stored) => replaceWindow(stored, body, author.value),
      reach: reachOf([interval, ...body.passes.map(windowOf)], ports.clock.now()),
    });
    if (!written.ok) return written;
    const { upserted, cancelled } = written.value;
    return {
      ok: true,
      value: {
        status: 200,
        body: { upserted: [...upserted], cancelled: [...cancelled] } satisfies PassesReplaced,
      },
    };
  },
});

export const watchPasses = defineFollow({
  path: '/v1/passes/watch',
  operationId: 'watchPasses',
  summary: 'Follow passes: each that is not over, then each change, also of its gateway',
  description: 'Behind a slow client the newest state of each pass is kept, and older ones are left out.',
  tag: 'Passes',
  query: { target: targetInQuery },
  policy: 'latest',
  message: PassView,
  errors: ['api::unknown-target', 'api::unavailable'],
  open({ query: { target } }, ports, writer) {
    const stranger = strangerRefusal(target, ports);
    if (stranger !== undefined) return stranger;
    const { passes, clock } = ports;
    if (!passes.live) return busUnavailable();
    const keys = new Map<string, number>();
    const push = (name: string, text: string | undefined): void => {
      const key = keys.get(name) ?? keys.size;
      keys.set(name, key);
      if (text !== undefined) writer.push(text, key);
    };
    const forget = passes.onChange(({ target: changed, id, text }) => {
      if (target === undefined || changed === target) push(passKey(changed, id), text());
    });
    let stopped = false;
    const beginning = passes.passes(target).filter((pass) => !isOver(pass, clock.now()));
    // In slices as the client takes them; each pass as it stands by then, so that nothing older follows a change.
    const sendAll = async (): Promise<void> => {
      for (const [index, { target: of, id }] of beginning.entries()) {
        if (index % WATCH_SLICE === WATCH_SLICE - 1) await writer.room();
        if (stopped) return;
        push(passKey(of, id), passes.textOf(of, id));
      }
    };
    void sendAll();
    const stop = async (): Promise<void> => {
      stopped = true;
      forget();
    };
    return { ok: true, value: { stop } };
  },
});

interface Change<Outcome> {
  readonly change: (stored: TargetPasses) => Outcome;
  readonly reach: Window | undefined;
}

/** G3 */
async function write<Outcome>(
  { passes, passWriter }: RoutePorts,
  target: string,
  { change, reach }: Change<Outcome>,
): Promise<Handled<Outcome>> {
  try {
    const { outcome, revision } = await passWriter.write(target, change, reach);
    await passes.seen(revision);
    return { ok: true, value: outcome };
  } catch (error) {
    if (error instanceof TooManyPasses) return refuse('pass::invalid', error.message, { help: error.help });
    throw error;
  }
}

/** G2 */
function authorOf(
  caller: Caller,
  { feeders, auth }: Settings,
  sources: readonly string[],
  { clock }: RoutePorts,
): Handled<Author> {
  const counts = caller.kind === 'verified' || (caller.kind === 'declared' && auth.issuer === undefined);
  const own = counts && Object.hasOwn(feeders, caller.name) ? feeders[caller.name] : undefined;
  if (!counts || own === undefined) return notAFeeder(caller, auth.issuer !== undefined);
  const other = sources.find((source) => source !== own);
  if (other === undefined)
    return { ok: true, value: { feeder: caller.name, at: new Date(clock.now()).toISOString() } };
  return refuse('pass::forbidden-source', `${caller.name} feeds source ${own}, not ${other}`, {
    help: 'Each feeder writes the source that passes.feeders gives it.',
    path: '/source',
  });
}

function notAFeeder(caller: Caller, hasProvider: boolean): Handled<never> {
  const who = caller.kind === 'anonymous' ? 'the caller has no name and so' : caller.name;
  const help =
    caller.kind !== 'verified' && hasProvider
      ? 'Send Authorization: Bearer <token>; the subject of the token must be in passes.feeders.'
      : 'Add the identity with its source to passes.feeders of the configuration.';
  return refuse('pass::not-a-feeder', `${who} is no feeder of passes`, { help });
}

export const passRoutes = [listPasses, readPass, writePass, replacePasses];
export const passFollows = [watchPasses];
