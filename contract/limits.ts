/**
 * Every bound of the service with the reason for its number. A queue, loop, retry, body or subscription without a
 * name here is a defect.
 */

/** JSON bodies: the largest telecommand or run request is a few kB; 1 MiB leaves room for bytes arguments. */
export const JSON_BODY_BYTES = 1024 * 1024;
/** Characters of a name or token: people write some twenty, and a key of the bus holds five of them. */
export const NAME_CHARACTERS = 128;
/** Characters of `component[instance].name`, and of what else is made of a few names. */
export const PATH_CHARACTERS = 512;
/** Characters of a quantity, a duration or a unit: `-1.7976931348623157e+308 kg m^2 s^-3 A^-1` has forty. */
export const QUANTITY_CHARACTERS = 256;
/** Characters of the selectors of one watcher: what a request line has room for. */
export const SELECTORS_CHARACTERS = 12 * 1024;
/**
 * Entries of a mapping or list of a request: arguments of a telecommand, inputs and roles of a run, faults of a
 * simulation.
 */
export const REQUEST_ENTRIES = 256;
/** Characters of a time in RFC 3339: `2026-01-02T03:04:05.123456789+01:00` has 35. */
export const INSTANT_CHARACTERS = 40;
/** Passes of one snapshot: three weeks of a target over thirty stations. */
export const SNAPSHOT_PASSES = 5_000;
/** Bytes of a snapshot: a pass with every field has some 400. */
export const SNAPSHOT_BODY_BYTES = 4 * 1024 * 1024;
/**
 * Passes of one target that are not long over: who writes one reads them all. A month of a low orbit over thirty
 * stations has five thousand.
 */
export const PASSES_OF_TARGET = 20_000;
/** How long after its LOS a pass stays among those that every process holds: the day's work looks back as far. */
export const PASS_LIVE_AFTER_LOS_MS = 24 * 3_600_000;
/**
 * A contribution to a time before so long ago is matched against the passes that are long over as well: half of the
 * above, so that clocks of processes need not agree.
 */
export const PASS_REACH_MS = 12 * 3_600_000;
/** How often what is long over is looked for, and how soon again while there are more. */
export const AGEING_MS = 60_000;
export const AGEING_SOON_MS = 1_000;
/** Passes moved in one round: a second of the bus. */
export const PASSES_AGED_AT_ONCE = 1_000;
/** Passes of one list: what a page shows and a reply of 4 MB holds. */
export const PASS_LIST_MOST = 5_000;
/** Lists of passes that one `mcs pass list` reads: 100,000 passes are more than a person reads. */
export const PASS_LISTS_READ = 20;
/** How long who wrote a pass waits until the lists of this process show it. */
export const PASS_SEEN_MS = 5_000;
/** How long who writes a pass waits until this process has what stands, before it asks the bus for it. */
export const PASS_CATCH_UP_MS = 100;
/** From when on before its AOS the gateway of a pass is checked (section 4.5). */
export const PASS_CHECK_AHEAD_MS = 10 * 60_000;
/** So long before AOS and after LOS what the station receives counts as of the target: predictions are not exact. */
export const PASS_RECEIVE_MARGIN_MS = 60_000;
/** How often the pass of a run with a plan is looked at where nothing changes. */
export const PLAN_LOOK_MS = 10_000;
/** How often the gateways of passes are checked where nothing changes. */
export const PASS_CHECK_MS = 5_000;
/** Changes of so long are checked together: a snapshot changes hundreds of passes in a moment. */
export const PASS_CHECK_SOON_MS = 250;
/** Bytes of one entry of the journal of passes of a target, compressed: half of what the bus takes as one message. */
export const PASS_JOURNAL_BYTES = 512 * 1024;
/** Rounds of a write of passes that others keep overtaking, before it is given up with 503. */
export const PASS_WRITE_ROUNDS = 64;
/** Searches for a record that is long over which wait for their turn: each reads a year. */
export const AGED_SEARCHES_WAITING = 32;
/**
 * How long a record stands with those that are long over before it leaves the living: a server that loses power may
 * lose what it stored in the two minutes before (its `sync_interval`).
 */
export const AGED_REST_MS = 5 * 60_000;
/** Days of which records that are long over are kept: a year, and as many of records that came late. */
export const AGED_DAYS = 1_000;
/** Entries of records that are long over, read at once. */
export const AGED_READS = 32;
/** Days of such records read at once for a list that has not enough yet. */
export const AGED_DAYS_AT_ONCE = 8;
/** Bytes of one entry of such records, compressed: five thousand passes of one target on one day. */
export const AGED_ENTRY_BYTES = 512 * 1024;
/** Bytes of one that is read; what is larger was not written here. */
export const AGED_READ_BYTES = 64 * 1024 * 1024;
/** Entries of such records of which the log has said once that something is wrong with them. */
export const AGED_SAID = 1_000;
/** Rounds of a change of such records that others overtake, before it is left for later. */
export const AGED_ROUNDS = 8;
/** Schedules of one list: what a page shows and a reply of a few MB holds. */
export const SCHEDULE_LIST_MOST = 5_000;
/** Lists of schedules that `mcs schedule list` reads one after the other. */
export const SCHEDULE_LISTS_READ = 20;
/** Schedules of one pass that are not cancelled or missed: each of them is compared with the others. */
export const SCHEDULES_OF_PASS = 200;
/** Schedules on other passes that a schedule is said to meet, and how many of a target are looked at for it. */
export const SCHEDULE_MEETINGS = 10;
export const SCHEDULE_MEETINGS_LOOKED = 200;
/** Schedules that are not final: fifty for each of 2,000 targets. */
export const SCHEDULES_OPEN = 100_000;
/** How long who wrote a schedule or a rule waits until the lists of this process show it. */
export const SCHEDULE_SEEN_MS = 5_000;
/** Changes of state that the record of a schedule remembers. */
export const SCHEDULE_CHANGES_KEPT = 16;
/** Reasons of one schedule, and characters of each, where a schedule that was read back is posted. */
export const SCHEDULE_REASONS = 1_000;
export const SCHEDULE_REASON_CHARACTERS = 4_096;
/** Characters of `start`: `aos + ` and a duration. */
export const SCHEDULE_START_CHARACTERS = 80;
/** How far behind AOS a run may start: no pass of a spacecraft that moves is longer. */
export const SCHEDULE_OFFSET_MS_MOST = 31 * 86_400_000;
/** How often every schedule that is due and not final is looked at again (section 8). */
export const SCHEDULE_TICK_MS = 1_000;
/** For each scheduler that ranks before it, how much later a scheduler does what another should have done. */
export const SCHEDULE_STANDBY_MS = 50;
/**
 * How old a reading of its pass is at most when a schedule is fired, missed or cancelled by it, and how long its write
 * is tried.
 */
