/** Puts a defect between a process and its bus: what is not replaced goes through. */

import type { Bus } from '../../../ports/bus.ts';

/** The bus with some of its calls replaced. */
export function altered(bus: Bus, replaced: Partial<Bus>): Bus {
  const whole: Bus = {
    get connected() {
      return bus.connected;
    },
    onConnection: (listener) => bus.onConnection(listener),
    publish: (subject, data, headers) => bus.publish(subject, data, headers),
    subscribe: (subject, handle, options) => bus.subscribe(subject, handle, options),
    serve: (subject, answer, options) => bus.serve(subject, answer, options),
    request: (subject, data, options) => bus.request(subject, data, options),
    append: (stream, subject, data, options) => bus.append(stream, subject, data, options),
    last: (stream, subject) => bus.last(stream, subject),
    follow: (stream, subject, from, handle, options) => bus.follow(stream, subject, from, handle, options),
    stillHolds: (stream, known) => bus.stillHolds(stream, known),
    holesUntil: (stream) => bus.holesUntil(stream),
    leftUntil: (stream) => bus.leftUntil(stream),
    get lostUntil() {
      return bus.lostUntil;
    },
    lost: (until) => bus.lost?.(until),
    bucket: (definition) => bus.bucket(definition),
    objects: (definition) => bus.objects(definition),
    close: () => bus.close(),
  };
  return Object.defineProperties(whole, Object.getOwnPropertyDescriptors(replaced));
}
