/** Profiles: listed, judged, registered and applied. RF Bench Service, section 4, rules 2 to 4. */

import { isUtf8 } from 'node:buffer';
import { ActiveProfile, Profile, Validated } from '../../contract/bench/profile.ts';
import { BENCH_DOCUMENT_CHARACTERS } from '../../contract/limits/bench.ts';
import { refusal } from '../reply.ts';
import { nameInPath } from './parameters.ts';
import { asked, type BenchRoute, BOARD_WRITE, defineBenchRoute, found, replied } from './route.ts';
import { AnyProfile, ApplyShape, ProfilesShape, RegisterShape, RevisionsShape } from './shapes.ts';

const params = { name: nameInPath('profile', 'qpsk-1m') };
const LISTED = 'GET /api/v1/profiles';

export const profileRoutes: readonly BenchRoute[] = [
  defineBenchRoute({
    method: 'GET',
    path: '/api/v1/profiles',
    operationId: 'listProfiles',
    summary: 'All profiles',
    description: 'Those of the configuration and those registered since the start.',
    tag: 'Profiles',
    replies: { 200: ProfilesShape },
    errors: [],
    handle: (_request, { bench }) => replied(bench.profiles.list()),
  }),
  defineBenchRoute({
    method: 'GET',
    path: '/api/v1/profiles/active',
    operationId: 'readActiveProfile',
    summary: 'The applied profile, and whether something was changed by hand since',
    description:
      'Without a name where none was applied. The board is read: a change by another tool makes it dirty too.',
    tag: 'Profiles',
    replies: { 200: ActiveProfile },
    errors: [],
    handle: async (_request, { bench }) => replied(await bench.profiles.active()),
  }),
  defineBenchRoute({
    method: 'POST',
    path: '/api/v1/profiles/validate',
    operationId: 'validateProfile',
    summary: 'Judges a profile',
    description:
      'For an invalid profile the reply lists every reason; it is not an error. Nothing is registered.',
    tag: 'Profiles',
    body: AnyProfile,
    replies: { 200: Validated },
    errors: [],
    handle: ({ body }, { bench }) => replied(bench.profiles.validate(body)),
  }),
  defineBenchRoute({
    method: 'GET',
    path: '/api/v1/profiles/:name',
    operationId: 'readProfile',
    summary: 'One profile',
    description: 'The whole document, whether it is applied or not.',
    tag: 'Profiles',
    params,
    replies: { 200: Profile },
    errors: [],
    handle: ({ params: { name } }, { bench }) => found(bench.profiles.get(name), 'profile', name, LISTED),
  }),
  defineBenchRoute({
    method: 'PUT',
    path: '/api/v1/profiles/:name',
    operationId: 'registerProfile',
    summary: 'Registers a profile until the daemon ends',
    description: 'The body is YAML or JSON whatever its content type. Its name is that of the path.',
    tag: 'Profiles',
    params,
    bytes: {
      mediaType: 'text/plain',
      description: 'a profile as YAML or JSON',
      example: 'name: qpsk-1m\nmodulation: qpsk\nsymbol_rate_baud: 1000000\n',
      minBytes: 1,
      maxBytes: BENCH_DOCUMENT_CHARACTERS,
    },
    replies: { 200: RegisterShape },
    errors: ['conflict'],
    handle({ params: { name }, bytes }, { bench }) {
      if (!isUtf8(bytes!)) return refusal('validation_failed', 'the body is not UTF-8 text');
      const registered = bench.profiles.register(name, bytes!.toString());
      return registered.ok ? replied(registered.value) : registered;
    },
  }),
  defineBenchRoute({
    method: 'POST',
    path: '/api/v1/profiles/:name/apply',
    operationId: 'applyProfile',
    summary: 'Sets the radio and the modem as the profile says',
    description: 'Replies with what was set on the radio. A manual change afterwards makes it dirty.',
    tag: 'Profiles',
    params,
    replies: { 200: ApplyShape },
    errors: [...BOARD_WRITE, 'conflict'],
    handle: ({ params: { name } }, { bench }) => asked(bench.profiles.apply(name)),
  }),
  defineBenchRoute({
    method: 'GET',
    path: '/api/v1/profiles/:name/revisions',
    operationId: 'listRevisions',
    summary: 'When the profile was applied',
    description: 'Newest first; empty for one that never was.',
    tag: 'Profiles',
    params,
    replies: { 200: RevisionsShape },
    errors: [],
    handle: ({ params: { name } }, { bench }) =>
      found(bench.profiles.revisions(name), 'profile', name, LISTED),
  }),
];
