/** What the receiver receives: spectrum with waterfall, constellation and eye, each with what it is worth. */

import type { FeedMessage } from '../../contract/bench/feed.ts';
import { oncePerFrame } from '../browser-clock.ts';
import { byId, setAttribute, setText } from '../element.ts';
import type { SocketState } from '../live-socket.ts';
import { constellationView, percentOf } from './constellation-view.ts';
import { eyeView } from './eye-view.ts';
import { FeedWatch } from './feed-watch.ts';
import { scaled } from './quantity.ts';
import { SpectrumView } from './spectrum-view.ts';

/** Ten pictures a second are seen as moving; more is work without use. */
const PICTURE_MS = 100;
/** For those who asked for no motion. */
const STILL_MS = 1_000;
/** Numbers that change faster cannot be read. */
const TEXT_MS = 500;

type Picture = 'spectrum' | 'constellation' | 'eye';

interface Shown {
  show(message: FeedMessage): void;
  empty(words: string): void;
}

export class SignalView {
  readonly #pause = byId('signal-pause', HTMLButtonElement);
  readonly #watches: FeedWatch[];
  #isPaused = false;

  constructor() {
    const leastMs = matchMedia('(prefers-reduced-motion: reduce)').matches ? STILL_MS : PICTURE_MS;
    const canvas = (id: string): HTMLCanvasElement => byId(id, HTMLCanvasElement);
    this.#watches = [
      watch('spectrum', new SpectrumView(canvas('spectrum'), canvas('waterfall'), leastMs)),
      watch('constellation', constellationView(canvas('constellation'), leastMs)),
      watch('eye', eyeView(canvas('eye'), leastMs)),
    ];
    this.#pause.addEventListener('click', () => {
      this.#isPaused = !this.#isPaused;
      setAttribute(this.#pause, 'aria-pressed', String(this.#isPaused));
      for (const each of this.#watches) each.pause(this.#isPaused);
    });
  }
}

function watch(feed: Picture, view: Shown): FeedWatch {
  const note = byId(`${feed}-note`, HTMLElement);
  let latest: FeedMessage | undefined;
  const tell = oncePerFrame(() => {
    if (latest !== undefined) setText(note, noteOf(latest));
  }, TEXT_MS);
  return new FeedWatch({
    feed,
    message: (message) => {
      latest = message;
      view.show(message);
      tell();
    },
    changed: (state) => {
      if (state === 'open') return;
      latest = undefined;
      setText(note, stateWords(state));
      // What was last seen stays while it is paused: that is what a pause is for.
      if (state !== 'paused') view.empty(state === 'connecting' ? 'connecting' : 'connection lost');
    },
  });
}

function stateWords(state: SocketState | 'paused'): string {
  if (state === 'paused') return 'paused: this was the last picture';
  return state === 'connecting' ? 'connecting' : 'connection lost, reconnecting';
}

/** Sequence and what was left out on the way here, so that a picture that stutters is known as such. */
function noteOf({ seq, dropped, description, floats }: FeedMessage): string {
  return [
    ...aboutOf(description),
    `${description.source} #${seq}`,
    `${dropped} dropped`,
    floats.length === 0 ? 'no signal' : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

function aboutOf(description: FeedMessage['description']): string[] {
  if (description.kind === 'spectrum') return [`span ${scaled(description.span_hz, 'Hz')}`];
  if (description.kind !== 'constellation') return [];
  const { modulation, evm } = description;
  return [modulation.toUpperCase(), ...(evm === undefined ? [] : [`EVM ${percentOf(evm)}`])];
}