export const SCHEDULE_FRESH_MS = 1_000;
/** How often the pass is asked for again where answers take longer, before it counts as an outage. */
export const SCHEDULE_FRESH_ROUNDS = 5;
/** How often a cell of a schedule with another record is given what was found before it begins again. */
export const SCHEDULE_IDLE_LOOKS = 5;
/** Revisions of configurations that a scheduler knows it has had. */
export const CONFIGURATIONS_KNOWN = 64;
/** Schedules judged before others have their turn: some milliseconds of work. */
export const SCHEDULE_SLICE = 64;
/** Attempts of a write that others keep overtaking, before it is refused with `schedule::changed`. */
export const SCHEDULE_WRITE_ROUNDS = 8;
/** How long the cell of a schedule that is not final stays behind its last change. */
export const SCHEDULE_IDLE_MS = 5_000;
/** How long behind its end, and its last change, a final schedule stays with those that every process holds. */
export const SCHEDULE_LIVE_AFTER_END_MS = 7 * 86_400_000;
/** Schedules moved in one round. */
export const SCHEDULES_AGED_AT_ONCE = 1_000;
/** Entries of one day of schedules that are long final: each holds some thousand. */
export const SCHEDULE_GROUPS = 32;
/** Recurring rules of a cell, each compared with every pass of its target: two for each of 2,000 targets, and more. */
export const SCHEDULE_RULES = 5_000;
/** Schedules that rules create at once; the others wait for their turn. */
export const RULE_CREATIONS = 16;
/** Characters of a mission document: fifty thousand measures, each with a description, have some ten million. */
export const DOCUMENT_CHARACTERS = 16 * 1024 * 1024;
/** Collections and keys within one another in a mission document: steps, `PROGRAM_DEPTH` of them, need half of it. */
export const DOCUMENT_NESTING = 256;
/** Entries of one mapping or list of a document: twice the measures of the largest component. */
export const DOCUMENT_ENTRIES = 20_000;
/** Characters of one text of a document: a description of four pages, or an argument of bytes. */
export const DOCUMENT_TEXT_CHARACTERS = 16 * 1024;
/** Faults of one compilation that are listed; how many more there are is said. */
export const DOCUMENT_FAULTS_LISTED = 1_000;
/** Characters of a file of orbital elements: every active satellite in OMM as JSON has some nine million. */
export const ELEMENTS_CHARACTERS = 16 * 1024 * 1024;
/** Element sets of one file: the active satellites, and as many again. */
export const ELEMENT_SETS = 30_000;
/** Days of one prediction: SGP4 is seconds off after a week, and worth nothing after a month. */
export const PREDICTION_DAYS = 31;
/** Satellites times stations times days of one prediction: 2,000 targets over five stations for three days. */
export const PREDICTION_PAIR_DAYS = 30_000;
/** Passes of one target in one prediction: what the service takes as one snapshot. */
export const PREDICTED_PASSES = 5_000;
/** How often predictions are fed again: more often is load without news, and after a week the first are worthless. */
export const PREDICTION_FEED_MS_LEAST = 10_000;
export const PREDICTION_FEED_MS_MOST = 7 * 86_400_000;
/** Characters of a condition: a page of text; what is longer is a derived measure not yet named. */
export const CONDITION_CHARACTERS = 4_096;
/** Known names that an unknown one is compared with: the measures of a large platform. */
export const NEAR_NAMES = 10_000;
/** Faults of one refusal that are listed; nobody corrects more at once. How many more there are is said. */
export const ERRORS_LISTED = 100;
/** Characters of the message of one fault, and of its help: what it repeats of a request is cut to fit. */
export const ERROR_CHARACTERS = 2_000;
/** Characters of all messages of one refusal: a hundred ordinary faults have half of it. */
export const ERRORS_CHARACTERS = 32 * 1024;
/** A WebSocket client that follows sends nothing; 1 KiB takes any control chatter. */
export const FOLLOW_MESSAGE_BYTES = 1024;
/** Bytes the kernel and uWebSockets.js may hold for one socket before the writer waits for `drain`. */
export const FOLLOW_BUFFER_BYTES = 64 * 1024;
/** A log follower further behind than this is closed with 4408 and resumes by replay (T3). */
export const FOLLOW_LOG_QUEUE_BYTES = 4 * 1024 * 1024;
/** How long a driver may take before 504 `driver::no-answer` (MC-ENC-025). */
export const DRIVER_ANSWER_MS = 5_000;
/** How long a gateway may take to accept a frame before the sending counts as failed. */
export const GATEWAY_ANSWER_MS = 10_000;
/**
 * How long a gateway may take to answer a question of simulation control (504 `sim::timeout`): it only looks at its own
 * memory, so this is the way there and back with room, and a person at a console still waits for it.
 */
export const SIM_ANSWER_MS = 5_000;
/** How long the command line waits for a listing that it asked for (section 8), and how often it looks. */
export const DIRECTORY_POLL_MS = 10_000;
export const DIRECTORY_LOOK_MS = 500;
/** Files that a simulated spacecraft shows of its memory: their hashes stay below 1 MiB. */
export const SIM_FILES_SHOWN = 4_000;
/**
 * A run that ends waits for a fault that is due so soon, and switches it off: it could no longer be called back in
 * time.
 */
export const FAULT_AT_END_MS = 1_000;
/** How long one attempt of a bus write waits for its acknowledgement; short, so that a request answers 503 fast. */
export const BUS_ATTEMPT_MS = 2_000;
/** How long a request from outside may wait for the bus over all attempts. */
export const BUS_REQUEST_MS = 2_500;
/** A direct telecommand older than this at take-up is rejected rather than sent late (MC-TC-059). */
export const TC_MAX_AGE_MS = 5 * 60_000;
/** Freshness of a `requires` condition that states none: telemetry cadences of small missions are 1 s to 30 s. */
export const REQUIRES_MAX_AGE_MS = 60_000;
/** Telecommands of one target in progress at once; further ones wait in the stream, in order. */
export const LANE_OPEN_TELECOMMANDS = 1_000;
/**
 * Telecommands of a lane taken up before it is their turn: enough to hide one bus write, few to continue after a crash.
 */
