/**
 * The tabs of one test file hear each other, those of other files do not: they run in threads of one process, which a
 * BroadcastChannel of Node joins as the tabs of one browser.
 */
const file = crypto.randomUUID();
const Channel = globalThis.BroadcastChannel;
globalThis.BroadcastChannel = class extends Channel {
  constructor(name: string) {
    super(`${file} ${name}`);
  }
};
