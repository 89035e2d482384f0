/**
 * What uWebSockets.js has at run time and its typings lack: the constants as values, and `listen` with four arguments.
 */

import type { CompressOptions, us_listen_socket } from 'uWebSockets.js';

declare module 'uWebSockets.js' {
  export const LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  export const DISABLED: CompressOptions;

  interface TemplatedApp {
    listen(
      host: string,
      port: number,
      options: number,
      listening: (socket: us_listen_socket | false) => void,
    ): TemplatedApp;
  }
}