export const LANE_AHEAD = 8;
/** Events waiting in one cell. A cell that far behind is broken or flooded; the caller is informed (C6). */
export const CELL_INBOX = 1_000;
/** How long an entity that changes is not kept beside its log: what ends before that never is. */
export const KEPT_EVERY_MS = 1_000;
/** Writes of envelopes beside logs under way at once, of one kind in one process. */
export const KEPT_WRITES = 8;
/** An envelope beside a log; what is larger is not kept, and its entity is restored from the log alone. */
export const KEPT_ENVELOPE_BYTES = 512 * 1024;
/** Microsteps of one event: a chart that needs more has an endless `always` loop. */
export const CHART_MICROSTEPS = 64;
/** Dead letters kept in memory for the inspector, newest last; the stream keeps the rest. */
export const DEAD_LETTERS_SHOWN = 256;
/** Frames a gateway puts in one bus message: one message per turn, never one per sample (T1). */
export const FRAMES_PER_MESSAGE = 256;
/** Files of a listing in one bus message: with checksums of 32 bytes below the 1 MiB a bus server takes by default. */
export const FILES_PER_MESSAGE = 5_000;
/** Largest frame a gateway takes: a space packet is at most 65,542 bytes. */
export const FRAME_BYTES = 65_542;
/** Characters of a frame as a client writes it: two digits and a space for each byte. */
export const FRAME_CHARACTERS = 3 * FRAME_BYTES;
/** Characters of one value of a request: an argument of bytes that fills a frame, `0x` in front. */
export const VALUE_CHARACTERS = 2 * FRAME_BYTES + 2;
/** Sent frames a gateway remembers by their key, so that a repeated request is answered and not sent again (O2). */
export const GATEWAY_SENT_KEYS = 10_000;
/** Time after which a telecommand no longer awaits its echo. */
export const ECHO_WAIT_MS = 60_000;
/** A process whose heartbeat has not moved for this long is dead for the others (single bus server). */
export const MEMBER_TTL_MS = 3_000;
/** What an installation may set in its place: shorter and a pause of the machine takes work from the living. */
export const MEMBER_TTL_MS_LEAST = 500;
export const MEMBER_TTL_MS_MOST = 3_600_000;
/**
 * Silence after which the key of a dead member is removed, in times to live: a process that wakes after it writes a new
 * one.
 */
export const MEMBER_FORGOTTEN_TTLS = 10;
/** Keys of dead members removed at each heartbeat: 20,000 are gone in five minutes, at a cost nobody notices. */
export const MEMBERS_FORGOTTEN_AT_ONCE = 64;
/**
 * Partitions of one kind that a process takes or gives back at once: hides the way to the bus, and leaves room between
 * them for everything else the process does.
 */
export const PARTITION_MOVES = 32;
/**
 * How long the start of a worker keeps the place of its partition among those: one that waits for something lets others
 * go on.
 */
export const PARTITION_START_MS = 2_000;
/**
 * How often the copies of all streams are looked at where more than one is wanted: a cluster is repaired in minutes.
 */
export const REPLICAS_LOOK_MS = 15_000;
/** Streams asked about at once, of some thirty. */
export const REPLICAS_ASKED = 4;
/**
 * How long an answer of the bus about a silent member is good for (membership.E4): many partitions are taken from one
 * dead owner.
 */
export const MEMBER_SILENT_MS = 250;
/** Value batches of one target on their way to the bus: enough to hide its latency, little to redo after a crash. */
export const VALUE_APPENDS = 64;
/**
 * Value batches before the end of their stream of which a new owner knows each: several owners may have died with
 * theirs on the way.
 */
export const VALUE_TAIL = 16 * VALUE_APPENDS;
/**
 * A value batch without an acknowledgement for so long may be lost: those behind it wait. Well above the way to a bus
 * and back, well below the second between two frames of most missions.
 */
export const VALUE_APPEND_LATE_MS = 250;
/** Current values are written to the bus at most this often (T5). */
export const VALUES_CHECKPOINT_MS = 1_000;
/**
 * Files known of one target: a mass memory lists some thousands. Beyond it those are forgotten first whose last listing
 * is longest ago.
 */
export const DIRECTORY_FILES = 10_000;
/** Characters of the checksum of a file: SHA-256 in hexadecimal. */
export const FILE_CHECKSUM_CHARACTERS = 64;
/** Characters of the state of a transfer: the longest there is has ten. */
export const FILE_STATE_CHARACTERS = 32;
/** Bytes of a value batch with files: below the 1 MiB a bus server takes by default, with room for headers. */
export const VALUE_MESSAGE_BYTES = 1_000_000;
/**
 * A derived number that changes without a sample, because others leave its window, is reported at whole seconds: a
 * person sees it move, and samples that come as regularly as others leave report it themselves.
 */
export const DERIVED_TELL_MS = 1_000;
/**
 * How far before its windows a new owner reads values back: what held before the oldest sample of a window began with
 * the sample before, and telemetry cadences of small missions are 1 s to 30 s.
 */
export const DERIVED_REBUILD_MS = 60_000;
/** How long samples of an unknown catalogue wait for its configuration to arrive; drivers may take it up first. */
export const CATALOGUE_WAIT_MS = 2_000;
/**
 * Pause before the bus is asked again while it is away, whoever waits for it. Each asking already waits inside the bus
 * for the connection; this bounds what a bus that refuses at once (without room, without a leader) is asked: four times
 * a second by each who waits, and well inside the 3 s of a takeover.
 */
export const BUS_RETRY_MS = 250;
/** Counts a driver reserves at once: one bus write per 256 telecommands; a crash leaves at most that gap of 16,384. */
export const COUNTER_BLOCK = 256;
/** Attempts to reserve counts against other processes of the same driver; each loses to at most every other once. */
export const COUNTER_RESERVATION_ATTEMPTS = 16;
/** Frames that wait in a gateway for the bus, 64 full messages; the oldest are dropped and counted past it. */
export const GATEWAY_QUEUE_FRAMES = 16_384;
/** The same bound in bytes: the queue holds minutes of telemetry and never a serious part of the memory. */
export const GATEWAY_QUEUE_BYTES = 64 * 1024 * 1024;
/** Bytes of frames in one bus message: below the 1 MiB a bus server takes by default, with room for headers. */
export const FRAME_MESSAGE_BYTES = 512 * 1024;
/** Frames that could not be read are reported in one log line this often. */
export const FRAME_FAULT_LOG_MS = 1_000;
/** Request identifiers a simulated spacecraft counts: one for each sequence count of its APID. */
export const SPACECRAFT_REQUESTS = 16_384;
/** The longest delay of a simulated radio channel, one way: as far as ten million kilometres. */
export const CHANNEL_DELAY_MS = 60_000;
/** Frames on their way through it, each way; what is more is lost. */
export const CHANNEL_FRAMES = 16_384;
/**
 * A real-time sample whose on-board time is this far from the one before shows that the clock on board was set. Frames
 * of one link overtake each other by seconds at most.
 */
