/**
 * Processor time per byte of what a caller may send. Nothing is compared with a clock: an input is measured at a size
 * and at four times that size, beside the reading of as much JSON in the same run.
 *
 * K1. Four times the input takes at most `GROWTH` times the time: what grows with the square takes sixteen times as
 *     much.
 * K2. No byte costs more than `SHARE` (of a document `DOCUMENT_SHARE`) times what a byte of JSON costs to read: what
 *     grows with the square and was already past that at the smaller size, or costs far too much per byte. That is
 *     beside a run with nothing to do, and beside the example of the route as it stands where that has the same
 *     outcome, and so does the same work: what it costs to resolve and to store or refuse something is not the cost of
 *     a byte.
 * K3. What seems too dear is measured again, and the least counts: other processes use the machine too. What it is
 *     compared with is measured again in the same round: a machine may be slower by then than it was at the start. Both
 *     sizes are run in turn: a machine that slows down between them would look like growth. The smaller one is run
 *     before and after the larger: if something fell into its only run, growth would not be seen.
 */

/** Four, with room for caches that are outgrown. */
const GROWTH = 9;
/** What requests may cost of a byte; documents are compiled, not only read. */
export const SHARE = 300;
export const DOCUMENT_SHARE = 5_000;
/**
 * A run that seems dear is repeated twice as often, and twice that, before it is believed: code gets faster as it is
 * used.
 */
const REPEATS = 4;
const ROUNDS = 3;
const US_PER_MS = 1_000;
const WORST_SHOWN = 10;

/** The same input at a scale of 1 and of 4. */
export interface Subject {
  readonly name: string;
  readonly input: (scale: 1 | 4) => Buffer;
  /** Default `SHARE`. */
  readonly share?: number;
  /** What it was made from. */
  readonly example?: Buffer;
}

/** The outcome; of a request its status, accepted ones alike. */
type Run = (input: Buffer) => unknown;

/** What figures are compared with, in microseconds of the processor. */
interface Reference {
  readonly base: number;
  readonly perByte: number;
}

interface Measured {
  readonly name: string;
  readonly bytes: number;
  /** Microseconds of the processor, at each scale. */
  readonly small: number;
  readonly large: number;
  readonly dear: boolean;
}

/** Measures what `run` does with inputs, and keeps the worst. */
export class Costs {
  readonly #run: Run;
  readonly #measured: Measured[] = [];
  #nothing: Buffer = Buffer.alloc(0);
  /** At the start; of one run with nothing to do, and of reading a byte of JSON. */
  #start: Reference = { base: 0, perByte: 0 };

  constructor(run: Run) {
    this.#run = run;
  }

  /** What a run costs whose input is this small: subtracted from no figure, and growth below it is noise. */
  async begin(nothing: Buffer): Promise<void> {
    for (let n = 0; n < REPEATS; n += 1) await this.#least(nothing, 1);
    this.#nothing = nothing;
    this.#start = await this.#reference();
  }

  async measure(subject: Subject): Promise<void> {
    const [small, large] = [subject.input(1), subject.input(4)];
    try {
      let measured = await this.#once(subject, small, large, 1, this.#start);
      for (let round = 1; measured.dear && round <= ROUNDS; round += 1)
        measured = await this.#once(
          subject,
          small,
          large,
          REPEATS * 2 ** round,
          await this.#again(),
          measured,
        );
      this.#measured.push(measured);
    } catch (error) {
      throw new Error(`failed on ${subject.name}`, { cause: error });
    }
  }

  /** Those that break K1 or K2. */
  get dear(): string[] {
    return this.#measured.filter(({ dear }) => dear).map(line);
  }

  /** The dearest of a byte, one a line. */
  worst(): string {
    const byCost = this.#measured.toSorted((a, b) => b.large / b.bytes - a.large / a.bytes);
    return byCost.slice(0, WORST_SHOWN).map(line).join('\n');
  }

  get count(): number {
    return this.#measured.length;
  }

  async #once(
    { name, share = SHARE, example }: Subject,
    small: Buffer,
    large: Buffer,
    repeats: number,
    { base, perByte }: Reference,
    before?: Measured,
  ): Promise<Measured> {
    let [ofSmall, ofLarge] = [
      before?.small ?? Number.POSITIVE_INFINITY,
      before?.large ?? Number.POSITIVE_INFINITY,
    ];
    for (let n = 0; n < repeats; n += 1) {
      ofSmall = Math.min(ofSmall, await this.#least(small, 1));
      ofLarge = Math.min(ofLarge, await this.#least(large, 1));
      ofSmall = Math.min(ofSmall, await this.#least(small, 1));
    }
    const reading = perByte * large.length;
    const grew = ofLarge > GROWTH * Math.max(ofSmall, base, reading);
    const left = ofLarge - share * reading;
    const tooDear = left > base && left > (await this.#ofSameWork(example, large, repeats));
    return { name, bytes: large.length, small: ofSmall, large: ofLarge, dear: grew || tooDear };
  }

  async #reference(): Promise<Reference> {
    return { base: await this.#least(this.#nothing, REPEATS), perByte: readingOfOne() };
  }

  /** The slower one of the start and of now. */
  async #again(): Promise<Reference> {
    const now = await this.#reference();
    return {
      base: Math.max(now.base, this.#start.base),
      perByte: Math.max(now.perByte, this.#start.perByte),
    };
  }

  /** What the example costs when it has the outcome of the input; otherwise nothing. */
  async #ofSameWork(example: Buffer | undefined, input: Buffer, repeats: number): Promise<number> {
    if (example === undefined) return 0;
    const isSame = (await this.#run(input)) === (await this.#run(example));
    return isSame ? this.#least(example, repeats) : 0;
  }

  async #least(input: Buffer, repeats: number): Promise<number> {
    let least = Number.POSITIVE_INFINITY;
    for (let n = 0; n < repeats; n += 1) {
      const before = process.cpuUsage();
      await this.#run(input);
      const { user, system } = process.cpuUsage(before);
      least = Math.min(least, user + system);
    }
    return least;
  }
}

function line({ name, bytes, small, large }: Measured): string {
  const each = ((large / bytes) * US_PER_MS).toFixed(0);
  return `${each.padStart(8)} ns/B ${(small / US_PER_MS).toFixed(1).padStart(8)} ms ${(large / US_PER_MS).toFixed(1).padStart(8)} ms of ${bytes} B: ${name}`;
}

const REFERENCE_BYTES = 1024 * 1024;

/** Microseconds to read a byte of JSON, now. */
function readingOfOne(): number {
  const text = Buffer.from(
    JSON.stringify(Array.from({ length: REFERENCE_BYTES / 16 }, (_, n) => `name-${n % 1_000}`)),
  );
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < REPEATS; n += 1) {
    const before = process.cpuUsage();
    JSON.parse(text.toString());
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / text.length);
  }
  return least;
}
