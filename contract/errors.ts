/**
 * Every error code of the mission control service with its HTTP status and cause: one table, read by the front end,
 * the OpenAPI document and the tests. Mission Control Service, sections 7.1 to 7.5.
 *
 * E1. A published code never changes its meaning or its status; new codes are only added.
 * E2. A code with two statuses names them in the order "first the usual one"; the refusal chooses.
 */

interface ErrorDescription {
  /** HTTP statuses the code may answer with, the usual one first. */
  readonly status: readonly [number, ...number[]];
  readonly cause: string;
}

export const ERRORS = {
  'api::unknown-route': { status: [404], cause: 'no such route' },
  'api::invalid-body': { status: [400], cause: 'body not valid JSON of the expected shape' },
  'api::invalid-id': { status: [400, 404], cause: 'identifier not a ULID' },
  'api::invalid-target': { status: [404], cause: 'target in path not a valid name' },
  'api::invalid-alarm': { status: [404], cause: 'alarm in path not of the form component[instance].measure' },
  'api::invalid-measure': { status: [400], cause: 'not a measure selector' },
  'api::invalid-instance': { status: [404], cause: 'instance in path not a valid name' },
  'api::invalid-frame': { status: [400], cause: 'frame not decodable input' },
  'api::unknown-target': { status: [404], cause: 'no such target' },
  'api::unknown-environment': { status: [422], cause: 'target not engaged in that environment' },
  'api::unknown-link': { status: [422], cause: 'unknown link (decode)' },
  'api::unknown-instance': { status: [404], cause: 'no such registered instance' },
  'api::unknown-command': { status: [404], cause: 'not a command of the route' },
  'api::anonymous': { status: [400, 401], cause: 'no identity' },
  'api::no-configuration': { status: [503], cause: 'no compiled configuration published' },
  'api::no-catalogue': { status: [503], cause: 'catalogue of the target missing from the snapshot' },
  'api::unavailable': { status: [503], cause: 'message bus unavailable' },
  'auth::invalid-token': { status: [401], cause: 'bearer token refused' },
  'auth::no-provider': { status: [401], cause: 'token given, no provider configured' },
  'auth::token-required': { status: [401], cause: 'auth.required set and no token' },
  'auth::jwt-required': { status: [401], cause: 'token required, declared identity refused' },
  'auth::invalid-key': { status: [400], cause: 'public_key not a public user key' },
  'auth::no-signing-key': { status: [503], cause: 'no account signing key' },
  'tc::unknown-target': { status: [404], cause: 'target of the submission or encode unknown' },
  'tc::missing-catalogue': { status: [422], cause: 'catalogue of the target missing' },
  'tc::unknown-link': { status: [422], cause: 'target has no such link' },
  'tc::unknown-environment': { status: [422], cause: 'target not engaged in the environment' },
  'tc::environment-required': {
    status: [422],
    cause: 'link has parameters by environment, target engaged in several, none given',
  },
  'tc::link-component': { status: [422], cause: 'component not carried by the link' },
  'tc::unknown-telecommand': { status: [422], cause: 'no such telecommand in the platform' },
  'tc::ambiguous-telecommand': {
    status: [422],
    cause: 'name used by several components; write component.name',
  },
  'tc::missing-instance': { status: [422], cause: 'multi-instance component without instance' },
  'tc::unexpected-instance': { status: [422], cause: 'instance given for a single instance component' },
  'tc::unknown-instance': { status: [422], cause: 'component has no such instance' },
  'tc::unexpected-argument': { status: [422], cause: 'telecommand has no such argument' },
  'tc::missing-argument': { status: [422], cause: 'no value and no default' },
  'tc::invalid-argument': { status: [422], cause: 'type, unit or enum value wrong' },
  'tc::out-of-range': { status: [422], cause: 'argument outside its range' },
  'tc::target-held': { status: [409], cause: 'a run holds the target' },
  'driver::unbound': { status: [409], cause: 'no driver bound to the link' },
  'driver::encode-failed': { status: [422], cause: 'driver refused to encode' },
  'driver::decode-failed': { status: [422], cause: 'driver refused to decode' },
  'driver::no-verb': { status: [501], cause: 'driver lacks the verb asked' },
  'driver::no-answer': { status: [504], cause: 'driver did not answer' },
  'run::unknown-environment': { status: [422], cause: 'no such environment in the topology' },
  'run::unknown-library': { status: [422], cause: 'no such library' },
  'run::unknown-procedure': { status: [422], cause: 'no such procedure' },
  'run::ambiguous-procedure': { status: [422], cause: 'several libraries have that procedure, none given' },
  'run::not-allowed': { status: [422], cause: 'environment does not allow the procedure' },
  'run::draft-not-allowed': { status: [422], cause: 'draft procedure, environment does not allow drafts' },
  'run::unexpected-target': { status: [422], cause: 'role the procedure does not have' },
  'run::missing-target': { status: [422], cause: 'role without target' },
  'run::unknown-target': { status: [422], cause: 'no such target' },
  'run::wrong-platform': { status: [422], cause: 'target of another platform than the role requires' },
  'run::catalogue-version': {
    status: [422],
    cause: 'target implements another version of the platform than the library was compiled against',
  },
  'run::not-imported': { status: [422], cause: 'package used but not imported' },
  'run::target-not-in-environment': { status: [422], cause: 'target not engaged in the environment' },
  'run::unexpected-input': { status: [422], cause: 'input the procedure does not have' },
  'run::missing-input': { status: [422], cause: 'input without value' },
  'run::invalid-input': { status: [422], cause: 'input of wrong type, unit, bounds or enum value' },
  'run::unknown-link': { status: [422], cause: 'link used by the procedure unknown for the target' },
  'run::link-component': { status: [422], cause: 'component used through a link that does not carry it' },
  'run::fault-target': { status: [422], cause: 'fault target not a role of targets' },
  'run::fault-step': { status: [422], cause: 'trigger step not a step of the procedure' },
  'run::fault-not-simulated': { status: [422], cause: 'faults in in_orbit' },
  'run::plan-required': {
    status: [422],
    cause: 'hazardous telecommand, environment requires a plan, no plan',
  },
  'run::must-be-scheduled': { status: [422], cause: 'the same with a plan but not from a schedule' },
  'run::parameter-undefined': { status: [422], cause: 'parameter used without value' },
  'run::unknown-pass': { status: [422], cause: 'plan names no pass' },
  'run::pass-cancelled': { status: [409], cause: 'pass of the plan cancelled' },
  'run::not-booked': { status: [409], cause: 'pass not booked in in_orbit' },
  'run::before-aos': { status: [409], cause: 'launch before AOS' },
  'run::window': { status: [409], cause: 'run may end after LOS minus scheduler.margin' },
  'run::receive-only': { status: [409], cause: 'run sends telecommands on a receive-only pass' },
  'run::no-link': {
    status: [409],
    cause: 'manual run in in_orbit, default link not bound or gateway reports no link',
  },
  'run::not-running': { status: [409], cause: 'no executor holds the run' },
  'run::refused': {
    status: [409],
    cause: 'executor refused: no suspension to resume, targets not ready, unknown choice',
  },
  'run::unknown': { status: [404], cause: 'no such run (also invalid identifier on GET /v1/runs/{id})' },
  'run::timeout': { status: [504], cause: 'executor did not answer within 30 s' },
  'mode::unknown': { status: [422], cause: 'topology declares no such mode' },
  'mode::target-held': { status: [409], cause: 'a run holds the target' },
  'alarm::refused': {
    status: [409],
    cause: 'nothing to acknowledge, not shelved, never recorded, duration out of bounds',
  },
  'alarm::no-service': { status: [503], cause: 'no alarm service running' },
  'alarm::timeout': { status: [504], cause: 'alarm service did not answer' },
  'pass::not-a-feeder': { status: [403], cause: 'caller not in passes.feeders' },
  'pass::forbidden-source': { status: [403], cause: 'feeder writes another source' },
  'pass::invalid': { status: [422], cause: 'invalid body or pass' },
  'pass::unknown-target': { status: [422], cause: 'target not in the configuration' },
  'pass::unknown': { status: [404], cause: 'no such pass' },
  'schedule::invalid': { status: [422], cause: 'invalid schedule or rule body' },
  'schedule::refused': {
    status: [422],
    cause: 'would not be scheduled, does not resolve, or rule with a hazardous telecommand',
  },
  'schedule::unknown': { status: [404], cause: 'no such schedule' },
  'schedule::unknown-rule': { status: [404], cause: 'no such rule' },
  'schedule::final': { status: [409], cause: 'already fired, missed or cancelled' },
  'schedule::changed': { status: [409], cause: 'changed meanwhile; retry' },
  'schedule::not-supervisor': { status: [403], cause: 'only a supervisor validates' },
  'files::no-directory': { status: [404, 422], cause: 'platform has no on-board directory' },
  'files::no-listing': { status: [422], cause: 'no listing telecommand' },
  'transfer::invalid': { status: [422], cause: 'invalid request' },
  'transfer::not-listed': { status: [422], cause: 'file never listed' },
  'transfer::unknown': { status: [404], cause: 'no such transfer' },
  'transfer::incomplete': { status: [409], cause: 'the file is not there as a whole' },
  'upload::unknown': { status: [404], cause: 'no such content is stored' },
  'transfer::content-gone': { status: [404], cause: 'the content is not kept any more' },
  'unit::unknown': { status: [404], cause: 'no unit answers' },
  'unit::refused': {
    status: [422],
    cause: 'unit refused, with the reason (bad signature, image of another hardware)',
  },
  'unit::timeout': { status: [504], cause: 'unit did not answer within 30 s' },
  'unit::not-supervisor': { status: [403], cause: 'update or reboot by a caller without role supervisor' },
  'unit::too-many': { status: [409], cause: 'no room in the fleet for another unit' },
  'connector::unknown': { status: [404], cause: 'no connector of that name' },
  'connector::alive': { status: [409], cause: 'a connector that lives is not removed' },
  'connector::not-supervisor': {
    status: [403],
    cause: 'removal of a connector by a caller without role supervisor',
  },
  'inspect::unknown-entity': { status: [404], cause: 'no process has an entity of that kind and id' },
  'inspect::unknown-chart': { status: [404], cause: 'no process runs entities of that kind' },
  'inspect::no-history': { status: [404], cause: 'entities of that kind keep no log, or this one has none' },
  'inspect::not-quarantined': { status: [409], cause: 'nothing of that name is quarantined there' },
  'inspect::invalid': { status: [400], cause: 'not something an inspector can ask' },
  'inspect::timeout': { status: [504], cause: 'the process did not answer the inspector' },
  'sim::unknown-gateway': { status: [404], cause: 'no simulated gateway of that name' },
  'sim::not-simulated': { status: [422], cause: 'gateway is not simulated' },
  'sim::refused': { status: [422], cause: 'simulator refused (unknown fault)' },
  'sim::timeout': { status: [504], cause: 'gateway did not answer' },
  'editor::disabled': { status: [404], cause: 'no editor service behind the API' },
  'editor::too-large': { status: [413], cause: 'request too large for the editor' },
  'editor::unreachable': { status: [502], cause: 'editor does not answer' },
  'archive::none': { status: [503], cause: 'no archive is running' },
  'archive::unanswered': { status: [503], cause: 'no archive answered' },
  'archive::busy': { status: [503], cause: 'too many questions about the past wait already' },
  'archive::failed': { status: [503], cause: 'the archive could not read what it has' },
  'archive::invalid': { status: [400], cause: 'the archive does not take the question' },
  'api::unsatisfiable-range': { status: [416], cause: 'no byte of the content is in the range asked for' },
  'api::too-large': {
    status: [413],
    cause: 'request body larger than the route accepts, or what is made of it larger than the bus takes',
  },
  'api::head-too-large': { status: [431], cause: 'headers and query of the request are larger than 16 KiB' },
  'api::foreign-origin': { status: [403], cause: 'a browser page of another origin made the request' },
  'api::foreign-host': {
    status: [403],
    cause: 'the request names a host that the service is not started for',
  },
  'api::too-many-requests': {
    status: [503],
    cause: 'too many WebSockets or unfinished bodies of one address, or of all',
  },
  'api::internal': { status: [500], cause: 'defect in the service; the log names it by the request id' },
} as const satisfies Record<string, ErrorDescription>;

export type ErrorCode = keyof typeof ERRORS;

/** One item of an error body (section 7.1): clients match on `code`, people read `message` and `help`. */
export interface Fault<Code extends string = ErrorCode> {
  readonly code: Code;
  readonly message: string;
  /** How to repair it. */
  readonly help?: string;
  /** Where in the request, as a JSON pointer or a field name. */
  readonly path?: string;
}

/** The usual HTTP status of a code. */
export function statusOf(code: ErrorCode): number {
  return ERRORS[code].status[0];
}