export const CLOCK_STEP_MS = 10 * 60_000;
/**
 * How far the clocks of two machines of a cell may differ. Machines that keep time by NTP differ by milliseconds; two
 * seconds is where an alarm of the operator's own would have rung long ago.
 */
export const CLOCK_SKEW_MS = 2_000;
/**
 * How late after it was asked for a frame may leave: whoever asks waits for half of `GATEWAY_ANSWER_MS`, and what
 * leaves after it has given up leaves behind its final state.
 */
export const SEND_WITHIN_MS = GATEWAY_ANSWER_MS / 2 - CLOCK_SKEW_MS;
/**
 * How long a gateway goes by the holds of a target as it has read them: a read takes a millisecond, and a gateway that
 * slept for longer than this reads again. Below `FENCE_REACTION_MS`.
 */
export const HOLD_READ_MS = 600;
/**
 * How long a run that gives its targets back waits for a gateway that does not say what of it may still leave: behind
 * it every frame is past its `notAfter`.
 */
export const FENCE_MS = SEND_WITHIN_MS + CLOCK_SKEW_MS;
/**
 * How long a reaction waits for that: it suspends the run within a second (section 4.4 reaction rule 5). What a gateway
 * of this service has read by then is too old to send by (`HOLD_READ_MS`).
 */
export const FENCE_REACTION_MS = 700;
/** Fences that a gateway remembers, one for each run and target: the runs of an hour of a large mission. */
export const GATEWAY_FENCES = 10_000;
/** How long one process may take to answer the inspector: a person waits, and the others are shown at once after it. */
export const INSPECT_ANSWER_MS = 1_500;
/**
 * How often the tree is asked for while somebody looks at it: twice a second is live for an eye and cheap for a
 * process.
 */
export const INSPECT_TREE_MS = 500;
/** A tree that does not change is reported again this often, so that who looks can tell calm from a dead connection. */
export const INSPECT_STILL_MS = 5_000;
/** A process that is silent for this long has been replaced or taken down for good and is no longer listed. */
export const INSPECT_GONE_MS = 10 * 60_000;
/** A watch is renewed three times in its life: two renewals may be lost. */
export const INSPECT_RENEWALS = 3;
/** How often an entity that lives nowhere is looked for: about what a takeover lasts. */
export const INSPECT_SEARCH_MS = 1_000;
/** Entities in one answer: more is no list a person reads. */
export const INSPECT_FOUND = 200;
/** Events of telecommands looked through for finished ones, newest first: a second or two of reading. */
export const INSPECT_EVENTS = 100_000;
/** A chart that is not laid out by then never will be; the largest here takes a second on a busy machine. */
export const CHART_LAYOUT_MS = 15_000;
/** Charts whose layout is kept: every kind in a few versions. */
export const CHART_LAYOUTS = 64;
/**
 * Frames of one watched entity are at least this far apart: 20 a second is all an eye follows, and all a page should
 * draw.
 */
export const INSPECT_FRAME_MS = 50;
/**
 * Entities watched in one process at once, by watcher: ten pages that show a hundred each. A watched cell is several
 * times slower.
 */
export const INSPECT_WATCHES = 1_000;
/**
 * How old a list of what is kept beside logs may be that the inspector shows: it is read once for everybody who asks.
 */
export const INSPECT_STORED_MS = 1_000;
/**
 * A list of it that took long is good for so many times as long, and for so long at most: 10,000 envelopes are some
 * thirty MB.
 */
export const INSPECT_STORED_SHARE = 20;
export const INSPECT_STORED_MOST_MS = 60_000;
/** Characters of one context shown by the inspector: a frame carries it twice and stays far below 1 MiB. */
export const INSPECT_CONTEXT_CHARACTERS = 64 * 1024;
/** Characters of the contexts of a whole history, shared by its steps: one reply, below the 1 MiB a bus takes. */
export const INSPECT_HISTORY_CHARACTERS = 384 * 1024;
/** Steps of a history that are shown, the newest: more than any telecommand has, and a long run is read in its log. */
export const INSPECT_HISTORY_STEPS = 1_000;
/** Characters of one text in a context; a frame of telemetry in hexadecimal is longer and says no more. */
export const INSPECT_TEXT_CHARACTERS = 1_000;
/** Children in trouble shown of one supervisor, and effects of one entity: past it the number says enough. */
export const INSPECT_LISTED = 200;
/** Dead letters in the tree: the stream holds the rest. */
export const INSPECT_DEAD_LETTERS = 20;
/**
 * Characters of a pattern or template of a text line: instruments answer in lines a person reads on one screen row or
 * two.
 */
export const LINE_PATTERN_CHARACTERS = 256;
/** Patterns of one platform: each line is tried against each, and each pair is compared when documents are compiled. */
export const LINE_PATTERNS = 256;
/** Longest line of a text protocol, written or read: four times what the longest known answers of instruments have. */
export const LINE_BYTES = 4_096;
/** Characters of a line that matched nothing, as logged. */
export const LINE_SHOWN_CHARACTERS = 80;
/**
 * An answer may be stamped this much before its sending: both stamps are of one clock in whole milliseconds, and a peer
 * on the same machine answers within one. The answer to the telecommand before is older by several writes to the bus.
 */
export const ANSWER_STAMP_MS = 1;
/**
 * Wait before a lost connection of a gateway is tried again, doubling with each failure: a modem that restarts is back
 * soon.
 */
export const LINK_RETRY_FIRST_MS = 250;
/** Longest wait between two tries: an operator who repairs a cable looks at the state for about as long. */
export const LINK_RETRY_LONGEST_MS = 30_000;
/** A connection that held this long was a good one: the next loss is tried again at once. */
export const LINK_STABLE_MS = 10_000;
/** How long a connection may take to be made; a network that is there answers in a second or two. */
export const LINK_CONNECT_MS = 10_000;
/** Silence of a TCP peer before the kernel asks whether it is there; it asks ten times, a second apart. */
export const LINK_KEEPALIVE_MS = 10_000;
/**
 * How long a frame may take to leave, waiting included. Below half of `GATEWAY_ANSWER_MS`: whoever asked gets the
 * answer before it asks again.
 */
export const LINK_SEND_MS = 4_000;
/** Frames that wait to leave one gateway: lanes send one at a time, so this is 64 targets behind one antenna. */
export const LINK_SEND_QUEUE = 64;
/** What the kernel is asked to hold of UDP for us: two seconds of a fast S-band downlink; it grants what it allows. */
export const UDP_RECEIVE_BYTES = 4 * 1024 * 1024;
/**
 * A gateway reports its throughput this often: it counts as current for 15 s (section 4.7 rule 4), so two may be lost.
 */
