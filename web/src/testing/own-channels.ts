/**
 * Separates the BroadcastChannels of test files: files run in threads of one process, and Node's channels join all of them
 * as the tabs of one browser.
 */
const file = crypto.randomUUID();
const Channel = globalThis.BroadcastChannel;
globalThis.BroadcastChannel = class extends Channel {
  constructor(name: string) {
    super(`${file} ${name}`);
  }
};