export const GATEWAY_METRICS_MS = 5_000;
/** How long a received frame waits for its samples before it is shown without: a decoder is done in milliseconds. */
export const FRAME_DECODED_MS = 500;
/** Frames of one watcher that wait for their samples; more are skipped and counted. */
export const FRAME_WATCH_QUEUE = 4_096;
/** Samples shown of one frame; the rest is counted. */
export const FRAME_WATCH_SAMPLES = 256;
/** Bytes shown of a frame when the whole is not asked for: enough for every header we know. */
export const FRAME_HEAD_BYTES = 16;
/** Bytes of one reply of another process: twice what a bus message holds by default. */
export const REPLY_BYTES = 2 * 1024 * 1024;
/**
 * Levels of one reply: charts and contexts shown by the inspector have some dozens; whoever walks thousands loses its
 * stack.
 */
export const REPLY_DEPTH = 256;
/** How long a gateway may take to say how its link is. */
export const GATEWAY_STATE_MS = 1_000;
/** Parts the runs of a cell are shared out in among its executors: enough for eight of them, few to follow. */
export const RUN_SHARDS = 8;
/** Bytes of one answer to a run: a path, a value and a token, with room to spare; its log must be able to repeat it. */
export const RUN_ANSWER_BYTES = 64 * 1024;
/** How long an executor may take to answer a command to a run (section 8: 504 `run::timeout`). */
export const RUN_CONTROL_MS = 30_000;
/**
 * How long one asking of a command waits before it is repeated: a takeover lasts a few seconds, and the heir is asked
 * soon after.
 */
export const RUN_ASK_MS = 1_000;
/**
 * Pause before a command is asked again where an answer came at once that settles nothing: about one way to the bus and
 * back.
 */
export const RUN_ASK_PAUSE_MS = 100;
/** Commands of one shard whose answers are remembered for a repetition: half a minute of more than anybody types. */
export const RUN_CONTROL_KEPT = 1_000;
/** Runs in a list (section 8): by default, and at most. */
export const RUN_LIST_DEFAULT = 20;
export const RUN_LIST_MOST = 200;
/** Statements of one program, calls in place: a procedure that long has copied itself. */
export const PROGRAM_STATEMENTS = 10_000;
/**
 * Bytes of one program, about: a long procedure has some 300 a statement, so this leaves room for long inputs, and is
 * half of what the bus takes in one message.
 */
export const PROGRAM_BYTES = 4 * 1024 * 1024;
/** Depth of calls: procedures that call each other in a ring are refused before, so this bounds honest nesting. */
export const PROGRAM_DEPTH = 32;
/**
 * Characters of the path of a step: names of calls and of nested steps, far more than the depth of either allows in
 * practice.
 */
export const STEP_PATH_CHARACTERS = 16 * 1024;
/** Readbacks of a configure without `within`: two slow telemetry cadences. */
export const READBACK_WITHIN_MS = 60_000;
/** Freshness of a `check` that states none, as of `requires`. */
export const CHECK_MAX_AGE_MS = 60_000;
/** How often a dry run decides `replay` by itself (section 8). */
export const DRY_RUN_REPLAYS = 3;
/** Content of one upload (section 8: 413 beyond). */
export const UPLOAD_BYTES = 256 * 1024 * 1024;
/** Uploads a process takes at once: each may fill a quarter of a gigabyte of the temporary folder. */
export const UPLOADS_AT_ONCE = 4;
/** An upload slower than this gives its place up when another one waits: below the slowest line an office has. */
export const UPLOAD_SLOWEST_BYTES_PER_S = 64 * 1024;
/** How long an upload may be slower before: a connection takes seconds to find its rate. */
export const UPLOAD_GRACE_MS = 10_000;
/**
 * Separate ranges of one file of which bytes are there: every second chunk of 1 KiB lost over 128 MiB. What would need
 * one more is dropped and asked for again, which costs time and no memory.
 */
export const BYTE_RANGES_MOST = 65_536;
/**
 * Fields of type, length and value in one PDU of CFDP: a metadata PDU with every proxy message and override has thirty.
 */
export const CFDP_TLVS_MOST = 64;
/**
 * Bytes of a file that a sender asks its caller for at once: a link of 8 Mbit/s sends them in a sixteenth of a second.
 */
export const CFDP_CONTENT_BYTES = 64 * 1024;
/** Ranges that one sender keeps as asked for again; what does not fit the receiver asks for another time. */
export const CFDP_REPEAT_RANGES = 16_384;
/** Bytes of one transaction kept while its metadata is awaited: a round trip of 600 ms at 3 Mbit/s. */
export const CFDP_EARLY_BYTES = 256 * 1024;
/** NAKs without an answer that one receiver tells apart; later ones count as part of the last. */
export const CFDP_NAKS_OPEN = 1_024;
/** Transactions of one entity at a time, of either direction: each holds some megabytes at worst. */
export const CFDP_TRANSACTIONS = 64;
/** Transactions that are over and still answered for, and how long: the other entity may repeat its last words. */
export const CFDP_CLOSED_KEPT = 1_024;
export const CFDP_CLOSED_MS = 120_000;
/** Acknowledgements that wait for the link without a transaction of their own; what is more is repeated anyway. */
export const CFDP_REPLIES_WAITING = 64;
/** Downloads of one entity that are asked for and not over. */
export const CFDP_DOWNLOADS = 32;
/** Connections of a process, of all its ports: an idle one costs a few kB. Fewer where it may open fewer files. */
export const CONNECTIONS = 20_000;
/** Descriptors that connections leave to everything else: the bus, gateways, spooled uploads, modules. */
export const DESCRIPTORS_KEPT = 256;
/** WebSockets of one address: a room of consoles behind one router has some hundreds. */
export const WEBSOCKETS_PER_ADDRESS = 2_000;
/** Bodies of one address that have not come whole; each may hold 1 MiB. A client that sends a body at once has none. */
export const BODIES_PER_ADDRESS = 32;
/** The same of everybody: 128 MiB at most. */
export const BODIES_UNDER_WAY = 128;
/**
 * How long a driver or a gateway may take to say that it is alive before a run begins: it only answers, so two seconds
 * are a machine under full load, and a launch still fails at once for a person.
 */
export const READINESS_ANSWER_MS = 2_000;
/** Runs of one shard open at once; further ones wait in the stream. Most of them sleep, a few kB each. */
export const SHARD_OPEN_RUNS = 2_000;
/** Runs of a shard restored at the same time by a new owner: each reads its log. */
export const SHARD_RESTORES = 16;
/** Entries of one kind in the report of a run: what a person reads; its log has them all. */
export const RUN_REPORT_ENTRIES = 250;
/** Bytes of a report: below the 1 MiB a bus takes, with room for headers. */
export const RUN_REPORT_BYTES = 900 * 1024;
/** Attempts of a step, and sendings of one telecommand: what fails a hundred times no repetition repairs. */
export const STEP_ATTEMPTS = 100;
/**
 * Counted in the longest duration of a run for each telecommand beside its driver, its gateway and its verification:
 * the judgement of its requirements, a turn behind another telecommand of the lane, and its events on the bus.
 */
export const TELECOMMAND_MARGIN_MS = 5_000;
/** Keys of an identity provider are read again this often (section 5 rule 2). */
export const AUTH_KEYS_MS = 3_600_000;
/**
 * A token that names an unknown key makes them be read again, at most this often: strangers could name new ones all
 * day.
 */
export const AUTH_KEYS_AGAIN_MS = 30_000;
/** Pause after keys could not be read: a provider that restarts is back within it a few times. */
export const AUTH_KEYS_RETRY_MS = 5_000;
/** How long an identity provider may take to answer: a person waits at the first token. */
export const AUTH_FETCH_MS = 5_000;
/** Metadata or keys of an identity provider: large ones have some tens of kB. */
export const AUTH_DOCUMENT_BYTES = 512 * 1024;
/** Difference of clocks that a token is not refused for: machines that keep time differ by less. */
export const AUTH_CLOCK_TOLERANCE_MS = 5_000;
/** Characters of a token: with groups and roles real ones have a few thousand. */
export const AUTH_TOKEN_CHARACTERS = 16 * 1024;
/** Characters of a subject (OpenID Connect Core 1.0, section 2). */
export const AUTH_SUBJECT_CHARACTERS = 255;
/** Verified tokens kept: more people than a mission has, a few MB at the very most. */
export const AUTH_TOKENS_KEPT = 1_000;
/** How long credentials of the bus hold where the settings say nothing (section 8). */
export const AUTH_NATS_TTL_MS = 3_600_000;
/** Priority of a transfer: an int32 (section 2.8). */
export const TRANSFER_PRIORITY_MOST = 2 ** 31 - 1;
/** Transfers of one list: what a page shows and a reply of a few MB holds. */
export const TRANSFER_LIST_MOST = 5_000;
/** Lists of transfers that `mcs transfer list` reads one after the other. */
export const TRANSFER_LISTS_READ = 20;
/** How long who created a transfer waits until the lists of this process show it. */
export const TRANSFER_SEEN_MS = 5_000;
/** How long behind its last change a transfer that is over stays with those that every process holds. */
export const TRANSFER_LIVE_AFTER_END_MS = 24 * 3_600_000;
/** Content of a transfer is kept for so long behind its last change, at least and at most. */
export const TRANSFER_CONTENT_LEAST_MS = 24 * 3_600_000;
export const TRANSFER_CONTENT_MOST_MS = 366 * 24 * 3_600_000;
/** Transfers moved in one round. */
export const TRANSFERS_AGED_AT_ONCE = 1_000;
/** How far apart messages of one transfer are for one watcher: ten a second (section 4.7). */
export const TRANSFER_WATCH_MS = 100;
/** Bytes of a file in one message to whoever reads along: what a socket holds at once. */
export const CHUNK_MESSAGE_BYTES = 64 * 1024;
/** Bytes that came and wait for one reader; what does not fit is read from the store later. */
export const CHUNKS_WAITING_BYTES = 256 * 1024;
/**
 * Separate ranges of one transfer: with its record written once a second, no more than some hundred kB each time. A
 * chunk that would need one more is dropped and asked for again.
 */
export const TRANSFER_RANGES = 4_096;
/** Characters of what a record says of why it does not go on. */
export const TRANSFER_REASON_CHARACTERS = 1_000;
/** How often requests are sent (section 4.7 rule 3). */
export const TRANSFER_TICK_MS = 250;
/**
 * How often the driver is asked for a file that goes by CFDP, and how long it may take to answer (section 4.7 rule 7).
 */
export const CFDP_ASK_MS = 5_000;
/** Such questions at once for one target. */
export const CFDP_ASKED_AT_ONCE = 64;
/** A file that a driver is not asked for this long stands still: three questions did not come. */
export const CFDP_UNASKED_MS = 15_000;
/** And this long: it is given up. Another leader of the transfers asks again well before. */
export const CFDP_GIVEN_UP_MS = 10 * 60_000;
/** How long `completed` is answered before a download that is asked for still begins again. */
export const CFDP_COMPLETED_MS = 60_000;
/** How long a process that was asked waits for the one that has the files: below `CFDP_ASK_MS`, so that it answers. */
export const CFDP_FORWARD_MS = 4_000;
/** How often such a process looks at its links and transactions at least, while there are any. */
export const CFDP_TURN_MS = 250;
/**
 * How much time of the rate PDUs may be ahead of the transmitter: so long a telecommand waits behind them in a modem at
 * most, beside the frame that is leaving.
 */
export const CFDP_AHEAD_MS = 100;
/** How much time of the rate one request to the gateway holds at least while there is enough to send. */
export const CFDP_BATCH_MS = 20;
/** PDUs of one request to a gateway, and their bytes: far below what a message of the bus holds. */
export const CFDP_BATCH_PDUS = 256;
export const CFDP_BATCH_BYTES = 128 * 1024;
/** Requests that wait in a gateway: each of its workers has one under way, also one that was replaced. */
export const CFDP_BATCHES_WAITING = 4;
/** How long PDUs may take to leave; what is late is sent again by the protocol. */
export const CFDP_SEND_MS = 2_000;
/** Longest pause behind PDUs that a gateway did not take. */
export const CFDP_REFUSED_MS = 2_000;
/** Bytes of chunks that one gateway has received and the bus has not stored yet. */
export const CFDP_CHUNKS_WAITING_BYTES = 8 * 1024 * 1024;
/** Chunks being stored at once, per gateway. */
export const CFDP_CHUNKS_UNDER_WAY = 16;
/** How long frames wait for the store before file data is dropped: the spacecraft is asked for it again. */
export const CFDP_STORE_WAIT_MS = 1_000;
/** How long a request that was sent awaits its chunk before its range is asked again (section 4.7 rule 3). */
export const TRANSFER_CHUNK_WAIT_MS = 15_000;
/** How long a request without a final event is remembered (section 4.7 rule 3). */
export const TRANSFER_FORGOTTEN_MS = 60_000;
/** What is asked and not received stays below so much time of the rate (section 4.7 rule 3). */
export const TRANSFER_PIPELINE_MS = 2_000;
/** Requests of a full pipeline where a chunk could be larger: the next is asked while others are on their way. */
export const TRANSFER_PIPELINE_PARTS = 4;
/** Rate where nothing else says one, bit/s (section 4.7 rule 4). */
export const TRANSFER_RATE = 64_000;
/** How old a throughput measured by a gateway may be (section 4.7 rule 4). */
export const TRANSFER_MEASURED_MS = 15_000;
/** Behind failures of requests in a row the next waits twice as long each time, up to this. */
export const TRANSFER_FAILED_MS = 15_000;
/** Bytes that are gathered before they are stored as one object: few objects, and little to receive again. */
export const TRANSFER_PART_BYTES = 512 * 1024;
/** How long bytes are gathered, and how often a record is written at most. */
export const TRANSFER_GATHER_MS = 1_000;
/** Bytes that are gathered over all transfers; chunks wait in their stream where there are more. */
export const TRANSFER_GATHERED_BYTES = 16 * 1024 * 1024;
/** Parts that are stored at once. */
export const TRANSFER_STORES_AT_ONCE = 8;
/** Files that are assembled or checked at once: each reads and writes as fast as the bus lets it. */
export const TRANSFER_ASSEMBLIES_AT_ONCE = 2;
/** Parts that are removed at once. */
export const TRANSFER_REMOVALS_AT_ONCE = 16;
/** Bytes of an upload that are read at once and kept while they are written: a piece of the store. */
export const UPLOAD_WINDOW_BYTES = 128 * 1024;
/** How long an entry of the index of open transfers without a record is left to who writes them both. */
export const TRANSFER_INDEX_MS = 10 * 60_000;
/** Attempts of a creation that others overtake, before it counts as an outage. */
export const TRANSFER_WRITE_ROUNDS = 8;
/** How long a driver may decode a file, and how much later a file is offered again (section 4.7 rule 6). */
export const FILE_DECODE_MS = 5 * 60_000;
export const FILE_DECODE_AGAIN_MS = 30_000;
/** So much earlier than that a driver of ours answers how far it came: the reply has to be there in time. */
export const FILE_DECODE_MARGIN_MS = 10_000;
/**
 * Files that came down and wait for a driver that decodes them: each keeps a cell of some kB in the process that leads,
 * and whoever leads next begins with all of them.
 */
export const FILES_UNDECODED = 10_000;
/**
 * Bytes of a file that a process decodes in a second: samples of the past share streams, owners and cores with those of
 * the present, and must take little of each. 75 MB are decoded in one offer.
 */
export const FILE_DECODE_BYTES_PER_S = 256 * 1024;
/** Bytes of a file that are decoded in one go, before whatever else waits in the process: well below a millisecond. */
export const FILE_DECODE_SLICE_BYTES = 4 * 1024;
/** The same where it was decoded before, and frames are only counted. */
export const FILE_PASS_SLICE_BYTES = 64 * 1024;
/** Samples, and bytes of frames, of one batch that is decoded of a file: about what live frames of a second have. */
export const FILE_DECODE_BATCH_SAMPLES = 4_000;
export const FILE_DECODE_BATCH_BYTES = 16 * 1024;
/** Files that wait in a process for the one that is being decoded; more are refused, and offered again. */
export const FILE_DECODES_WAITING = 64;
/** How often it is written down how far the decoding of a file came. */
export const FILE_DECODE_MARK_MS = 1_000;
/**
 * Longest time one statement of a procedure waits. Procedures last a pass or a test campaign of days; what is to happen
 * in weeks is a schedule, and a timer of Node holds 24 days.
 */
export const STATEMENT_LONGEST_MS = 7 * 24 * 3_600_000;
/** How long a reaction waits for the reaction of another alarm on its target (section 4.4 reaction rule 4). */
export const REACTION_WAIT_MS = 60_000;
/** How often it looks meanwhile: a second reaction begins right behind the first, for one small read each. */
export const REACTION_LOOK_MS = 200;
/**
 * How long a reaction that has its target waits until the run it took it from is suspended: that happens within a
 * second.
 */
export const REACTION_PREEMPT_MS = 1_000;
/** One ask of the executor of that run; a living one answers in milliseconds. */
export const REACTION_ASK_MS = 400;
/** Holds on one target that reactions took, remembered: what those runs had under way is long over behind so many. */
export const TAKEN_HOLDS = 32;
/**
 * Alarms recorded at the same time, of all targets: enough to hide two bus writes each, and a command of a person waits
 * behind so many.
 */
export const ALARM_EDGES_UNDER_WAY = 64;
/** Changes of alarms of one target that wait to be recorded; its value stream is read on when fewer do. */
export const ALARM_EDGES_WAITING = 2_000;
/** Records whose last event is compared with the stream at the same time by a new alarm leader. */
export const ALARM_RECOVERIES = 64;
/**
 * How long an alarm may take to record a change before it is reported again: several times what a bus write may wait.
 */
export const ALARM_SETTLE_MS = 20_000;
/** Commands of people that wait for their alarms; a person gives one at a time, a script some. */
export const ALARM_COMMANDS_WAITING = 1_000;
/**
 * An alarm that nothing happens to leaves the memory after this long: in a storm of ten thousand each comes round again
 * sooner, and need not be read again.
 */
export const ALARM_IDLE_MS = 30_000;
/**
 * Reactions of one alarm under way: one waits a minute for its target at most, so this is an alarm that raises every
 * second.
 */
export const ALARM_REACTIONS = 64;
/** Read before the span that a new alarm leader needs: samples are stored a little after their ground time. */
export const ALARM_REPLAY_MARGIN_MS = 10_000;
/**
 * How far back alarms are read beyond what their conditions look at: there the measures of a condition and what
 * `changes` compares with had their last samples, two slow telemetry cadences.
 */
export const ALARM_BASELINE_MS = 60_000;
/**
 * How long the alarm service may take to answer a command, unless the configuration says otherwise: two bus writes,
 * with room for a takeover.
 */
export const ALARM_ANSWER_MS = 5_000;
/** How long a driver or a gateway may take to keep a binding of a link: it only remembers it. */
export const BIND_ANSWER_MS = 2_000;
/**
 * Bindings of links are delivered again this often: whoever lost one without a word has it back before a pass begins.
 */
export const BINDINGS_AGAIN_MS = 30_000;
/** A line of the iiod protocol: commands and numbers; iiod itself keeps 1 KiB for one. */
export const IIOD_LINE_BYTES = 1024;
/** Value of an attribute over iiod, and all values of a device in one answer: iiod itself keeps 64 KiB for them. */
export const IIOD_VALUE_BYTES = 64 * 1024;
/** Description of an IIO context: that of a board with an AD9361 has 60 kB, the largest known some hundred. */
export const IIOD_XML_BYTES = 4 * 1024 * 1024;
/** Elements within one another in it: its format has three. */
export const IIOD_XML_DEPTH = 16;
/** One read or write of a buffer: four times the 4096 blocks of the largest capture. */
export const IIOD_TRANSFER_BYTES = 64 * 1024 * 1024;
/** One block of a buffer, which a server holds whole. */
export const IIOD_BLOCK_BYTES = 16 * 1024 * 1024;
/** Blocks of a buffer that a client may have the driver hold: the kernel itself has 4 unless it is asked for others. */
export const IIOD_BUFFERS_COUNT = 64;
/** Received and not yet taken by the one who reads a connection: a socket hands over 64 KiB at a time. */
export const IIOD_UNREAD_BYTES = 1024 * 1024;
/** Questions that wait for their turn on one connection with iiod: a bench asks some tens at once. */
export const IIOD_QUESTIONS_WAITING = 1_000;
/** Clients of the iiod server at the same time: people with tools, three connections each. */
export const IIOD_CLIENTS = 32;
/** A client of the iiod server that takes nothing of its answer for so long is dropped, for it holds a buffer. */
export const IIOD_SEND_MS = 10_000;
/**
 * How long the opening of a buffer waits for who held it before: the end of a connection may arrive behind the
 * beginning of the next one. iiod itself waits as long.
 */
export const IIOD_RELEASE_MS = 50;
/**
 * Time of a server's buffer where a client asks for none (0 means without end): as iiod has it before any `TIMEOUT`.
 */
export const IIOD_TIMEOUT_MS = 1_000;
/** Longest such time; a buffer is waited for as long only while its client is there. */
export const IIOD_TIMEOUT_LONGEST_MS = 24 * 3_600_000;
/** Payload of a measurement: 256 blocks repeat often enough, and tables of its four-byte pieces stay below 20 MB. */
export const MEASURE_PAYLOAD_BYTES = 1024 * 1024;
/** Text of a profile, scenario or campaign: a timeline of a thousand steps has about 150 kB. */
export const BENCH_DOCUMENT_CHARACTERS = 256 * 1024;
/**
 * Open collections and keys while such a text is read: packets in a step, the deepest there are, need a quarter of it.
 */
export const BENCH_DOCUMENT_NESTING = 64;
/** Faults of one document of the bench that are reported: nobody repairs more at once. */
export const BENCH_FAULTS_LISTED = 100;
/** How long a scenario may run that states no `timeout_s`: the longest that people wait for at a bench. */
export const SCENARIO_TIMEOUT_S = 600;
/** Points of a sweep: a waterfall has some tens; each is a measurement of seconds. */
export const SWEEP_POINTS = 1_000;
/** Packets of one transmit request: with the smallest slot they fill sixteen blocks. */
export const TRANSMIT_PACKETS = 4_096;
/** Blocks of one capture: 16 MiB, which the reply holds whole. */
export const CAPTURE_BLOCKS = 4_096;
/** Events of the bench that are kept: months of a bench in daily use. */
export const BENCH_EVENTS_KEPT = 10_000;
/** Lines of the log of the daemon that `GET /api/v1/logs` can show. */
export const BENCH_LOG_LINES_KEPT = 2_000;
/** Captured blocks that are kept: 4 MiB, twice that as text. */
export const BENCH_FRAMES_KEPT = 1_024;
/** Items of a list of the bench where none is asked for; the most there are. */
export const BENCH_LIST_LIMIT = 100;
export const BENCH_LIST_MOST = 10_000;
/** Runs of scenarios and campaigns that are kept, the newest of each. */
export const BENCH_RUNS_KEPT = 1_000;
/**
 * Readings of one scenario run that its report keeps: each is some 80 bytes, and a record has to fit into a message.
 */
export const BENCH_SAMPLES_KEPT = 8_000;
/** Commands that wait for the board. */
export const BENCH_COMMANDS_WAITING = 100;
/**
 * How long what stops the transmitter waits for an access to the board that is under way: some round trips to a board
 * nearby.
 */
export const BENCH_URGENT_MS = 50;
/** How often a board is looked at for what other tools do to it: some eighty attributes and registers each time. */
export const BENCH_LOOK_MS = 1_000;
/** Applies of one profile that its revisions report. */
export const BENCH_REVISIONS_KEPT = 100;
/** Applies of all profiles that are kept: they are in the record of the radio, which each command writes. */
export const BENCH_REVISIONS_IN_ALL = 1_000;
/** A board that is away is asked for again after so long, and then each time after twice that. */
export const BOARD_RETRY_FIRST_MS = 1_000;
export const BOARD_RETRY_LARGEST_MS = 30_000;
/** Profiles that are registered at one time: each may be a document of its own. */
export const BENCH_PROFILES_KEPT = 1_000;
/** Pictures that a feed makes each second at most. */
export const FEED_RATE_HZ = 20;
/** Readings of the board that a feed makes each second: each asks some twenty attributes. */
export const FEED_READINGS_HZ = 4;
/** How long a step of a scenario that was asked to end may go on: a board that does not answer is given up by then. */
export const BENCH_ABORT_MS = 15_000;
/** How long they may take when the daemon ends: supervisors wait for some ten seconds before they kill. */
export const BENCH_STOP_MS = 5_000;
/** How long the actions at the end of a scenario may take together: some commands, each waiting for the board. */
export const BENCH_ENDING_MS = 120_000;
/** A report as text: a message of the bus holds a megabyte. */
export const BENCH_REPORT_BYTES = 900_000;
/** A campaign that rests is put away after this long without a request. */
export const BENCH_CELL_IDLE_MS = 60_000;
/** How long a request waits for its campaign to be recorded. */
export const BENCH_RECORD_MS = 5_000;
/** Attempts of one campaign run, with every rerun: its record has to fit into a message. */
export const CAMPAIGN_ATTEMPTS = 3_000;
/**
 * Points of sweeps that the record of a campaign run keeps: each is some 130 bytes, and a record has to fit into a
 * message.
 */
export const CAMPAIGN_POINTS = 20_000;
/** Characters that an attempt or an event of a run says of itself: the reason of a board with its attribute. */
export const BENCH_DETAIL_CHARACTERS = 300;
/** One message of `/ws/transmit`: the largest space packet as hexadecimal text in JSON is 130 kB. */
export const TRANSMIT_FEED_MESSAGE_BYTES = 256 * 1024;
/** Packets of one `/ws/transmit` that wait for the board; one more is refused. */
export const TRANSMIT_FEED_WAITING = 64;
/** Messages of one `/ws/transmit` without an answer, refused ones among them; one more ends the socket. */
export const TRANSMIT_FEED_UNANSWERED = 1_024;
